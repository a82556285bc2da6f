package htsimfile

import (
	"fmt"
)

// fail is an error about a line.
func (f *File) fail(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", f.name, line, fmt.Sprintf(format, args...))
}

// check looks at what no line says alone: ids and what refers to them, and whether all connections start.
func (f *File) check() error {
	lines := map[int]int{} // of connections, by id
	for i := range f.Connections {
		c := &f.Connections[i]
		if c.ID == 0 {
			continue
		}
		if first, is := lines[c.ID]; is {
			return f.fail(c.Line, "id %d a second time; it is that of the connection of line %d", c.ID, first)
		}
		lines[c.ID] = c.Line
	}
	w, err := f.wire()
	if err != nil {
		return err
	}
	for t := range f.Triggers {
		if err := f.checkTrigger(&f.Triggers[t], len(w.starts[t]), w.sources[t]); err != nil {
			return err
		}
	}
	return f.checkStarts(w)
}

// wiring is who starts whom, by index.
type wiring struct {
	byID    map[int]int // triggers
	starts  [][]int     // connections that each trigger starts, in the order of the file
	sources []int       // how often each trigger is set off
}

// wire finds the triggers that connections name.
func (f *File) wire() (*wiring, error) {
	w := &wiring{byID: map[int]int{}, starts: make([][]int, len(f.Triggers)), sources: make([]int, len(f.Triggers))}
	for t, trigger := range f.Triggers {
		if first, is := w.byID[trigger.ID]; is {
			return nil, f.fail(trigger.Line, "trigger %d a second time; it stands in line %d", trigger.ID, f.Triggers[first].Line)
		}
		w.byID[trigger.ID] = t
	}
	for i := range f.Connections {
		c := &f.Connections[i]
		for _, id := range [...]int{c.Trigger, c.SentTrigger, c.ReceivedTrigger} {
			if _, is := w.byID[id]; id > 0 && !is {
				return nil, f.fail(c.Line, "there is no trigger %d", id)
			}
		}
		if c.Trigger > 0 {
			t := w.byID[c.Trigger]
			w.starts[t] = append(w.starts[t], i)
		}
		for _, id := range c.sets() {
			w.sources[w.byID[id]]++
		}
	}
	return w, nil
}

// sets returns the triggers that c sets off: one, two or none.
func (c *Connection) sets() []int {
	both := [...]int{c.SentTrigger, c.ReceivedTrigger}
	switch {
	case both[0] > 0 && both[1] > 0:
		return both[:]
	case both[0] > 0:
		return both[:1]
	case both[1] > 0:
		return both[1:]
	}
	return nil
}

// checkTrigger compares how often a trigger is set off with what it is for.
func (f *File) checkTrigger(t *Trigger, starts, sources int) error {
	switch {
	case starts == 0:
		return f.fail(t.Line, "trigger %d starts no connection", t.ID)
	case sources == 0:
		return f.fail(t.Line, "nothing sets off trigger %d: no connection names it as send_done_trigger or recv_done_trigger", t.ID)
	case t.Kind == OneShot && sources > 1:
		return f.fail(t.Line, "trigger %d is oneshot and %d ends of connections set it off; a barrier waits for all of them", t.ID, sources)
	case t.Kind == Barrier && sources != t.Count:
		return f.fail(t.Line, "barrier %d waits for %d ends of connections and %d set it off", t.ID, t.Count, sources)
	case t.Kind == MultiShot && sources < starts:
		return f.fail(t.Line, "trigger %d is multishot, has %d connections to start and is set off %d times: each time starts one", t.ID, starts, sources)
	}
	return nil
}

// checkStarts goes through the file as time would: connections that have started end and set off triggers.
func (f *File) checkStarts(w *wiring) error {
	started := make([]bool, len(f.Connections))
	fired := make([]int, len(f.Triggers))
	var ending []int
	start := func(i int) { started[i], ending = true, append(ending, i) }
	for i := range f.Connections {
		if f.Connections[i].Trigger == 0 {
			start(i)
		}
	}
	for len(ending) > 0 {
		c := &f.Connections[ending[len(ending)-1]]
		ending = ending[:len(ending)-1]
		for _, id := range c.sets() {
			t := w.byID[id]
			fired[t]++
			from, to := f.Triggers[t].opens(fired[t], len(w.starts[t]))
			for _, next := range w.starts[t][from:to] {
				start(next)
			}
		}
	}
	for i := range f.Connections {
		if c := &f.Connections[i]; !started[i] {
			t := w.byID[c.Trigger]
			return f.fail(c.Line, "the connection never starts: it waits for trigger %d, which is set off %d times of %d, as some of the connections that set it off wait for this one",
				c.Trigger, fired[t], w.sources[t])
		}
	}
	return nil
}

// opens returns which of its connections a trigger starts when it is set off for the k-th time.
func (t *Trigger) opens(k, starts int) (from, to int) {
	switch t.Kind {
	case OneShot:
		if k == 1 {
			return 0, starts
		}
	case Barrier:
		if k == t.Count {
			return 0, starts
		}
	case MultiShot:
		if k <= starts {
			return k - 1, k
		}
	}
	return 0, 0
}

// Dead is an error about a failure, which tells the fault of rdmasim that it is on a k-ary fat-tree.
func (f *File) Dead(i int) error {
	dead := f.Failures[i]
	half := 0
	for k := 2; k*k*k/4 <= f.Nodes; k += 2 {
		if k*k*k/4 == f.Nodes {
			half = k / 2
		}
	}
	advice := "dead cables stand under faults:, as kind: link-down"
	if half > 0 {
		// htsim's core c is cabled to aggregation switch c mod k/2 of each pod; here those of one such switch stand together.
		pod, at := dead.Switch/half, dead.Switch%half
		link := ""
		switch dead.Tier {
		case "TOR":
			link = fmt.Sprintf("pod%d-tor%d-pod%d-agg%d", pod, at, pod, dead.Link)
		case "AGG":
			link = fmt.Sprintf("pod%d-agg%d-core%d", pod, at, at*half+dead.Link)
		default:
			link = fmt.Sprintf("pod%d-agg%d-core%d", dead.Link, at, at*half+pod)
		}
		advice += fmt.Sprintf("; on a fat-tree of %d hosts this one is {kind: link-down, links: [%s]}", f.Nodes, link)
	}
	return f.fail(dead.Line, "cable %d of switch %s %d is dead: %s, with failures: elsewhere here", dead.Link, dead.Tier, dead.Switch, advice)
}
