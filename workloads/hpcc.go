package workloads

import (
	"fmt"
	"path/filepath"

	"github.com/rdmasim/rdmasim/fabric/topology/hostlist"
	"github.com/rdmasim/rdmasim/fabric/topology/hpccfile"
	"github.com/rdmasim/rdmasim/sim/units"
)

// HPCCFile is flows in the flow.txt format of the HPCC simulator; see package hpccfile. Its node 7 is the host named
// h7, as in the topology read from a file of the same origin; its pg becomes the priority. Each flow is one message
// on a queue pair of its own.
type HPCCFile struct {
	File   string `key:"file" required:"true" doc:"path, relative to the scenario file; unpacked if it ends in .gz"`
	Travel `key:",inline"`

	base string
}

// SetBase sets the directory that a relative path starts from.
func (w *HPCCFile) SetBase(dir string) { w.base = dir }

// Flows reads the file and returns the flows in the order of its lines. What is wrong in the file comes with its line.
func (w *HPCCFile) Flows(env Env) ([]Flow, error) {
	path := w.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.base, path)
	}
	flows, err := readHPCC(path, newDirectory(env))
	if err != nil {
		return nil, &units.FieldError{Key: "file", Problem: err.Error()}
	}
	return flows, nil
}

func readHPCC(path string, hosts *directory) ([]Flow, error) {
	file, err := hpccfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := hpccfile.ReadFlows(path, file)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: a file of no flows", path)
	}
	flows := make([]Flow, len(lines))
	for i, line := range lines {
		flows[i] = Flow{Size: line.Size, Messages: 1, Start: line.Start, QP: OwnQP, DestinationPort: line.Port, Priority: line.Priority}
		if flows[i].Src, err = hosts.number(line.Src); err == nil {
			flows[i].Dst, err = hosts.number(line.Dst)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line.Line, err)
		}
	}
	return flows, nil
}

// number returns the host that a file knows by its number.
func (d *directory) number(id int) (int, error) {
	name := fmt.Sprint("h", id)
	host, known := d.index[name]
	if !known {
		return 0, fmt.Errorf("there is no host %s; %s", name, hostlist.DidYouMean(name, d.names))
	}
	return host, nil
}
