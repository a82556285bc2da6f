package workloads

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
	"github.com/rdmasim/rdmasim/workloads/flowsize"
)

// OpenLoop has hosts start flows at random times, whether or not those before are done, so that the network is under a
// given load: the way in which the congestion controls of data centres are compared. Each flow is one message on a queue
// pair of its own, to a host chosen at random among the others.
type OpenLoop struct {
	Load     units.Ratio `key:"load" required:"true" max:"1" doc:"payload offered, as a share of what the links of tier carry one way, on average over the links"`
	Tier     string      `key:"tier" default:"host" oneof:"host|fabric|core" doc:"host: the links of the senders; fabric: the links that leave their racks; core: the links that leave their pods" source:"HPCC, SIGCOMM 2019"`
	Sizes    string      `key:"sizes" default:"websearch" oneof:"websearch|fb-hadoop|alistorage2019|solar2022|google-rpc2008" unless:"cdf_file" doc:"distribution of flow sizes" source:"HPCC, SIGCOMM 2019"`
	CDFFile  *string     `key:"cdf_file" doc:"a distribution of flow sizes in a file, in place of sizes: on each line a size in bytes and the percentage of flows that are no larger; path relative to the scenario file"`
	Arrivals string      `key:"arrivals" default:"poisson" oneof:"poisson|log-normal|paced|on-off" doc:"gaps between the flows of a host. poisson: exponential; log-normal: more irregular, by sigma; paced: all equal; on-off: poisson in bursts" source:"assumed"`
	Sigma    float64     `key:"sigma" default:"2" min:"0" max:"4" doc:"of log-normal gaps: standard deviation of their logarithm" source:"Parsimon, NSDI 2023: 2 for bursty arrivals"`
	On       units.Time  `key:"on" default:"100us" min:"1ns" doc:"of on-off arrivals: mean length of a burst, exponential" source:"assumed"`
	Off      units.Time  `key:"off" default:"100us" min:"1ns" doc:"of on-off arrivals: mean time between bursts, exponential" source:"assumed"`
	From     []string    `key:"from" doc:"hosts that send; all if not given"`
	To       []string    `key:"to" doc:"hosts that receive, each equally likely; all if not given"`
	Start    units.Time  `key:"start" default:"0s" doc:"beginning of the arrivals"`
	Duration units.Time  `key:"duration" required:"true" min:"1ps" doc:"for how long flows arrive"`
	Priority int         `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Recovery string      `key:"recovery" default:"host" oneof:"host|go-back-n|go-back-0|selective-repeat|adaptive" doc:"how its queue pairs recover from loss; host: as host.recovery says"`
	Travel   `key:",inline"`

	base string
}

// SetBase sets the directory that a relative path starts from.
func (w *OpenLoop) SetBase(dir string) { w.base = dir }

// Flows returns the flows in the order of their starts, those of one instant in the order of their sources.
func (w *OpenLoop) Flows(env Env) ([]Flow, error) {
	hosts := newDirectory(env)
	from, err1 := hosts.findOrAll("from", w.From)
	to, err2 := hosts.findOrAll("to", w.To)
	sizes, err3 := w.sizes()
	if err := errors.Join(err1, err2, err3, w.check(), checkPartners(from, to)); err != nil {
		return nil, err
	}
	share, err := w.shareOfHost(env, from, to)
	if err != nil {
		return nil, err
	}
	gap := func(host int) float64 { // mean, in ps
		return sizes.Mean() * 8 * float64(units.Second) / float64(share*float64(env.HostRate(host)))
	}
	if err := w.checkCount(from, gap); err != nil {
		return nil, err
	}
	var flows []Flow
	for _, src := range from {
		flows = append(flows, w.flowsOf(src, to, sizes, gap(src), env)...)
	}
	slices.SortStableFunc(flows, func(a, b Flow) int { return cmp.Compare(a.Start, b.Start) })
	return flows, w.checkAny(flows)
}

// flowsOf returns the flows of one source.
func (w *OpenLoop) flowsOf(src int, to []int, sizes *flowsize.CDF, gap float64, env Env) []Flow {
	stream := func(purpose string) Rand { return env.Rand(purpose + "/" + env.Hosts[src]) }
	when, size, where := stream("arrivals"), stream("sizes"), stream("destinations")
	process := w.process(gap)
	others := slices.DeleteFunc(slices.Clone(to), func(host int) bool { return host == src })
	var flows []Flow
	at := process.first(when)
	for at < float64(w.Duration) && len(flows) <= MaxFlows {
		flows = append(flows, Flow{
			Src: src, Dst: others[Uint64N(where, uint64(len(others)))], Size: sizes.Size(variate.Uniform(size)), Messages: 1,
			Start: w.Start + units.Time(at), QP: OwnQP, Priority: w.Priority, Recovery: w.Recovery,
		})
		at += process.gap(when)
	}
	return flows
}

// process returns the arrivals of a host with that mean gap.
func (w *OpenLoop) process(gap float64) arrivals {
	switch w.Arrivals {
	case "log-normal":
		return logNormal{gap, w.Sigma}
	case "paced":
		return paced{gap}
	case "on-off":
		return newOnOff(gap, w.On, w.Off)
	}
	return poisson{gap}
}

// sizes returns the distribution of flow sizes.
func (w *OpenLoop) sizes() (*flowsize.CDF, error) {
	if w.CDFFile == nil {
		return flowsize.Find(w.Sizes), nil
	}
	path := *w.CDFFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.base, path)
	}
	sizes, err := readSizes(path)
	if err != nil {
		return nil, &units.FieldError{Key: "cdf_file", Problem: err.Error()}
	}
	return sizes, nil
}

func readSizes(path string) (*flowsize.CDF, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sizes, err := flowsize.Read(path, file)
	if err == nil && sizes.Mean() == 0 {
		err = fmt.Errorf("%s: all flows are empty, and offer no load", path)
	}
	return sizes, err
}

// check finds values that are impossible whatever the network.
func (w *OpenLoop) check() error {
	err := checkWindow(w.Start, w.Duration)
	if w.Load.IsZero() {
		err = errors.Join(err, units.Field("load", w.Load, "no load", "more than 0, such as 40%"))
	}
	return err
}

// checkWindow refuses arrivals that would be later than any run lasts.
func checkWindow(start, duration units.Time) error {
	switch {
	case start < 0 || start >= units.Never/2:
		return units.Field("start", start, "not a time at which a run can be", "0s or later")
	case duration <= 0 || duration >= units.Never/2:
		return units.Field("duration", duration, "not a length of time", "such as 5ms")
	}
	return nil
}

// checkPartners refuses senders that would have nobody to send to.
func checkPartners(from, to []int) error {
	if len(from) == 0 || len(to) == 0 {
		return nil // not found, which is an error already
	}
	for _, src := range from {
		if len(to) == 1 && to[0] == src {
			return &units.FieldError{Key: "to", Problem: "the only receiver is among the senders, and would send to itself",
				Want: "another receiver, or from without it"}
		}
	}
	return nil
}

// checkCount refuses more flows than memory holds, before they are made.
func (w *OpenLoop) checkCount(from []int, gap func(host int) float64) error {
	expected := 0.0
	for _, host := range from {
		expected += float64(w.Duration) / gap(host)
	}
	if expected > MaxFlows {
		return units.Field("duration", w.Duration, fmt.Sprintf("about %.0f flows are too many", expected), fmt.Sprintf("at most %d", MaxFlows))
	}
	return nil
}

// checkAny refuses a time so short that no flow came.
func (w *OpenLoop) checkAny(flows []Flow) error {
	if len(flows) == 0 {
		return units.Field("duration", w.Duration, "so short that no flow arrives", "longer, or a greater load")
	}
	return nil
}
