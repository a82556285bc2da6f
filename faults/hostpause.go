package faults

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/host"
)

// HostPause is hosts that stop for a time, as one does whose firmware hangs or whose
// virtual machine is moved: they send nothing, and frames and timers wait. When it is
// over they handle all of it at once. Meanwhile no frame is lost at them and they send
// no PFC, however much comes: their NICs hold it. Only a host with a receive buffer that
// matters, since it is slow, fills that and then pauses its switch.
type HostPause struct {
	Hosts []string `key:"hosts" required:"true" doc:"the hosts, by name, pattern or place; * for all"`
	Times `key:",inline"`
}

// Plan implements [Fault].
func (p *HostPause) Plan(env *Env, _ string, plan *host.Faults) error {
	hosts, err := findHosts(env, p.Hosts)
	if err = errors.Join(err, tooMany(len(hosts), p.Count)); err != nil {
		return err
	}
	for _, h := range hosts {
		for _, s := range p.spans() {
			plan.Pauses = append(plan.Pauses, host.Pause{Host: h, Span: s})
		}
	}
	return nil
}

// findHosts returns the places, in the graph's list of hosts, of those that the
// selectors name, each once.
func findHosts(env *Env, selectors []string) ([]int, error) {
	var hosts []int
	var problems []error
	for i, selector := range selectors {
		some, err := env.Hosts(fmt.Sprintf("hosts[%d]", i), selector)
		problems = append(problems, err)
		hosts = append(hosts, some...)
	}
	slices.Sort(hosts)
	return slices.Compact(hosts), errors.Join(problems...)
}
