package htsim

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/scenarios"
)

// Scenario writes the case as a scenario of rdmasim. XOFF comes above High, so the threshold is a byte more; XON comes
// below Low, so a group resumes at a byte less.
func (c *Case) Scenario() ([]byte, error) {
	tree, err := fatTreeOf(c.Hosts)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, `name: htsim
profile: htsim
topology: {kind: fat-tree, k: %d, host_link: {rate: 100Gbps, delay: 1us}, fabric_link: {rate: 100Gbps, delay: 1us}}
switch:
  buffer: 1GB
  pipeline: 0s
  release: last-bit
  ecn: {enabled: false}
  pfc: {priorities: [3], xoff: %dB, xon_offset: %dB, headroom: 1MB, expiry: false, response: 0s}
host:
  mtu: %d
  ack_every: 1
  congestion_control: {kind: none}
  pfc_response: 0s
measure: {series: [pause]}
workloads:
  - kind: flows
    flows:
`, tree.k, c.Model.High+1, c.Model.High+1-(c.Model.Low-1), c.Model.MTU)
	for _, f := range c.Flows {
		data, err := tree.switches(f.Data)
		if err != nil {
			return nil, err
		}
		control, err := tree.switches(f.Control)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "      - {from: h%d, to: h%d, size: %dB, start: %dps, path: [%s], return_path: [%s]}\n",
			f.Src, f.Dst, int64(f.Size), int64(f.Start), strings.Join(data, ", "), strings.Join(control, ", "))
	}
	return []byte(b.String()), nil
}

// spec reads the scenario of the case, with overrides.
func (c *Case) spec(overrides ...string) (*scenarios.Spec, error) {
	text, err := c.Scenario()
	if err != nil {
		return nil, err
	}
	return scenarios.Parse(c.Name+".yaml", text, overrides...)
}
