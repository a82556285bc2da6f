package hpccns3

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/fabric/topology/hpccfile"
	"github.com/rdmasim/rdmasim/sim/units"
)

// pair is two hosts, by the numbers of their nodes.
type pair struct{ src, dst int }

// finish is a line of fct.txt: a flow that completed.
type finish struct {
	pair
	nth         int // of the flows between the two, in the order of flow.txt
	size        int64
	start, took units.Time
}

// firstPort is the source port of the first flow between two hosts.
const firstPort = 10000

// finishes reads fct.txt.
func (c *Case) finishes() ([]finish, error) {
	var all []finish
	err := c.lines("fct.txt", func(f []string) error {
		if len(f) < 7 {
			return fmt.Errorf("%d fields, want 8: addresses, ports, bytes, start, time taken, time alone", len(f))
		}
		var n [7]int64
		for i := range n {
			base := 10
			if i < 2 {
				base = 16 // addresses, of 8 digits without a prefix
			}
			v, err := strconv.ParseInt(f[i], base, 64)
			if err != nil {
				return err
			}
			n[i] = v
		}
		all = append(all, finish{
			pair{nodeOf(n[0]), nodeOf(n[1])}, int(n[2]) - firstPort, n[4],
			units.Time(n[5]) * units.Nanosecond, units.Time(n[6]) * units.Nanosecond,
		})
		return nil
	})
	return all, err
}

// nodeOf is the node that has an address.
func nodeOf(address int64) int { return int(address >> 8 & 0xffff) }

// pauseNote is a line of pfc.txt: a pause frame that has come to a node.
type pauseNote struct {
	at    units.Time
	node  int
	port  int // from 0
	pause bool
}

// pauses reads pfc.txt.
func (c *Case) pauses() ([]pauseNote, error) {
	var all []pauseNote
	err := c.lines("pfc.txt", func(f []string) error {
		var n [5]int64
		if len(f) != len(n) {
			return fmt.Errorf("%d fields, want 5: time, node, kind of node, interface, 1 for a pause", len(f))
		}
		for i := range n {
			v, err := strconv.ParseInt(f[i], 10, 64)
			if err != nil {
				return err
			}
			n[i] = v
		}
		all = append(all, pauseNote{units.Time(n[0]) * units.Nanosecond, int(n[1]), int(n[3]) - 1, n[4] == 1})
		return nil
	})
	return all, err
}

// counters is a line of ports.txt: what a port of a switch has counted, by column.
type counters struct {
	node, port int // the port from 0
	values     map[string]int64
}

// ports reads ports.txt, whose first line names the columns.
func (c *Case) ports() ([]counters, error) {
	var all []counters
	var columns []string
	err := c.lines("ports.txt", func(f []string) error {
		if columns == nil {
			columns = f[1:]
			return nil
		}
		row := counters{values: map[string]int64{}}
		for i := range min(len(f), len(columns)) {
			v, err := strconv.ParseInt(f[i], 10, 64)
			if err != nil {
				return err
			}
			row.values[columns[i]] = v
		}
		row.node, row.port = int(row.values["node"]), int(row.values["port"])-1
		all = append(all, row)
		return nil
	})
	return all, err
}

// lines goes through the lines of a file of the folder that are not blank.
func (c *Case) lines(name string, each func(fields []string) error) error {
	at := c.path(name)
	from, err := hpccfile.Open(at)
	if err != nil {
		return err
	}
	defer from.Close()
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		if f := strings.Fields(lines.Text()); len(f) > 0 {
			if err := each(f); err != nil {
				return fmt.Errorf("%s:%d: %w", at, n, err)
			}
		}
	}
	return lines.Err()
}
