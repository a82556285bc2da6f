package htsim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads/htsimfile"
)

// Case is one run of htsim: what went in and what came out.
type Case struct {
	Name  string
	Hosts int
	Flows []Flow
	Model Model
	// Pauses are what switches asked for, in the order in which they did.
	Pauses []Pause
	// Links are the packets and bytes over each directed link that carried any.
	Links []Link
	// Inputs are the most bytes held of each ingress link.
	Inputs []Input
}

// Flow is one connection, with what became of it.
type Flow struct {
	ID, Src, Dst int
	Size         units.Bytes
	Start        units.Time
	// Finish is when the last acknowledgement reached the sender.
	Finish units.Time
	// Data and Control are the names of the links of its packets and of its acknowledgements.
	Data, Control []string
}

// Model is the parameters of the run.
type Model struct {
	Program string // that was run: "htsim_roce" or "htsim_hpcc"
	MTU     int    // payload of a packet, bytes
	// An ingress link is paused when more than High bytes of it are held, and resumed when fewer than Low are.
	High, Low units.Bytes
}

// Pause is a pause that began or ended.
type Pause struct {
	At    units.Time
	XOFF  bool
	Link  string // the ingress link
	Bytes units.Bytes
}

// Link is what went over a directed link.
type Link struct {
	Name                 string
	Packets, Data, Bytes uint64
}

// Input is the most that was held of an ingress link.
type Input struct {
	Link string
	Peak units.Bytes
}

