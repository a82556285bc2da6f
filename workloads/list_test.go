package workloads

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
)

func TestAListedFlowIsWhatItSays(t *testing.T) {
	w := &List{Entries: []Entry{{From: "h3", To: "h1", Transfer: Transfer{
		Size: 4 * units.KiB, Messages: 3, QPs: 2, Start: 5 * units.Microsecond, Priority: 4,
	}}}}
	want := []Flow{
		{ID: 0, Workload: "w", Src: 3, Dst: 1, Size: 4096, Messages: 3, Start: 5 * units.Microsecond, QP: 0, Priority: 4, Transport: RoCEv2},
		{ID: 1, Workload: "w", Src: 3, Dst: 1, Size: 4096, Messages: 3, Start: 5 * units.Microsecond, QP: 1, Priority: 4, Transport: RoCEv2},
	}
	got := mustGenerate(t, w, hosts(4, 1))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := got[0].Bytes(); got != 12*units.KiB {
		t.Errorf("%v in all, want 12KiB", got)
	}
}

func TestAMessageMayBeEmptyOrLargerThanAnRDMAMessage(t *testing.T) {
	w := &List{Entries: []Entry{{From: "h0", To: "h1", Transfer: once(0)}, {From: "h0", To: "h1", Transfer: once(5 * units.GiB)}}}
	flows := mustGenerate(t, w, hosts(2, 1))
	if flows[0].Size != 0 || flows[1].Size != 5*units.GiB {
		t.Errorf("sizes %v and %v", flows[0].Size, flows[1].Size)
	}
}

func TestAnEntryMayStandForManyPairs(t *testing.T) {
	w := &List{Entries: []Entry{{From: "h[0-1]", To: "*", Transfer: once(1)}}}
	if got, want := ends(mustGenerate(t, w, hosts(3, 1))), "0>1 0>2 1>0 1>2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFlowsOfOneQueuePairName(t *testing.T) {
	entry := func(from, to, qp string) Entry { return Entry{From: from, To: to, QP: qp, Transfer: once(1)} }
	w := &List{Entries: []Entry{
		entry("h0", "h1", "a"), // 0
		entry("h0", "h1", ""),  // 1: its own
		entry("h0", "h1", "a"), // 0 again
		entry("h0", "h2", "a"), // 2: another destination
		entry("h0", "h1", "b"), // 3: another name
		entry("h0", "h1", ""),  // 4
	}}
	flows, err := Generate([]Workload{w, w}, []string{"first", "second"}, hosts(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, f := range flows {
		got = append(got, f.QP)
	}
	if diff := cmp.Diff([]int{0, 1, 0, 2, 3, 4, 5, 6, 5, 7, 8, 9}, got); diff != "" {
		t.Error(diff)
	}
}

func TestListErrorsNameTheEntry(t *testing.T) {
	two := once(1)
	two.QPs = 2
	urgent := once(1)
	urgent.Priority = 5
	huge := once(1 << 62)
	huge.Messages = 2
	elsewhere := once(1)
	elsewhere.Ports = []int{50_000}
	w := &List{Entries: []Entry{
		{From: "h0", To: "h0", Transfer: once(1)},
		{From: "h[0-1]", To: "storge", Transfer: once(1)},
		{From: "h0", To: "h1", QP: "a", Transfer: two},
		{From: "h0", To: "h1", QP: "b", Transfer: once(1)},
		{From: "h1", To: "h0", QP: "b", Transfer: urgent},
		{From: "h1", To: "h0", Transfer: huge},
		{From: "h0", To: "h1", QP: "b", Transfer: elsewhere},
	}}
	env := hosts(2, 1)
	env.Hosts = append(env.Hosts, "storage")
	_, err := w.Flows(env)
	wantError(t, err,
		`flows[0].to: "h0": a flow from a host to itself; another host than h0`,
		`flows[1].to: "storge": no host of this name; did you mean "storage"?`,
		`flows[2].qps: "2": several queue pairs of one name; 1, or leave out qp`,
		`flows[4].priority: "5": differs from that of the other flows of queue pair b; -1, as in flows[3]`,
		`flows[5].size: "4194304TiB": more than one flow can be; at most 1024TiB`,
		`flows[6].source_ports: "[50000]": differ from those of the other flows of queue pair b; [], as in flows[3]`)
	_, err = new(List).Flows(env)
	wantError(t, err, `flows: no flows; at least one {from: …, to: …, size: …}`)
}

// Source ports go round the queue pairs of a transfer, in the order of its flows.
func TestSourcePortsAreTakenInTurn(t *testing.T) {
	spread := once(1)
	spread.QPs, spread.Ports = 2, []int{50_000, 50_001, 50_002}
	var got []int
	for _, f := range mustGenerate(t, &List{Entries: []Entry{{From: "h0", To: "h[1-2]", Transfer: spread}, {From: "h1", To: "h0", Transfer: once(1)}}}, hosts(3, 1)) {
		got = append(got, f.SourcePort)
	}
	if diff := cmp.Diff([]int{50_000, 50_001, 50_002, 50_000, 0}, got); diff != "" {
		t.Error(diff)
	}
}
