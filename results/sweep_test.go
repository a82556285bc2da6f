package results

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// swept is a sweep over times of 1, 2, 4 … us in which so much was measured; NaN-like gaps are given as -1.
func swept(found ...float64) *Sweep {
	s := &Sweep{Name: "delay", Keys: []string{"topology.link.delay"}, Unit: "time", Columns: []SweepColumn{{"flow.fct.p99", "time"}}}
	at := float64(units.Microsecond)
	for _, v := range found {
		here, value := at, v
		p := SweepPoint{Values: []string{units.Time(here).Human()}, At: &here, Outcome: Done, Found: []*float64{&value}, Why: []string{""}}
		if v < 0 {
			p.Found[0], p.Why[0] = nil, "not measured"
		}
		s.Points = append(s.Points, p)
		at *= 2
	}
	return s
}

func crossingOf(s *Sweep, level float64) Crossing {
	human := func(v float64) string { return HumanIn("time", v) }
	return s.FindCrossing(human(level), level, human, human)
}

// A crossing is on the straight line between the two runs around it: 15 of 10 to 30 is a quarter of the way from 2 to 4 us.
func TestALevelIsCrossedBetweenTwoRuns(t *testing.T) {
	const us = float64(units.Microsecond)
	for _, c := range []struct {
		name  string
		found []float64
		level float64
		at    float64 // us; 0: not crossed
		text  string
	}{
		{"upwards", []float64{5, 10, 30}, 15, 2.5, "flow.fct.p99 crosses 15us at topology.link.delay = 2.5us, between the runs with 2us and 4us"},
		{"downwards", []float64{30, 10, 5}, 15, 1.75, "flow.fct.p99 crosses 15us at topology.link.delay = 1.75us, between the runs with 1us and 2us"},
		{"met", []float64{5, 10, 30}, 10, 2, "flow.fct.p99 meets 10us at topology.link.delay = 2us"},
		{"met at the first", []float64{5, 10, 30}, 5, 1, "flow.fct.p99 meets 5us at topology.link.delay = 1us"},
		{"a plateau is one meeting", []float64{5, 10, 10, 30}, 10, 2, "flow.fct.p99 meets 10us at topology.link.delay = 2us"},
		{"below", []float64{5, 10, 30}, 31, 0, "flow.fct.p99 does not cross 31us: it stays below, between 5us (topology.link.delay = 1us) and 30us (topology.link.delay = 4us)"},
		{"above", []float64{10, 5, 30}, 4, 0, "flow.fct.p99 does not cross 4us: it stays above, between 5us (topology.link.delay = 2us) and 30us (topology.link.delay = 4us)"},
		{"flat", []float64{5, 5}, 4, 0, "flow.fct.p99 does not cross 4us: it is 5us in all runs"},
		{"a gap is passed over", []float64{10, -1, 30}, 20, 2.5, "flow.fct.p99 crosses 20us at topology.link.delay = 2.5us, between the runs with 1us and 4us"},
		{"nothing measured", []float64{-1, -1}, 20, 0, "flow.fct.p99 was not measured in any run, so that it cannot be told where it crosses 20us"},
		{"to and fro", []float64{5, 15, 5}, 10, 1.5, "flow.fct.p99 crosses 10us at topology.link.delay = 1.5us, between the runs with 1us and 2us; in all it does 2 times, this being the first"},
	} {
		found := make([]float64, len(c.found))
		for i, v := range c.found {
			found[i] = v * us
		}
		got := crossingOf(swept(found...), c.level*us)
		if got.Text != c.text || got.Crossed != (c.at > 0) || c.at > 0 && *got.At != c.at*us || c.at == 0 && got.At != nil {
			t.Errorf("%s: %+v\n%s\nwant\n%s", c.name, got, got.Text, c.text)
		}
	}
}

// Between words there is no value.
func TestWordsAreCrossedWithoutAValue(t *testing.T) {
	s := swept(5, 30)
	s.Unit = ""
	for i, word := range []string{"none", "dcqcn"} {
		s.Points[i].Values[0], s.Points[i].At = word, nil
	}
	if c := crossingOf(s, 10); !c.Crossed || c.At != nil || c.From != "none" || c.To != "dcqcn" {
		t.Errorf("%+v", c)
	}
}

// A sweep is shown with the scenario's own values marked, and what was not measured as such.
func TestASweepIsShownRunByRun(t *testing.T) {
	s := swept(5e6, -1, 30e6)
	s.Points[0].Default, s.Points[1].Outcome = true, Stalled
	s.Keys = append(s.Keys, "host.ack_every")
	for i := range s.Points {
		s.Points[i].Values = append(s.Points[i].Values, "16")
		share := 0.25
		s.Points[i].Found = append(s.Points[i].Found, &share)
	}
	s.Columns = append(s.Columns, SweepColumn{"ecn.share", "number"})
	s.Levels = []Crossing{crossingOf(s, 15e6)}
	summary := incast()
	summary.Sweeps = []Sweep{*s}
	text := rendered(t, summary, 80)
	want := `
  sweep delay of topology.link.delay
  together with it host.ack_every, in the order of the columns
  * marks what the scenario itself has
  topology.link.delay    ack_every  flow.fct.p99  ecn.share  outcome
* 1us                           16           5us       0.25  done
  2us                           16             -       0.25  stalled
  4us                           16          30us       0.25  done
  flow.fct.p99 crosses 15us at topology.link.delay = 2.2us, between the runs
  with 1us and 4us
`
	if !strings.Contains(text, want) {
		t.Errorf("the text is\n%s\nwithout\n%s", text, want)
	}
	var csv strings.Builder
	if err := s.Table().WriteCSV(&csv); err != nil || csv.String() != `key_1,key_2,outcome,runs,measured_1_us,measured_2
1us,16,done,,5,0.25
2us,16,stalled,,,0.25
4us,16,done,,30,0.25
` {
		t.Errorf("%v\n%s", err, csv.String())
	}
}