// Read reads the folder of a case. An error names the file and the line.
func Read(dir string) (*Case, error) {
	c := &Case{Name: filepath.Base(dir)}
	flows := map[string]int{} // index by "src_dst"
	err := errors.Join(
		c.readModel(dir),
		c.readTraffic(dir, flows),
		eachLine(dir, "fct.csv", c.finish),
		eachLine(dir, "paths.tsv", c.way(flows)),
		eachLine(dir, "queues.tsv", c.input),
	)
	for _, optional := range [...]struct {
		name string
		take func(line string) error
	}{{"pause.tsv", c.pause}, {"links.tsv", c.link}} {
		if err == nil && exists(dir, optional.name) {
			err = eachLine(dir, optional.name, optional.take)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, f := range c.Flows {
		if f.Finish == 0 || len(f.Data) < 2 || len(f.Control) < 2 {
			return nil, fmt.Errorf("%s: connection %d has no finish or no path", dir, f.ID)
		}
	}
	return c, nil
}

// readModel takes the parameters from the command that was run.
func (c *Case) readModel(dir string) error {
	path := filepath.Join(dir, "model.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		c.Model.Program = words[0]
		var low, high int
		for i, word := range words {
			switch rest := words[i+1:]; {
			case word == "-mtu" && len(rest) > 0:
				c.Model.MTU, err = strconv.Atoi(rest[0])
			case word == "-nodes" && len(rest) > 0:
				c.Hosts, err = strconv.Atoi(rest[0])
			case word == "-pfc_thresholds" && len(rest) > 1:
				_, err = fmt.Sscan(rest[0]+" "+rest[1], &low, &high)
			}
			if err != nil {
				return fmt.Errorf("%s: %s: %w", path, word, err)
			}
		}
		c.Model.Low, c.Model.High = units.Bytes(low*c.Model.MTU), units.Bytes(high*c.Model.MTU)
	}
	if c.Model.MTU < 1 || c.Model.High < 1 || c.Hosts < 2 {
		return fmt.Errorf("%s: no command with -mtu, -pfc_thresholds and -nodes", path)
	}
	return nil
}

// readTraffic reads the connections, which have an id and start at a time in the runs that are compared.
func (c *Case) readTraffic(dir string, flows map[string]int) error {
	text, err := open(dir, "traffic.cm")
	if err != nil {
		return err
	}
	defer text.Close()
	path := filepath.Join(dir, "traffic.cm")
	matrix, err := htsimfile.Read(path, text)
	if err != nil {
		return err
	}
	if len(matrix.Failures) > 0 {
		return fmt.Errorf("%s:%d: a case of a network with dead cables cannot be compared", path, matrix.Failures[0].Line)
	}
	for _, m := range matrix.Connections {
		if m.Trigger > 0 || m.ID == 0 {
			return fmt.Errorf("%s:%d: a connection of a case that can be compared has an id, and starts at a time", path, m.Line)
		}
		flows[fmt.Sprintf("%d_%d", m.Src, m.Dst)] = len(c.Flows)
		c.Flows = append(c.Flows, Flow{ID: m.ID, Src: m.Src, Dst: m.Dst, Size: m.Size, Start: m.Start})
	}
	return nil
}

// finish reads lines of id,src,dst,size_bytes,start_ps,finish_us.
func (c *Case) finish(line string) error {
	cells := strings.Split(line, ",")
	if cells[0] == "id" {
		return nil
	}
	if len(cells) != 6 {
		return fmt.Errorf("%d cells, want 6", len(cells))
	}
	id, err := strconv.Atoi(cells[0])
	if err != nil || id < 1 || id > len(c.Flows) || c.Flows[id-1].ID != id {
		return fmt.Errorf("no connection %s", cells[0])
	}
	f := &c.Flows[id-1]
	if want := fmt.Sprintf("%d,%d,%d,%d,%d", id, f.Src, f.Dst, int64(f.Size), int64(f.Start)); strings.Join(cells[:5], ",") != want {
		return fmt.Errorf("%s is in traffic.cm %s", strings.Join(cells[:5], ","), want)
	}
	if f.Finish != 0 {
		return fmt.Errorf("connection %d finishes a second time", id)
	}
	f.Finish, err = units.ParseTime(cells[5] + "us")
	return err
}

// way reads lines of PATH, a name such as Roce_0_13, data or ctrl, and the links.
func (c *Case) way(flows map[string]int) func(line string) error {
	return func(line string) error {
		cells := strings.Split(line, "\t")
		if len(cells) != 4 {
			return fmt.Errorf("%d cells, want 4", len(cells))
		}
		_, ends, _ := strings.Cut(cells[1], "_")
		i, known := flows[ends]
		if !known {
			return fmt.Errorf("no connection %s", cells[1])
		}
		links := strings.Fields(cells[3])
		if cells[2] == "data" {
			c.Flows[i].Data = links
		} else {
			c.Flows[i].Control = links
		}
		return nil
	}
}

// pause reads lines of time in picoseconds, XOFF or XON, the ingress link and the bytes held of it.
func (c *Case) pause(line string) error {
	cells := strings.Split(line, "\t")
	if len(cells) != 4 {
		return fmt.Errorf("%d cells, want 4", len(cells))
	}
	if cells[1] != "XOFF" && cells[1] != "XON" {
		return fmt.Errorf("%q is neither XOFF nor XON", cells[1])
	}
	at, err1 := strconv.ParseInt(cells[0], 10, 64)
	held, err2 := strconv.ParseInt(cells[3], 10, 64)
	c.Pauses = append(c.Pauses, Pause{units.Time(at), cells[1] == "XOFF", ingress(cells[2]), units.Bytes(held)})
	return errors.Join(err1, err2)
}

// ingress is the link of an ingress queue's name.
func ingress(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "VirtualQueue("), ")")
}

// input reads lines of INQ, an ingress queue and maxbytes=; those of egress queues, OUTQ, are left out.
func (c *Case) input(line string) error {
	cells := strings.Split(line, "\t")
	if cells[0] != "INQ" {
		return nil
	}
	if len(cells) < 3 {
		return fmt.Errorf("%d cells, want 3 or more", len(cells))
	}
	peak, err := strconv.ParseInt(strings.TrimPrefix(cells[2], "maxbytes="), 10, 64)
	c.Inputs = append(c.Inputs, Input{ingress(cells[1]), units.Bytes(peak)})
	return err
}

// link reads lines of LINK, its name, pkts=, data= and bytes=.
func (c *Case) link(line string) error {
	cells := strings.Split(line, "\t")
	if len(cells) != 5 {
		return fmt.Errorf("%d cells, want 5", len(cells))
	}
	l := Link{Name: cells[1]}
	_, err := fmt.Sscanf(strings.Join(cells[2:], " "), "pkts=%d data=%d bytes=%d", &l.Packets, &l.Data, &l.Bytes)
	c.Links = append(c.Links, l)
	return err
}
