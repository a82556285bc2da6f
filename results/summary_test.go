package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/rdmasim/rdmasim/sim/units"
)

// incast is the summary of a run in which all went well: sixteen servers answer one client.
func incast() *Summary {
	fcts := make([]units.Time, 16)
	slowdowns := make([]float64, 16)
	for i := range fcts {
		fcts[i] = units.Time(1300+6*i) * units.Microsecond
		slowdowns[i] = float64(130+i) / 10
	}
	client := &NamedRate{"h0", Gbps(91_200 * units.Mbps)}
	return &Summary{
		Scenario: "incast", Outcome: Done, Seed: 1, Digest: "9f3c12ab",
		SimulatedTime: Micros(1430 * units.Microsecond), UnderWay: Micros(1420 * units.Microsecond), PacketHops: 3_100_000,
		Cost:  Cost{WallTime: 200 * time.Millisecond, Workers: 2},
		Flows: Flows{Total: 16, Done: 16}, FCTEnd: "the last ACK at the sender",
		FCT: TimePercentiles(fcts), Slowdown: RatioPercentiles(slowdowns),
		Goodput: Goodput{Payload: 16_000_000, Rate: client.Rate, Receivers: 1, Slowest: client, Fastest: client},
		Pause: &Pause{XOFF: 12, XON: 12, Refresh: 340, PausedTime: Micros(1220 * units.Microsecond), PausedPorts: 4,
			Worst: &PausedPort{Port: "leaf0:p3", Priority: 3, Time: Micros(640 * units.Microsecond), Share: 0.4476}},
		ECN:               NewECN(1250, 4000, 1203),
		CongestionControl: CongestionControl{Name: "dcqcn", CNPsSent: 340, CNPsHandled: 338, RateCuts: 120, QPsCut: 16, QPs: 16},
		PeakQueue: (&Peak{Where: "leaf0 to h0 priority 3", Bytes: 1_210_000, Time: Micros(90 * units.Microsecond)}).
			Against("Kmin", 400_000).Against("Kmax", 1_600_000),
		PeakIngress:  (&Peak{Where: "leaf0:p3 priority 3", Bytes: 310_000}).Against("XOFF", 310_000),
		PeakHeadroom: (&Peak{Where: "leaf0:p3 priority 3", Bytes: 11_600}).Against("headroom", 96_000),
		Expectations: []Expectation{
			{Text: "lossless_drops equals 0", Measured: "0", Deviation: "0", Met: true},
			{Text: "flow.fct.p99 below 2ms", Measured: "1.39ms", Deviation: "-610us (-30.5%)", Met: true},
		},
		Why: []string{"The link from leaf0 to h0 bound all 16 flows: it was busy 99.1% of the time."},
	}
}

// deadlock is the summary of a run that stalled with everything wrong that can be.
func deadlock() *Summary {
	s := incast()
	s.Outcome, s.Flows, s.FCT.Samples = Stalled, Flows{Total: 16, Done: 11, Failed: 2}, 11
	for i := range 20 {
		s.Reasons = append(s.Reasons, fmt.Sprintf("flow %d, h%d to h0: 120KB left, waits for the pause of priority 3 at leaf0:p3", i, i))
	}
	s.Drops = []Drop{{"buffer", 12, 18_000, true}, {"wred", 1, 1_500, false}, {"corruption", 0, 0, false}}
	s.Recovery = Recovery{Retransmitted: 18_000, Timeouts: 1, NAKs: 2}
	s.Expectations[1].Met = false
	s.Warnings = []string{"p99 of 11 flows is the slowest of them"}
	return s
}

