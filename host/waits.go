package host

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Wait is what an unfinished flow waits for, or how a failed one ended.
type Wait struct {
	Flow   int
	Left   units.Bytes // payload not yet acknowledged
	Failed bool        // its queue pair gave up: it waits for nothing any more
	Cause  string
}

// Waits tells of every flow that has not ended well what it has left and what
// it waits for, in the order of the flows.
func (c *Cluster) Waits(now units.Time) []Wait {
	var ws []Wait
	for flow, f := range c.Flows {
		t := c.Transfer(flow)
		if t.Done() && t.Status == rnic.Success {
			continue
		}
		conn := c.Conns[flow]
		var left units.Bytes
		if conn.stream != nil {
			left = conn.stream.left(flow)
		} else {
			left = min(conn.From.Left(conn.FromQP), f.Payload())
		}
		if t.Open < 0 {
			left = f.Size * units.Bytes(f.Messages)
		}
		ws = append(ws, Wait{Flow: flow, Left: left, Failed: t.Done(), Cause: c.cause(flow, now)})
	}
	return ws
}

// cause follows a flow from its sender to whatever holds it.
func (c *Cluster) cause(flow int, now units.Time) string {
	f, t, conn := c.Flows[flow], c.Transfer(flow), c.Conns[flow]
	held := c.heldOnTheWay(flow, f.Data.Priority, now)
	if broken := c.brokenOnTheWay(flow, now); broken != "" {
		held = broken
	}
	switch {
	case t.Done():
		why := fmt.Sprintf("its queue pair gave up with %v", t.Status)
		if conn.stream != nil {
			why = fmt.Sprintf("its connection failed: %v", conn.stream.from.err)
		}
		if held != "" {
			why += "; " + held
		}
		return why
	case t.Open < 0:
		return fmt.Sprintf("its start at %v", f.Start)
	case held != "":
		return held
	case conn.stream != nil:
		return conn.stream.cause(flow)
	}
	return conn.From.Cause(&conn.From.QueuePairs()[conn.FromQP])
}

// heldOnTheWay names the first port on a flow's path, from the sender on, at
// which its priority is paused while packets wait there.
func (c *Cluster) heldOnTheWay(flow, priority int, now units.Time) string {
	path := c.wayAt(flow, now)
	for i, step := range path[:max(0, len(path)-1)] {
		port := &c.Net.Ports(step.Node)[step.Port]
		if port.Paused(now)&(1<<priority) == 0 {
			continue
		}
		if s := c.Net.Switch(step.Node); s != nil {
			if s.Queue(step.Port, priority).Bytes == 0 {
				continue
			}
		}
		if port.OnCredits() {
			return c.uncredited(flow, path[i+1].Node, step, priority)
		}
		until := "without expiry"
		if end := port.PausedUntil(priority); end != units.Never {
			until = "until " + end.String() + " unless repeated"
		}
		return fmt.Sprintf("priority %d, paused at %s by %s since %v, %s%s", priority,
			c.Net.Graph.PortName(step.Node, step.Port), c.Net.Graph.Nodes[path[i+1].Node].Name,
			port.PausedSince(priority), until, c.pauser(flow, path[i+1].Node, priority))
	}
	return ""
}

// uncredited tells of a lane without credits at a port on a flow's way, and why: of what the
// node at the other end holds of it.
func (c *Cluster) uncredited(flow, node int, step topology.Step, priority int) string {
	net := c.Net
	at := net.Graph.Ports(step.Node)[step.Port]
	port := &net.Ports(step.Node)[step.Port]
	here, _ := port.Lane(priority)
	there, _ := net.Ports(at.Peer)[at.PeerPort].Lane(priority)
	return fmt.Sprintf("VL %d has no credits at %s since %v: its packet needs %d blocks of 64 bytes, %d may be sent; %s holds %d of %d blocks%s",
		priority, net.Graph.PortName(step.Node, step.Port), port.PausedSince(priority), here.Needs, here.Left,
		net.Graph.Nodes[node].Name, there.Held, there.Size, c.pauser(flow, node, priority))
}

// pauser says why the receiver of a flow pauses its peer, if it is the one that does.
func (c *Cluster) pauser(flow, node, priority int) string {
	to := c.Conns[flow].To
	switch {
	case c.Hosts[c.Flows[flow].Dst].node != node:
		return ""
	case to.Storming(priority):
		return "; its NIC is broken and pauses without cause"
	case to.Draining():
		return "; its NIC's receive buffer is full"
	}
	return ""
}

// ThreadWait is what the program of an unfinished thread waits for, or how a failed one
// ended.
type ThreadWait struct {
	Thread *Thread
	Host   string
	Failed bool
	Cause  string
}

// ThreadWaits tells of every thread whose program has not ended well, in the order in
// which they were added.
func (c *Cluster) ThreadWaits(now units.Time) []ThreadWait {
	var ws []ThreadWait
	for _, t := range c.Threads {
		w := ThreadWait{Thread: t, Host: c.Net.Graph.Nodes[t.host.node].Name}
		switch err := t.program.Failed(); {
		case err != nil:
			w.Failed, w.Cause = true, err.Error()
		case t.done:
			continue
		case t.opt.Start > now:
			w.Cause = "waits for its start at " + t.opt.Start.String()
		case t.host.absence.until == units.Never:
			w.Cause = "is on a host that is paused for good"
		default:
			w.Cause = t.program.Waits()
		}
		ws = append(ws, w)
	}
	return ws
}
