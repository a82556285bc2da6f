package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/rdmasim/rdmasim/bench/calibration"
)

// format is the version of the document that a report is written as.
const format = 1

// Report is what a plan has measured, as it is written and read.
type Report struct {
	Format      int          `json:"format" doc:"version of this document: 1"`
	Program     string       `json:"program" doc:"version of rdmasim, with its commit if known"`
	Go          string       `json:"go" doc:"version of Go it was built with"`
	System      string       `json:"system" doc:"operating system and architecture"`
	Processor   string       `json:"processor" doc:"model of the processor as the operating system calls it; empty if it does not"`
	Cores       int          `json:"cores" doc:"cores that the program may use"`
	Calibration Calibration  `json:"calibration" doc:"speed of the machine itself while this was measured"`
	Cases       []CaseReport `json:"cases" doc:"cases in the order of the list"`
}

// Calibration is the speed of the machine.
type Calibration struct {
	Version int     `json:"version" doc:"version of the calibration: scores of different ones cannot be compared"`
	Score   float64 `json:"score" doc:"speed of the machine, median over all runs: 1 is the reference machine"`
	calibration.Speeds
}

// CaseReport is what was measured of a case.
type CaseReport struct {
	Name      string `json:"name" doc:"name of the case"`
	Hosts     int    `json:"hosts" doc:"hosts of the network"`
	Flow      string `json:"flow" doc:"payload of a flow, or the distribution of payloads"`
	MTU       int    `json:"mtu_bytes" doc:"payload of a full packet"`
	Hops      uint64 `json:"packet_hops" doc:"frames that crossed a link in a run, data and acknowledgements alike"`
	Events    uint64 `json:"events" doc:"events in a run"`
	Digest    string `json:"digest" doc:"fingerprint of all events, the same for any number of workers and on any machine"`
	Simulated int64  `json:"simulated_ps" doc:"simulated time at the end of a run"`
	Memory    Memory `json:"memory" doc:"what the network takes up"`
	Rows      []Row  `json:"rows" doc:"what runs took, by number of workers"`
}

// Memory is what a case takes up.
type Memory struct {
	Steady   float64 `json:"steady_bytes_per_hop" doc:"memory asked for per packet-hop in the second half of the simulated time"`
	Built    int64   `json:"built_bytes" doc:"heap in use when network and flows are built"`
	Graph    int64   `json:"graph_bytes" doc:"heap in use of these for the graph, the list of flows and the routes"`
	IdlePort float64 `json:"idle_port_bytes" doc:"heap in use for a port of a host or switch, its share of the switch included"`
	IdleHost float64 `json:"idle_host_bytes" doc:"heap in use for a host and its NIC without queue pairs, its port left out"`
	Flow     float64 `json:"flow_bytes" doc:"heap in use for a flow with its queue pair at both ends"`
}

// Row is the runs of a case with one number of workers.
type Row struct {
	Workers    int     `json:"workers" doc:"workers asked for; 0 leaves it to the program"`
	Used       int     `json:"workers_used" doc:"workers there were"`
	Rate       Spread  `json:"hops_per_s" doc:"packet-hops a second on the clock"`
	CPURate    Spread  `json:"hops_per_cpu_s" doc:"packet-hops a second of processor time of all workers together; 0 if not known"`
	Normalised Spread  `json:"normalised_hops_per_cpu_s" doc:"packet-hops a second of processor time over the score of the machine before and after the run; of time on the clock times the workers where the former is not known"`
	SpeedUp    float64 `json:"speed_up" doc:"median of the times with one worker over those with so many, round by round; 0 if none ran with one"`
	Build      float64 `json:"build_s" doc:"time on the clock to build network and flows, median"`
	Peak       int64   `json:"peak_bytes" doc:"most memory (resident set) of the process that ran the case and nothing else, median; 0 if not known"`
	Runs       []Run   `json:"runs" doc:"the runs in their order"`
}

// Spread is the median and the extremes of what was measured several times.
type Spread struct {
	Median float64 `json:"median" doc:"the middle one, or the mean of the two in the middle"`
	Min    float64 `json:"min" doc:"the smallest"`
	Max    float64 `json:"max" doc:"the greatest"`
}

// Run is one run.
type Run struct {
	Wall  float64            `json:"wall_s" doc:"time on the clock, its network built"`
	CPU   float64            `json:"cpu_s" doc:"processor time of all workers together; 0 if not known"`
	Build float64            `json:"build_s" doc:"time on the clock to build network and flows"`
	Peak  int64              `json:"peak_bytes" doc:"most memory (resident set) of its process"`
	Score float64            `json:"score" doc:"speed of the machine before and after it"`
	Speed calibration.Speeds `json:"speed" doc:"what the score was made of"`
}

// newSpread finds the median and the extremes of some values; of none, zeros.
func newSpread(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	s := slices.Sorted(slices.Values(values))
	middle := (s[(len(s)-1)/2] + s[len(s)/2]) / 2
	return Spread{Median: middle, Min: s[0], Max: s[len(s)-1]}
}

// WriteJSON writes the report.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Load reads a report that WriteJSON has written.
func Load(file string) (*Report, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(Report)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: not a report of rdmasim bench: %w", file, err)
	}
	if r.Format != format {
		return nil, fmt.Errorf("%s: a report of format %d; this program reads format %d", file, r.Format, format)
	}
	return r, nil
}

// find is what was measured of a case; nil if nothing was.
func (r *Report) find(name string) *CaseReport {
	for i := range r.Cases {
		if r.Cases[i].Name == name {
			return &r.Cases[i]
		}
	}
	return nil
}

// row is the row with that number of workers; nil if there is none, or no case.
func (c *CaseReport) row(workers int) *Row {
	if c == nil {
		return nil
	}
	for i := range c.Rows {
		if c.Rows[i].Workers == workers {
			return &c.Rows[i]
		}
	}
	return nil
}
