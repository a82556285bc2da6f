package explain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Run is what the files of a run tell about it. Make one with [Load].
type Run struct {
	dir     string
	summary summary
	flows   []flow
	causes  []bound // the columns of what bounds a flow, in their order
	chains  []chain
}

// summary is what is taken from summary.json.
type summary struct {
	Scenario      string          `json:"scenario"`
	Outcome       results.Outcome `json:"outcome"`
	Reasons       []string        `json:"reasons"`
	Seed          uint64          `json:"seed"`
	Digest        string          `json:"digest"`
	SimulatedTime float64         `json:"simulated_time_us"`
	Flows         results.Flows   `json:"flows"`

	Programs *results.Programs `json:"programs"`
	Why      []string          `json:"why"`
	Warnings []string          `json:"warnings"`
	Notes    []string          `json:"notes"`

	Variants     []results.Variant     `json:"variants"`
	Sweeps       []results.Sweep       `json:"sweeps"`
	Expectations []results.Expectation `json:"expectations"`
}

// flow is a row of flows.csv.
type flow struct {
	number        int64
	src, dst      string
	qpn           int64
	path          []string // nodes
	ports         []string // by which its packets leave nodes
	ways          []string // among how many each port was chosen
	start, sent   units.Time
	lastByte      units.Time
	end, fct      units.Time
	slowdown      float64
	status, waits string
	bounds        []units.Time // by cause
	boundBy       string
	pausedBy      string
	victim        string
	victimAt      string
	held          units.Time
}

// name is how sentences call a flow.
func (f *flow) name() string { return fmt.Sprintf("flow %d from %s to %s", f.number, f.src, f.dst) }

// qp names the queue pair of a flow.
func (f *flow) qp() string { return fmt.Sprintf("%s QP %d to %s", f.src, f.qpn, f.dst) }

// ended is when the flow ended, or the end of the run.
func (r *Run) ended(f *flow) units.Time {
	if f.end != units.Never {
		return f.end
	}
	return units.Time(r.summary.SimulatedTime * float64(units.Microsecond))
}

// chain is a row of pause_causes.csv.
type chain struct {
	ports      []string // the paused one first, the root last
	priority   int64
	root, peer string
	kind       string
	pauses     int64
	asked      units.Time
}

// Load reads the directory of a run. The error says what is missing, and where.
func Load(dir string) (*Run, error) {
	if _, err := os.Stat(filepath.Join(dir, results.ManifestName)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no %s in it: give the directory that a run has left, such as out/incast", results.ManifestName)
		}
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	r := &Run{dir: dir}
	text, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &r.summary); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "summary.json"), err)
	}
	if err := r.loadFlows(); err != nil {
		return nil, err
	}
	return r, r.loadChains()
}

func (r *Run) loadFlows() error {
	t, err := readTable(r.dir, "flows.csv", "flow", "src", "dst", "qpn", "path", "path_ports", "path_ways", "start_us", "last_byte_us",
		"last_ack_us", "fct_us", "slowdown", "status", "waits_for", "last_sent_us", "bound_by", "paused_by", "victim_of", "victim_at", "victim_us")
	if err != nil {
		return err
	}
	r.causes = boundsIn(t)
	for _, cells := range t.rows {
		at := row{t, cells, &err}
		f := flow{
			number: at.count("flow"), src: at.text("src"), dst: at.text("dst"), qpn: at.count("qpn"),
			path: steps(at.text("path")), ports: steps(at.text("path_ports")), ways: steps(at.text("path_ways")),
			start: at.time("start_us"), sent: at.time("last_sent_us"), lastByte: at.time("last_byte_us"), end: at.time("last_ack_us"),
			fct: at.time("fct_us"), slowdown: at.number("slowdown"), status: at.text("status"), waits: at.text("waits_for"),
			boundBy: at.text("bound_by"), pausedBy: at.text("paused_by"),
			victim: at.text("victim_of"), victimAt: at.text("victim_at"), held: at.time("victim_us"),
		}
		for _, c := range r.causes {
			f.bounds = append(f.bounds, at.time(c.column))
		}
		if len(f.ways) != len(f.ports) || len(f.ports) != max(0, len(f.path)-1) {
			at.refuse("path_ports", fmt.Errorf("%q does not fit the path %q", at.text("path_ports"), at.text("path")))
		}
		r.flows = append(r.flows, f)
	}
	return err
}

// steps are the parts of a path; there are none of an empty one.
func steps(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ">")
}

func (r *Run) loadChains() error {
	t, err := readTable(r.dir, "pause_causes.csv", "chain", "priority", "root_port", "root_peer", "root", "pauses", "asked_us")
	if err != nil {
		return err
	}
	for _, cells := range t.rows {
		at := row{t, cells, &err}
		if at.text("chain") == "" {
			at.refuse("chain", errors.New("it is empty"))
			continue
		}
		r.chains = append(r.chains, chain{
			ports: steps(at.text("chain")), priority: at.count("priority"), root: at.text("root_port"), peer: at.text("root_peer"),
			kind: at.text("root"), pauses: at.count("pauses"), asked: at.time("asked_us"),
		})
	}
	return err
}
