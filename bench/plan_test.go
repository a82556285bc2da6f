package bench

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rdmasim/rdmasim/bench/calibration"
	"github.com/rdmasim/rdmasim/sim/units"
)

// script is a runner that says what it is told to say.
type script struct {
	asked []string
	time  func(call, workers int) (Timing, error)
}

func (s *script) Time(_ context.Context, c *Case, workers int) (Timing, error) {
	s.asked = append(s.asked, fmt.Sprint(c.Name, " ", workers))
	return s.time(len(s.asked)-1, workers)
}

func (s *script) Survey(_ context.Context, c *Case, workers int, middle units.Time) (Survey, error) {
	s.asked = append(s.asked, fmt.Sprint(c.Name, " ", workers, " to ", middle))
	return Survey{Hosts: 1, Ports: 1, Flows: 1}, nil
}

// likeAMinute is work of which one worker makes a million packet-hops in a second.
func likeAMinute(call, workers int) (Timing, error) {
	return Timing{
		Work:    Work{Hops: 1e6, Events: 15e5, Digest: 7, Simulated: units.Millisecond},
		Workers: workers, Wall: time.Second, CPU: time.Second, Build: time.Second, Peak: units.MB,
	}, nil
}

// planned is a plan on the reference machine.
func planned(r Runner, runs int, workers ...int) *Plan {
	return &Plan{
		Cases: []Case{*tiny()}, Runs: runs, Workers: workers, Programs: []Program{{Runner: r}},
		speeds: func() calibration.Speeds { return calibration.Reference },
	}
}

// reportOf carries out a plan for one program.
func reportOf(t *testing.T, p *Plan) *Report {
	t.Helper()
	reports, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return reports[0]
}

func TestRunsWithDifferentWorkersTakeTurns(t *testing.T) {
	s := &script{time: likeAMinute}
	if _, err := planned(s, 2, 1, 2).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := []string{"tiny 1", "tiny 2", "tiny 1", "tiny 2", "tiny 1 to 500us"}
	if !reflect.DeepEqual(s.asked, want) {
		t.Errorf("asked for %q, want %q", s.asked, want)
	}
}

// Another program may well do other work; what it is is told by the comparison.
func TestRunsOfDifferentProgramsTakeTurns(t *testing.T) {
	shared := &script{}
	other := &script{time: func(call, workers int) (Timing, error) {
		shared.asked = append(shared.asked, fmt.Sprint("other ", workers))
		t, err := likeAMinute(call, workers)
		t.Digest = 8
		return t, err
	}}
	shared.time = likeAMinute
	p := planned(shared, 2, 1, 2)
	p.Programs = append(p.Programs, Program{"other", other})
	reports, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"tiny 1", "other 1", "tiny 2", "other 2", "tiny 1", "other 1", "tiny 2", "other 2", "tiny 1 to 500us"}
	if !reflect.DeepEqual(shared.asked, want) {
		t.Errorf("asked for %q, want %q", shared.asked, want)
	}
	if a, b := reports[0].Cases[0].Digest, reports[1].Cases[0].Digest; a != "0000000000000007" || b != "0000000000000008" {
		t.Errorf("digests %s and %s", a, b)
	}
}

// Starting many workers asks for memory once, which is no part of what a packet-hop asks for.
func TestMemoryIsLookedAtWithOneWorker(t *testing.T) {
	s := &script{time: likeAMinute}
	if _, err := planned(s, 1, 99).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"tiny 99", "tiny 1 to 500us"}; !reflect.DeepEqual(s.asked, want) {
		t.Errorf("asked for %q, want %q", s.asked, want)
	}
}

