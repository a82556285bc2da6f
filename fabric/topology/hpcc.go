package topology

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/rdmasim/rdmasim/fabric/topology/hpccfile"
	"github.com/rdmasim/rdmasim/sim/units"
)

// HPCCFile is a network in the topology.txt format of the HPCC simulator; see package hpccfile. Its node 7 is called h7
// or sw7; nodes keep the order of their numbers, links that of their lines.
type HPCCFile struct {
	File    string `key:"file" required:"true" doc:"path, relative to the scenario file; unpacked if it ends in .gz"`
	Routing `key:",inline"`

	base string
}

// SetBase sets the directory that a relative path starts from.
func (f *HPCCFile) SetBase(dir string) { f.base = dir }

// Build reads the file and returns the graph. What is wrong in the file comes with its line.
func (f *HPCCFile) Build() (*Graph, error) {
	path := f.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.base, path)
	}
	graph, err := readHPCC(path)
	if err != nil {
		return nil, &units.FieldError{Key: "file", Problem: err.Error()}
	}
	graph.Routing = f.Routes
	return graph, nil
}

func readHPCC(path string) (*Graph, error) {
	file, err := hpccfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	read, err := hpccfile.ReadTopology(path, file)
	if err != nil {
		return nil, err
	}
	net, err := layHPCC(path, read)
	if err != nil {
		return nil, err
	}
	graph, err := net.graph()
	if first := new(units.FieldError); errors.As(err, &first) {
		return nil, fmt.Errorf("%s: %w", path, first)
	}
	return graph, err
}

// layHPCC turns what a file says into nodes and links.
func layHPCC(path string, read *hpccfile.Topology) (*plan, error) {
	net := new(plan)
	for id, isSwitch := range read.IsSwitch {
		if isSwitch {
			net.add(Switch, fmt.Sprint("sw", id))
		} else {
			net.add(Host, fmt.Sprint("h", id))
		}
	}
	for _, line := range read.Links {
		link := Link{A: line.A, B: line.B, Rate: line.Rate, Delay: line.Delay}
		if problem, want := link.problem(); problem != "" {
			return nil, fmt.Errorf("%s:%d: %s; %s", path, line.Line, problem, want)
		}
		net.links = append(net.links, link)
	}
	return net, nil
}
