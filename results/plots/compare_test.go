package plots

import (
	"errors"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// swept is a sweep over 1 us to 1 ms in which a time goes from 10 to 200 us, with a run in which nothing was measured.
func swept() *results.Sweep {
	s := &results.Sweep{Name: "moderation", Keys: []string{"host.kernel.moderation"}, Unit: "time", Columns: []results.SweepColumn{{Name: "rpc.t_median_us", Unit: "time"}}}
	for i, at := range []units.Time{us, 10 * us, 100 * us, 1000 * us} {
		here, found := float64(at), float64(units.Time(10+60*i)*us)
		p := results.SweepPoint{Values: []string{at.Human()}, At: &here, Found: []*float64{&found}, Why: []string{""}}
		if i == 1 {
			p.Found[0] = nil
		}
		s.Points = append(s.Points, p)
	}
	human := func(v float64) string { return results.HumanIn("time", v) }
	for _, level := range []units.Time{50 * us, 5000 * us} {
		s.Levels = append(s.Levels, s.FindCrossing(level.String(), float64(level), human, human))
	}
	return s
}

// inWords is the same sweep over words.
func inWords(s *results.Sweep) *results.Sweep {
	s.Unit = ""
	for i := range s.Points {
		s.Points[i].At = nil
	}
	for i := range s.Levels {
		s.Levels[i].At = nil
	}
	return s
}

// A crossing is marked where the line crosses the level, also where the axis counts decades: the line is straight in values.
func TestTheLineOfASweepPassesItsCrossing(t *testing.T) {
	s := swept()
	f, err := SweepCurve(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	mark := f.axisValue(s, *s.Levels[0].At)
	from, to := s.Points[0], s.Points[2]
	line := f.straight(s, plotter.XYs{{X: f.axisValue(s, *from.At), Y: *from.Found[0]}, {X: f.axisValue(s, *to.At), Y: *to.Found[0]}})
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		if a.X <= mark && mark <= b.X {
			y := a.Y + (b.Y-a.Y)*(mark-a.X)/(b.X-a.X)
			if level := s.Levels[0].Value; y < 0.98*level || y > 1.02*level {
				t.Errorf("at the mark the line is at %v, the level at %v", y, level)
			}
			return
		}
	}
	t.Error("the mark is not on the line")
}

func TestWhatCannotBeComparedIsSaidSo(t *testing.T) {
	var none *NoDataError
	if _, err := FCTCDFs([]Sample{{"a", similarFCTs(1)}, {"b", nil}}, Options{}); !errors.As(err, &none) {
		t.Error(err)
	}
	if _, err := Stacks("cores busy", "number", []string{"work"}, []Stack{{"a", []float64{0}}, {"b", []float64{0}}}, Options{}); !errors.As(err, &none) {
		t.Error(err)
	}
	if _, err := Stacks("cores busy", "number", []string{"work"}, []Stack{{"a", []float64{1, 2}}}, Options{}); err == nil {
		t.Error("a bar of more parts than there are names is drawn")
	}
	if _, err := Stacks("cores busy", "number", []string{"work"}, []Stack{{"a", []float64{-1}}}, Options{}); err == nil {
		t.Error("a negative part is drawn")
	}
	s := swept()
	for i := range s.Points {
		s.Points[i].Found[0] = nil
	}
	if _, err := SweepCurve(s, Options{}); !errors.As(err, &none) {
		t.Error(err)
	}
}
