package workloads

import (
	"fmt"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/fabric/topology/hpccfile"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads/htsimfile"
)

// HtsimFile is the connections of a connection matrix (.cm) of htsim; see package htsimfile. Its host 7 is the eighth
// of the network.
//
// Each connection is a flow, one message on a queue pair of its own. If the file has triggers, so that connections wait for others, the hosts are
// the ranks of a job in place of that, and connections are messages that they send each other.
type HtsimFile struct {
	File      string      `key:"file" required:"true" doc:"path, relative to the scenario file; unpacked if it ends in .gz"`
	Size      units.Bytes `key:"size" default:"0B" min:"0B" max:"1TiB" doc:"bytes of connections whose size is 0 in the file, which have no end in htsim; 0B: they are refused"`
	Failures  string      `key:"failures" default:"refuse" oneof:"refuse|elsewhere" doc:"what becomes of dead cables in the file: refuse: an error that says which fault of kind link-down each of them is; elsewhere: they stand under faults:, and those of the file are passed over"`
	Messaging `key:",inline"`
	Travel    `key:",inline"`

	base string
}

// SetBase sets the directory that a relative path starts from.
func (w *HtsimFile) SetBase(dir string) { w.base = dir }

// read reads the file and holds it against the network. What is wrong in the file comes with its line.
func (w *HtsimFile) read(hosts int) (matrix *htsimfile.File, err error) {
	path := relativeTo(w.base, w.File)
	file, err := hpccfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer closed(file, &err)
	matrix, err = htsimfile.ReadSized(path, file, w.Size)
	switch {
	case err != nil:
		return nil, err
	case matrix.Nodes > hosts:
		return nil, fmt.Errorf("%s: connections of %d nodes, and the network has %d hosts", path, matrix.Nodes, hosts)
	case len(matrix.Connections) == 0:
		return nil, fmt.Errorf("%s: a file of no connections", path)
	case len(matrix.Failures) > 0 && w.Failures != "elsewhere":
		return nil, matrix.Dead(0)
	}
	for _, c := range matrix.Connections {
		switch {
		case c.Size > mostMessage && len(matrix.Triggers) > 0:
			return nil, fmt.Errorf("%s:%d: size %d; in a file with triggers a connection is a message, of at most %d bytes", path, c.Line, c.Size, mostMessage)
		case c.Priority > 7:
			return nil, fmt.Errorf("%s:%d: prio %d is no class of data; they are 0 to 7", path, c.Line, c.Priority)
		case c.Priority != matrix.Connections[0].Priority && len(matrix.Triggers) > 0:
			return nil, fmt.Errorf("%s:%d: in a file with triggers all connections have the same prio, or none", path, c.Line)
		}
	}
	return matrix, nil
}

// class is that of a connection's data.
func class(c *htsimfile.Connection) int {
	if c.Priority == htsimfile.NoPriority {
		return HostPriority
	}
	return c.Priority
}

// Flows returns the connections in the order of their lines, unless some wait for triggers.
func (w *HtsimFile) Flows(env Env) ([]Flow, error) {
	matrix, err := w.read(len(env.Hosts))
	if err != nil {
		return nil, &units.FieldError{Key: "file", Problem: err.Error()}
	}
	if len(matrix.Triggers) > 0 {
		return nil, nil
	}
	flows := make([]Flow, len(matrix.Connections))
	for i := range matrix.Connections {
		c := &matrix.Connections[i]
		flows[i] = Flow{Src: c.Src, Dst: c.Dst, Size: c.Size, Messages: 1, Start: c.Start, QP: OwnQP, Priority: class(c)}
	}
	return flows, nil
}

// Programs returns the job of a file with triggers.
func (w *HtsimFile) Programs(env Env) ([]Program, error) {
	matrix, err := w.read(len(env.Hosts))
	if err != nil || len(matrix.Triggers) == 0 {
		return nil, nil // what is wrong, Flows tells
	}
	return jobOf(&triggered{w, matrix}, "htsim-file", env)
}

// triggered is a file with triggers.
type triggered struct {
	*HtsimFile
	matrix *htsimfile.File
}

// ranks implements [Jobber]: a host each.
func (w *triggered) ranks(Env) (*RankJob, error) {
	job := &RankJob{
		PerHost: 1, Channels: 1, Proxies: 1, QPs: 1, Algorithms: map[collective.Kind]*collective.Algorithm{}, Chunk: units.MiB, Window: w.Credits,
		Local: units.Gbps, Eager: w.Eager, Credits: w.Credits, CopyRate: w.CopyRate, Overhead: w.Overhead, Priority: class(&w.matrix.Connections[0]),
	}
	for host := range w.matrix.Nodes {
		job.Places = append(job.Places, Place{Host: host})
	}
	return job, nil
}

// schedule implements [Jobber].
func (w *triggered) schedule(_ Env, job *RankJob) (*schedule.Job, error) {
	out, words, err := w.matrix.Job()
	if err != nil {
		return nil, &units.FieldError{Key: "file", Problem: err.Error()}
	}
	job.Notes = append(job.Notes, fmt.Sprintf("%d connections and %d triggers; word of a trigger goes to other hosts in %d messages of %v, which htsim does without", len(w.matrix.Connections), len(w.matrix.Triggers), words, htsimfile.WordSize))
	return out, nil
}
