package hpccns3

import (
	"cmp"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"github.com/rdmasim/rdmasim/fabric/topology/hpccfile"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Case is a folder of the simulator's inputs and outputs.
type Case struct {
	Name string
	dir  string
	*settings
	topology *hpccfile.Topology
	links    [][]link // that leave each node
	flows    []hpccfile.Flow
}

// Open reads what a folder was run with.
func Open(dir string) (*Case, error) {
	s, err := readSettings(dir)
	if err != nil {
		return nil, err
	}
	c := &Case{Name: filepath.Base(dir), dir: dir, settings: s}
	if c.topology, err = read(c.path("topology.txt"), hpccfile.ReadTopology); err != nil {
		return nil, err
	}
	c.links = neighbours(c.topology)
	c.flows, err = read(c.path("flow.txt"), hpccfile.ReadFlows)
	return c, err
}

// read reads a file by one of the readers of package hpccfile.
func read[T any](at string, reader func(name string, from io.Reader) (T, error)) (content T, err error) {
	from, err := hpccfile.Open(at)
	if err != nil {
		return content, err
	}
	defer from.Close()
	return reader(at, from)
}

// path is where a file of the folder is, compressed or not.
func (c *Case) path(name string) string {
	at := filepath.Join(c.dir, name)
	if _, err := os.Stat(at); err != nil {
		return at + ".gz"
	}
	return at
}

// has tells whether the folder has a file.
func (c *Case) hasFile(name string) bool {
	_, err := os.Stat(c.path(name))
	return err == nil
}

// controls are the simulator's congestion controls by CC_MODE.
var controls = map[string]string{"0": "none", "1": "DCQCN", "3": "HPCC", "7": "TIMELY", "8": "DCTCP", "10": "HPCC-PINT"}

// Unsupported says why the case cannot be run; empty if it can.
func (c *Case) Unsupported() string {
	mode := c.word("CC_MODE", "1")
	switch name, known := controls[mode]; {
	case c.isConWeave():
		return c.unsupportedConWeave()
	case !known:
		return fmt.Sprintf("CC_MODE %s is no congestion control that is known", mode)
	case mode != "0" && mode != "1":
		return "congestion control " + name + " is not there yet"
	case c.on("HAS_WIN", "1") && !c.on("GLOBAL_T", "1"):
		return "GLOBAL_T 0: windows that differ by pair of hosts are not there"
	}
	for _, fixed := range []struct{ key, value, otherwise string }{
		{"L2_ACK_INTERVAL", "1", "0"}, {"L2_BACK_TO_ZERO", "0", "0"}, {"RATE_BOUND", "1", "1"}, {"ERROR_RATE_PER_LINK", "0", "0"},
		{"USE_DYNAMIC_PFC_THRESHOLD", "1", "1"},
	} {
		want, _ := new(big.Rat).SetString(fixed.value)
		if c.number(fixed.key, fixed.otherwise).Cmp(want) != 0 {
			return fmt.Sprintf("%s %s is not there, only %s", fixed.key, c.word(fixed.key, fixed.otherwise), fixed.value)
		}
	}
	for _, key := range []string{"RP_TIMER", "EWMA_GAIN", "RATE_AI", "RATE_HAI"} {
		if mode == "1" && !c.has(key) {
			return key + " is missing, for which that simulator has no value of use"
		}
	}
	if len(c.words["LINK_DOWN"]) > 0 && c.words["LINK_DOWN"][0] != "0" {
		return "LINK_DOWN: links that fail are not there in this profile"
	}
	return cmp.Or(c.unsupportedNetwork(), c.unsupportedFlows())
}

// Scenario says in a scenario what the case was run with: in the simulator's own profile, or true to the wire.
func (c *Case) Scenario(profile string) (string, error) {
	var y strings.Builder
	own := profile == Profile
	if c.isConWeave() {
		return c.conweaveScenario(profile)
	}
	fmt.Fprintf(&y, "name: %s\nprofile: %s\nstop: {limit: %s}\n", tidy(c.Name), profile, c.limit())
	fmt.Fprintf(&y, "topology: {kind: hpcc-file, file: %q}\nworkloads: [{kind: hpcc-file, file: %q}]\n", c.path("topology.txt"), c.path("flow.txt"))
	c.writeSwitch(&y, own)
	c.writeHost(&y, own)
	if own && c.hasFile("pfc.txt") {
		y.WriteString("measure: {series: [pause]}\n")
	}
	return y.String(), c.err
}

// Profile is the profile of scenarios that adopts the simulator's simplifications.
const Profile = "hpcc-ns3"

// tidy makes a name of a scenario of a folder's.
func tidy(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 128 && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", r) {
			return r
		}
		return '-'
	}, name)
}

