package workloads

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
)

func TestIncastSendersAreTheHostsThatFollowTheReceiver(t *testing.T) {
	for _, c := range []struct {
		name   string
		incast Incast
		want   string
	}{
		{"first of the others", Incast{To: "h0", FanIn: 3}, "1>0 2>0 3>0"},
		{"around the end of the list", Incast{To: "h6", FanIn: 3}, "7>6 0>6 1>6"},
		{"all others", Incast{To: "h1"}, "2>1 3>1 4>1 5>1 6>1 7>1 0>1"},
		{"named, in the order named", Incast{To: "h0", From: []string{"h7", "h[2-3]"}}, "7>0 2>0 3>0"},
		{"the first so many of those named", Incast{To: "h0", From: []string{"h7", "h[2-3]"}, FanIn: 2}, "7>0 2>0"},
		{"the receiver does not send to itself", Incast{To: "h2", From: []string{"h[0-3]"}}, "0>2 1>2 3>2"},
		{"everyone", Incast{To: "h5", From: []string{"*"}, FanIn: 2}, "0>5 1>5"},
	} {
		c.incast.Transfer = once(units.MB)
		if got := ends(mustGenerate(t, &c.incast, hosts(8, 1))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestIncastJitterBelongsToTheSender(t *testing.T) {
	w := &Incast{To: "h0", Jitter: 10 * units.Microsecond, Transfer: once(units.MB)}
	w.Start = units.Millisecond
	few, many := mustGenerate(t, w, hosts(8, 1)), mustGenerate(t, w, hosts(64, 1))
	if diff := cmp.Diff(few, many[:7]); diff != "" {
		t.Errorf("more hosts changed the jitter of the first:\n%s", diff)
	}
	distinct := map[units.Time]bool{}
	for _, f := range many {
		if f.Start < w.Start || f.Start > w.Start+w.Jitter {
			t.Errorf("h%d starts at %v", f.Src, f.Start)
		}
		distinct[f.Start] = true
	}
	if len(distinct) != 63 {
		t.Errorf("63 senders start at %d different times", len(distinct))
	}
	if other := mustGenerate(t, w, hosts(8, 2)); other[0].Start == few[0].Start {
		t.Error("another seed changed nothing")
	}
}

func TestIncastErrors(t *testing.T) {
	transfer := once(units.MB)
	for _, c := range []struct {
		incast Incast
		hosts  int
		want   []string
	}{
		{Incast{To: "h0", FanIn: 16, Transfer: transfer}, 8, []string{`fan_in: "16": more than the 7 hosts that may send; at most 7`}},
		{Incast{To: "h0", FanIn: 3, From: []string{"h[1-2]"}, Transfer: transfer}, 8, []string{`fan_in: "3": more than the 2 hosts that may send; at most 2`}},
		{Incast{To: "h0", FanIn: -1, Transfer: transfer}, 8, []string{`fan_in: "-1": a negative number of senders; at least 1`}},
		{Incast{To: "h8", Transfer: transfer}, 8, []string{`to: "h8": no host of this name; one of h0, h1, h2 … h7`}},
		{Incast{To: "host7", Transfer: transfer}, 1, []string{`to: "host7": no host of this name; one of h0`}},
		{Incast{To: "h[0-1]", Transfer: transfer}, 8, []string{`to: "h[0-1]": stands for 2 hosts; exactly one`}},
		{Incast{To: "h[0", Transfer: transfer}, 8, []string{`to: "h[0": "h[0": [ without ]; a name, a pattern such as h[0-15], a place such as rack1/*, or * for all hosts`}},
		{Incast{To: "h0", From: []string{"h0"}, Transfer: transfer}, 8, []string{`to: "h0": there is no other host to send to it; at least one sender`}},
		{Incast{To: "h0", Transfer: transfer}, 1, []string{`to: "h0": there is no other host to send to it; at least one sender`}},
		{Incast{To: "h0", From: []string{"h1", "hh1", "h[0-1]"}, Transfer: transfer}, 8, []string{
			`from[1]: "hh1": no host of this name; did you mean "h1"?`,
			`from[2]: "h[0-1]": names h1 a second time; name every host once`,
		}},
		{Incast{To: "h0", Jitter: units.Never, Transfer: Transfer{Size: -1, Start: units.Never, Priority: 8}}, 8, []string{
			`jitter: "never": not a length of time; 0s or more`,
			`size: "-1": a message of negative size; 0B or more`,
			`messages: "0": no message; at least 1`,
			`qps: "0": no queue pair; at least 1`,
			`start: "never": not a time at which a run can be; 0s or later`,
			`priority: "8": no such class; 0 to 7, or -1 for the host's own`,
		}},
	} {
		_, err := c.incast.Flows(hosts(c.hosts, 1))
		wantError(t, err, c.want...)
	}
}