func TestADigestThatDependsOnWorkersIsAnError(t *testing.T) {
	s := &script{time: func(call, workers int) (Timing, error) {
		t, err := likeAMinute(call, workers)
		if workers == 2 {
			t.Digest = 8
		}
		return t, err
	}}
	_, err := planned(s, 1, 1, 2).Run(context.Background())
	const want = "tiny: digest 0000000000000007 after 1500000 events with 1 workers, 0000000000000008 after 1500000 with 2: runs must not differ"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// The machine becomes slower and slower: each round takes both twice as long, and two
// workers are always four times as fast as one.
func TestSpeedUpIsTakenRoundByRound(t *testing.T) {
	s := &script{time: func(call, workers int) (Timing, error) {
		t, err := likeAMinute(call, workers)
		t.Wall = time.Second << (call / 2)
		if workers == 2 {
			t.Wall /= 4
		}
		return t, err
	}}
	r := reportOf(t, planned(s, 3, 1, 2))
	one, two := r.Cases[0].Rows[0], r.Cases[0].Rows[1]
	if one.SpeedUp != 1 || two.SpeedUp != 4 {
		t.Errorf("speed-up %v with one worker, %v with two; want 1 and 4", one.SpeedUp, two.SpeedUp)
	}
	if want := (Spread{Median: 5e5, Min: 25e4, Max: 1e6}); one.Rate != want {
		t.Errorf("%+v packet-hops a second, want %+v", one.Rate, want)
	}
}

func TestWithoutARowOfOneWorkerThereIsNoSpeedUp(t *testing.T) {
	r := reportOf(t, planned(&script{time: likeAMinute}, 1, 2, 4))
	if up := r.Cases[0].Rows[1].SpeedUp; up != 0 {
		t.Errorf("speed-up %v", up)
	}
}

// On a machine half as fast as the reference half as much is done, and that is the same
// when it is normalised; time during which others had the processor does not count.
func TestNormalisedSpeedsDoNotKnowTheMachine(t *testing.T) {
	s := &script{time: func(call, workers int) (Timing, error) {
		t, err := likeAMinute(call, workers)
		t.Wall, t.CPU = 3*time.Second, 2*time.Second
		return t, err
	}}
	p := planned(s, 1, 1)
	p.speeds = func() calibration.Speeds {
		half := calibration.Reference
		half.Events, half.Near, half.Far = half.Events/2, half.Near/2, half.Far/2
		return half
	}
	r := reportOf(t, p)
	if row := r.Cases[0].Rows[0]; row.Normalised.Median != 1e6 || row.CPURate.Median != 5e5 {
		t.Errorf("normalised %v, a CPU second %v; want 1e6 and 5e5", row.Normalised.Median, row.CPURate.Median)
	}
	if r.Calibration.Score != 0.5 {
		t.Errorf("score %v, want 0.5", r.Calibration.Score)
	}
}

// Where processor time is not known, two workers are taken to have been busy all the time.
func TestWithoutProcessorTimeTheClockIsTaken(t *testing.T) {
	s := &script{time: func(call, workers int) (Timing, error) {
		t, err := likeAMinute(call, workers)
		t.CPU = 0
		return t, err
	}}
	r := reportOf(t, planned(s, 1, 2))
	if row := r.Cases[0].Rows[0]; row.Normalised.Median != 5e5 || row.CPURate != (Spread{}) {
		t.Errorf("normalised %v, a CPU second %v; want 5e5 and nothing", row.Normalised.Median, row.CPURate)
	}
}

func TestAnInterruptLeavesTheCasesThatWereComplete(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	s := &script{}
	s.time = func(call, workers int) (Timing, error) {
		if strings.HasPrefix(s.asked[call], "second") {
			stop()
			return Timing{}, ctx.Err()
		}
		return likeAMinute(call, workers)
	}
	p := planned(s, 1, 1)
	second := *tiny()
	second.Name = "second"
	p.Cases = append(p.Cases, second)
	reports, err := p.Run(ctx)
	if r := reports[0]; !errors.Is(err, context.Canceled) || len(r.Cases) != 1 || r.Cases[0].Name != "tiny" {
		t.Errorf("%d cases, error %v", len(r.Cases), err)
	}
}

// All that a plan does, in this process, with a real case on the real machine.
func TestAReportIsOfWhatWasRun(t *testing.T) {
	p := &Plan{Cases: []Case{*tiny()}, Runs: 1, Workers: []int{1, 2}, Programs: []Program{{Runner: Here{}}}}
	var shown []string
	p.Show = func(what string) { shown = append(shown, what) }
	r := reportOf(t, p)
	work := timed(t, tiny(), 1)
	c := r.Cases[0]
	if c.Hops != work.Hops || c.Events != work.Events || c.Digest != fmt.Sprintf("%016x", uint64(work.Digest)) {
		t.Errorf("%+v, want the work of a run, %+v", c, work.Work)
	}
	for _, row := range c.Rows {
		if row.Used != row.Workers || row.Rate.Median <= 0 || row.Normalised.Median <= 0 || row.Build <= 0 || row.SpeedUp <= 0 {
			t.Errorf("a row of %+v", row)
		}
	}
	if want := []string{"tiny, 1 worker, run 1 of 1", "tiny, 2 workers, run 1 of 1", "tiny, memory"}; !reflect.DeepEqual(shown, want) {
		t.Errorf("shown %q, want %q", shown, want)
	}
}