// limit is when the simulator stopped.
func (c *Case) limit() string { return c.word("SIMULATOR_STOP_TIME", "3.01") + "s" }

func (c *Case) writeSwitch(y *strings.Builder, own bool) {
	fmt.Fprintf(y, "switch:\n  buffer: %sMiB\n", c.word("BUFFER_SIZE", "16"))
	pfc := "enabled: true"
	if !c.on("ENABLE_PFC", "1") {
		pfc = `off_towards: ["*"]`
	}
	if own {
		fmt.Fprintf(y, "  pipeline: 0s\n  pfc: {%s, alpha: 1/8, xon_offset: 3072B, pg_min: 4096B, expiry: false, response: 0s, headroom_check: warn}\n", pfc)
	} else {
		fmt.Fprintf(y, "  pfc: {%s}\n", pfc)
	}
	if !c.on("ENABLE_QCN", "1") {
		y.WriteString("  ecn: {enabled: false}\n")
		return
	}
	kmin, kmax, pmax := c.thresholds("KMIN_MAP"), c.thresholds("KMAX_MAP"), c.same("PMAX_MAP")
	fmt.Fprintf(y, "  ecn: {kmin: %s, kmax: %s, per_gbps: true, pmax: %s}\n", kmin, kmax, pmax.RatString())
}

// thresholds gives a threshold in KB for each Gb/s of a port, which the ports of the
// network must have in common.
func (c *Case) thresholds(key string) string {
	var perGbps *big.Rat
	byRate := c.byRate(key)
	for _, rate := range switchRates(c.topology) {
		size, known := byRate[int64(rate)]
		if !known {
			c.fail("%s: nothing for ports of %v", key, rate)
			return "0B"
		}
		each := new(big.Rat).Mul(size, big.NewRat(1000*int64(units.Gbps), int64(rate)))
		if perGbps != nil && perGbps.Cmp(each) != 0 {
			c.fail("%s: not in proportion to the rates of ports", key)
			return "0B"
		}
		perGbps = each
	}
	if !perGbps.IsInt() {
		c.fail("%s: %s B for each Gb/s is no whole number", key, perGbps.RatString())
	}
	return perGbps.RatString() + "B"
}

// same gives a number that the ports of the network have in common.
func (c *Case) same(key string) *big.Rat {
	var common *big.Rat
	byRate := c.byRate(key)
	for _, rate := range switchRates(c.topology) {
		switch value := byRate[int64(rate)]; {
		case value == nil || common != nil && common.Cmp(value) != 0:
			c.fail("%s: not the same for all ports", key)
			return new(big.Rat)
		default:
			common = value
		}
	}
	return common
}

func (c *Case) writeHost(y *strings.Builder, own bool) {
	payload := c.word("PACKET_PAYLOAD_SIZE", "1000")
	fmt.Fprintf(y, "host:\n  payload: %s\n  ack_every: 1\n", payload)
	if own {
		y.WriteString("  timeout: 0\n  nak_rearm: 500us\n  pfc_response: 0s\n")
		if c.on("ACK_HIGH_PRIO", "0") {
			y.WriteString("  dscp: {ack: 56}\n") // a class of their own
		}
	} else {
		y.WriteString("  cnp: {interval: 0s}\n")
	}
	if c.on("HAS_WIN", "1") {
		fmt.Fprintf(y, "  window: %dB\n  window_by_rate: %t\n", maxBDP(c.topology, int(c.number("PACKET_PAYLOAD_SIZE", "1000").Num().Int64())), c.on("VAR_WIN", "0"))
	}
	if c.word("CC_MODE", "1") == "0" {
		y.WriteString("  congestion_control: {kind: none}\n")
		return
	}
	c.writeDCQCN(y)
}

func (c *Case) writeDCQCN(y *strings.Builder) {
	fmt.Fprintf(y, `  congestion_control:
    {kind: dcqcn, profile: scaled, alpha_timer: %sus, decrease_period: %sus, decrease_offset: 1ns, rate_timer: %sus,
     g: %s, f: %s, r_ai: %s, r_hai: %s, min_rate: %s, clamp_tgt_rate: %t, byte_counter: 0B}
`, c.word("ALPHA_RESUME_INTERVAL", "55"), c.word("RATE_DECREASE_INTERVAL", "4"), c.word("RP_TIMER", ""),
		c.number("EWMA_GAIN", "").RatString(), c.word("FAST_RECOVERY_TIMES", "5"), c.rate("RATE_AI", ""), c.rate("RATE_HAI", ""),
		c.rate("MIN_RATE", "100Mb/s"), c.on("CLAMP_TARGET_RATE", "0"))
}
