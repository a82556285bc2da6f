package hpccns3

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"slices"
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
		base := 16 // addresses of 8 digits without a prefix; ConWeave's simulator writes nodes
		if c.isConWeave() {
			base = 10
		}
		addresses, err := wholes(f[:2], base)
		if err != nil {
			return err
		}
		if base == 16 {
			addresses = []int64{int64(nodeOf(addresses[0])), int64(nodeOf(addresses[1]))}
		}
		n, err := wholes(f[2:7], 10)
		if err != nil {
			return err
		}
		all = append(all, finish{
			pair{int(addresses[0]), int(addresses[1])}, int(n[0]) - firstPort, n[2],
			units.Time(n[3]) * units.Nanosecond, units.Time(n[4]) * units.Nanosecond,
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
		if len(f) != 5 {
			return fmt.Errorf("%d fields, want 5: time, node, kind of node, interface, 1 for a pause", len(f))
		}
		n, err := wholes(f, 10)
		if err != nil {
			return err
		}
		all = append(all, pauseNote{units.Time(n[0]) * units.Nanosecond, int(n[1]), int(n[3]) - 1, n[4] == 1})
		return c.expectPort(n[1], n[3])
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
			if !slices.Contains(columns, "node") || !slices.Contains(columns, "port") {
				return errors.New("the first line names no columns node and port")
			}
			return nil
		}
		if len(f) != len(columns) {
			return fmt.Errorf("%d fields in %d columns", len(f), len(columns))
		}
		n, err := wholes(f, 10)
		if err != nil {
			return err
		}
		row := counters{values: map[string]int64{}}
		for i, name := range columns {
			row.values[name] = n[i]
		}
		row.node, row.port = int(row.values["node"]), int(row.values["port"])-1
		all = append(all, row)
		if err := c.expectPort(row.values["node"], row.values["port"]); err != nil {
			return err
		}
		if !c.topology.IsSwitch[row.node] {
			return fmt.Errorf("node %d is no switch", row.node)
		}
		return nil
	})
	return all, err
}

// most is the greatest number of nanoseconds that are a time here.
const most = math.MaxInt64 / int64(units.Nanosecond)

// wholes reads numbers that are not negative.
func wholes(fields []string, base int) ([]int64, error) {
	numbers := make([]int64, len(fields))
	for i, f := range fields {
		n, err := strconv.ParseUint(f, base, 63)
		switch {
		case errors.Is(err, strconv.ErrSyntax):
			return nil, fmt.Errorf("%q is not a whole number", f)
		case err != nil || int64(n) > most:
			return nil, fmt.Errorf("%q is too large", f)
		}
		numbers[i] = int64(n)
	}
	return numbers, nil
}

// expectPort wants a node to have an interface of that number; the first is 1.
func (c *Case) expectPort(node, port int64) error {
	if node >= int64(len(c.topology.IsSwitch)) {
		return fmt.Errorf("there is no node %d", node)
	}
	if port < 1 || port > int64(len(c.links[node])) {
		return fmt.Errorf("node %d has %d interfaces, and no number %d among them", node, len(c.links[node]), port)
	}
	return nil
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
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return nil
}