func rendered(t *testing.T, s *Summary, columns int) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteText(&b, columns); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The files in testdata are what a reader sees; they were checked by eye.
func TestSummaryText(t *testing.T) {
	for name, s := range map[string]*Summary{"done": incast(), "stalled": deadlock()} {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join("testdata", "summary-"+name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), rendered(t, s, 80)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSummaryTextSaysFirstThatARunIsIncomplete(t *testing.T) {
	for _, outcome := range []Outcome{Stalled, TimeLimit, Interrupted, Failed} {
		s := incast()
		s.Outcome = outcome
		first, _, _ := strings.Cut(rendered(t, s, 80), "\n")
		if !strings.HasPrefix(first, "incast: INCOMPLETE ("+string(outcome)+" at 1.43ms)") {
			t.Errorf("%s: the first line is %q", outcome, first)
		}
	}
}

func TestSummaryTextFitsTheWidth(t *testing.T) {
	for _, columns := range []int{0, 72, 80, 100, 200} {
		for _, s := range []*Summary{incast(), deadlock()} {
			for line := range strings.Lines(rendered(t, s, columns)) {
				line = strings.TrimSuffix(line, "\n")
				if width := text.StringWidthWithoutEscSequences(line); width > min(max(columns, 72), 100) {
					t.Errorf("%d columns: %q is %d wide", columns, line, width)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("%q ends in blanks", line)
				}
			}
		}
	}
}

func TestSummaryTextIsPlainWhereThereIsNoTerminal(t *testing.T) {
	if s := rendered(t, deadlock(), 80); strings.Contains(s, "\x1b") {
		t.Errorf("escape sequences in %q", s)
	}
}

func TestSummaryTextSaysWhatWasOff(t *testing.T) {
	s := incast()
	s.Pause, s.ECN, s.CongestionControl, s.PeakIngress, s.PeakHeadroom = nil, nil, CongestionControl{Name: "none"}, nil, nil
	got := rendered(t, s, 80)
	for _, want := range []string{"pause          PFC is off", "ECN            off", "congestion     no congestion control"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, absent := range []string{"marked", "XOFF", "headroom", "CNP", "warning"} {
		if strings.Contains(got, absent) {
			t.Errorf("%q does not apply, yet stands in\n%s", absent, got)
		}
	}
}

func TestSummaryTextSaysWhyCongestionControlNeverActed(t *testing.T) {
	s := incast()
	s.CongestionControl = CongestionControl{Name: "dcqcn", QPs: 1}
	s.PeakQueue = (&Peak{Where: "leaf0 to h0", Bytes: 12_000}).Against("Kmin", 400_000)
	got := strings.Join(strings.Fields(rendered(t, s, 100)), " ")
	if want := "dcqcn never acted: no rate cut, as no queue reached Kmin; 0 CNPs sent"; !strings.Contains(got, want) {
		t.Errorf("no %q in %s", want, got)
	}
	s.PeakQueue = (&Peak{Where: "leaf0 to h0", Bytes: 400_000}).Against("Kmin", 400_000)
	if got := rendered(t, s, 100); strings.Contains(got, "no queue reached Kmin") {
		t.Errorf("the peak is at Kmin, yet\n%s", got)
	}
}

func TestSummaryTextWithoutAnyFlowDone(t *testing.T) {
	s := &Summary{Scenario: "x", Outcome: Interrupted, Flows: Flows{Total: 1}}
	if got := rendered(t, s, 80); !strings.Contains(got, "no flow is done") {
		t.Errorf("no word about missing FCTs in\n%s", got)
	}
}

func TestSummaryTextGivesSlowestAndFastestReceiver(t *testing.T) {
	s := incast()
	s.Goodput.Receivers, s.Goodput.Slowest = 16, &NamedRate{"h7", Gbps(units.Gbps)}
	got := strings.Join(strings.Fields(rendered(t, s, 100)), " ")
	if want := "16 receivers: 1Gbps (h7) to 91.2Gbps (h0)"; !strings.Contains(got, want) {
		t.Errorf("no %q in %s", want, got)
	}
	s.Goodput.Slowest.Rate = s.Goodput.Fastest.Rate
	got = strings.Join(strings.Fields(rendered(t, s, 100)), " ")
	if want := "16 receivers: 91.2Gbps each"; !strings.Contains(got, want) {
		t.Errorf("no %q in %s", want, got)
	}
}

func TestSummaryTextTellsTheTimeOfWorkFromTheTimeBeforeIt(t *testing.T) {
	s := incast()
	s.FirstStart, s.SimulatedTime = Micros(2*units.Second), Micros(2*units.Second+1430*units.Microsecond)
	first, _, _ := strings.Cut(rendered(t, s, 80), "\n")
	if want := "incast: done, 16 of 16 flows in 1.42ms from 2s on"; first != want {
		t.Errorf("the first line is %q, want %q", first, want)
	}
}

func TestSummaryTextSpeaksOfASinglePausedPortInTheSingular(t *testing.T) {
	s := incast()
	s.Pause.PausedPorts = 1
	got := strings.Join(strings.Fields(rendered(t, s, 100)), " ")
	if want := "12 XON; longest leaf0:p3 priority 3: 640us (45% of the time)"; !strings.Contains(got, want) {
		t.Errorf("no %q in %s", want, got)
	}
}

func summaryJSON(t *testing.T, s *Summary) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSummaryJSONDoesNotDependOnTheMachine(t *testing.T) {
	fast, slow := incast(), incast()
	slow.Cost = Cost{WallTime: time.Hour, Workers: 64, Memory: units.GB}
	if diff := cmp.Diff(summaryJSON(t, fast), summaryJSON(t, slow)); diff != "" {
		t.Errorf("summary.json tells a fast machine from a slow one:\n%s", diff)
	}
}

func TestSummaryJSONIsExactAndHasUnitsInItsKeys(t *testing.T) {
	s := incast()
	s.SimulatedTime = Micros(1_430_000_001) // picoseconds
	s.Pause = nil
	got := summaryJSON(t, s)
	for _, want := range []string{
		`"complete": true,` + "\n" + `  "scenario": "incast",`, `"simulated_time_us": 1430.000001,`, `"rate_gbps": 91.2,`,
		`"payload_bytes": 16000000,`, `"pause": null,`, `"drops": [],`, `"warnings": []`, `"marked_share": 0.30075`,
		`"p999": null,`, `"share": 3.025`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(summaryJSON(t, deadlock()), `"complete": true`) {
		t.Error("a stalled run is complete")
	}
}

func TestThresholdsThatDoNotExistAreNotCompared(t *testing.T) {
	if p := (&Peak{Bytes: 1}).Against("Kmin", 0); len(p.Limits) != 0 {
		t.Errorf("limits %v", p.Limits)
	}
}

// Every key of the documents must be in the schema, so that none is without unit and meaning.
func TestSchemaCoversEveryKey(t *testing.T) {
	schema := NewSchema()
	schema.AddDocument("summary.json", "the outcome", SummaryDocument{})
	schema.AddDocument("manifest.json", "the files", Manifest{})
	var manifest bytes.Buffer
	if err := writeJSON(&manifest, Manifest{Files: []File{{}}}); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{summaryJSON(t, deadlock()), manifest.String()} {
		known := map[string]bool{}
		for _, f := range schema.Files[i].Fields {
			known[f.Name] = true
		}
		var document any
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(err)
		}
		for _, path := range paths(document, "") {
			if !known[path] {
				t.Errorf("%s: key %s is not in the schema", schema.Files[i].Name, path)
			}
		}
	}
}

// paths lists the keys of a JSON value as the schema writes them.
func paths(value any, path string) (list []string) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			list = append(list, strings.TrimPrefix(path+"."+key, "."))
			list = append(list, paths(below, path+"."+key)...)
		}
	case []any:
		for _, below := range v {
			list = append(list, paths(below, path+"[]")...)
		}
	}
	return list
}

func TestNumbersForPeople(t *testing.T) {
	for got, want := range map[string]string{
		Count(0): "0", Count(999): "999", Count(1000): "1,000", Count(-1234567): "-1,234,567",
		Plural(1, "packet"): "1 packet", Plural(0, "packet"): "0 packets",
		Percent(0): "0%", Percent(1e-7): "<0.01%", Percent(0.00123): "0.12%", Percent(0.0456): "4.6%",
		Percent(0.4476): "45%", Percent(3.025): "302%",
		clock(3456 * time.Microsecond): "3.46ms", clock(210_400 * time.Microsecond): "210ms",
		clock(12345 * time.Millisecond): "12.3s", clock(83 * time.Second): "1m23s",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
