package workloads

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// PeriodicIncast is one incast after the other: at the beginning of every period a receiver is chosen at random, and as
// many other hosts as fan_in, at random too, send to it at once. With a workload of kind open-loop beside it, it is the
// background with incast of HPCC (SIGCOMM 2019).
type PeriodicIncast struct {
	FanIn    int         `key:"fan_in" default:"8" min:"1" doc:"senders of each incast" source:"assumed; HPCC, SIGCOMM 2019: 60"`
	Size     units.Bytes `key:"size" default:"500KB" min:"0B" doc:"payload from each sender" source:"HPCC, SIGCOMM 2019"`
	Load     units.Ratio `key:"load" default:"2%" max:"1" unless:"period" doc:"payload of all incasts together, as a share of what the links of the receivers carry; sets the period" source:"HPCC, SIGCOMM 2019"`
	Period   *units.Time `key:"period" min:"1ns" doc:"time from one incast to the next, in place of load"`
	Jitter   units.Time  `key:"jitter" default:"0s" doc:"each sender starts later by a random time of 0 to so much"`
	From     []string    `key:"from" doc:"hosts that may send; all if not given"`
	To       []string    `key:"to" doc:"hosts that may receive, each equally likely; all if not given"`
	Start    units.Time  `key:"start" default:"0s" doc:"time of the first incast"`
	Duration units.Time  `key:"duration" required:"true" min:"1ps" doc:"for how long incasts begin"`
	Priority int         `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Recovery string      `key:"recovery" default:"host" oneof:"host|go-back-n|go-back-0|selective-repeat|adaptive" doc:"how its queue pairs recover from loss; host: as host.recovery says"`
	Travel   `key:",inline"`
}

// Flows returns the flows incast by incast.
func (w *PeriodicIncast) Flows(env Env) ([]Flow, error) {
	hosts := newDirectory(env)
	from, err1 := hosts.findOrAll("from", w.From)
	to, err2 := hosts.findOrAll("to", w.To)
	if err := errors.Join(err1, err2, w.check()); err != nil {
		return nil, err
	}
	if err := w.checkFanIn(from, to); err != nil {
		return nil, err
	}
	period := w.period(env, to)
	rounds := (w.Duration-1)/period + 1
	if rounds > MaxFlows/units.Time(w.FanIn) {
		return nil, units.Field("duration", w.Duration, fmt.Sprintf("%d incasts of %d flows are too many", rounds, w.FanIn),
			fmt.Sprintf("at most %d flows", MaxFlows))
	}
	who, late := env.Rand("hosts"), env.Rand("jitter")
	flows := make([]Flow, 0, int(rounds)*w.FanIn)
	for round := range rounds {
		dst := to[Uint64N(who, uint64(len(to)))]
		for _, src := range choose(who, from, dst, w.FanIn) {
			start := w.Start + round*period + units.Time(Uint64N(late, uint64(w.Jitter)+1))
			flows = append(flows, Flow{Src: src, Dst: dst, Size: w.Size, Messages: 1, Start: start, QP: OwnQP, Priority: w.Priority, Recovery: w.Recovery})
		}
	}
	return flows, nil
}

// period returns the time between incasts that makes the load: they bring fan_in·size, and the receivers together could
// take so much more in that time.
func (w *PeriodicIncast) period(env Env, to []int) units.Time {
	if w.Period != nil {
		return *w.Period
	}
	var capacity units.Rate
	for _, host := range to {
		capacity += env.HostRate(host)
	}
	bits := float64(8 * w.Size * units.Bytes(w.FanIn))
	return max(1, units.Time(bits*float64(units.Second)/float64(w.Load.Float()*float64(capacity))))
}

// choose returns n of the hosts, each set of them equally likely, other than the given one.
func choose(r Rand, hosts []int, not, n int) []int {
	left := make([]int, 0, len(hosts))
	for _, host := range hosts {
		if host != not {
			left = append(left, host)
		}
	}
	for i := range n {
		k := i + int(Uint64N(r, uint64(len(left)-i)))
		left[i], left[k] = left[k], left[i]
	}
	return left[:n]
}

// check finds values that are impossible whatever the network.
func (w *PeriodicIncast) check() error {
	err := checkWindow(w.Start, w.Duration)
	refuse := func(wrong bool, key string, value any, problem, want string) {
		if wrong {
			err = errors.Join(err, units.Field(key, value, problem, want))
		}
	}
	refuse(w.Period == nil && w.Load.IsZero(), "load", w.Load, "no load", "more than 0, such as 2%")
	refuse(w.Period == nil && w.Size == 0, "size", w.Size, "no payload, which makes no load", "more than 0B, or a period")
	refuse(w.Jitter < 0 || w.Jitter >= units.Never/2, "jitter", w.Jitter, "not a length of time", "0s or more")
	return err
}

// checkFanIn makes sure that there are enough senders for whichever receiver is chosen.
func (w *PeriodicIncast) checkFanIn(from, to []int) error {
	isSender := map[int]bool{}
	for _, host := range from {
		isSender[host] = true
	}
	senders := len(from)
	for _, host := range to {
		if isSender[host] {
			senders = len(from) - 1
		}
	}
	if w.FanIn > senders || w.FanIn < 1 {
		return units.Field("fan_in", w.FanIn, fmt.Sprintf("%d hosts may send to another one", senders), fmt.Sprintf("1 to %d", senders))
	}
	return nil
}
