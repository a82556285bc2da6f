package results

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"

	"github.com/rdmasim/rdmasim/sim/units"
)

// redrawEvery is often enough for the eye and too seldom for the simulation to notice.
const redrawEvery = 200 * time.Millisecond

// Snapshot is how far a run has come.
type Snapshot struct {
	Now                   units.Time // simulated time
	FlowsDone, FlowsTotal int64
	BytesDone, BytesTotal int64 // payload; a total of 0 means unknown
	PacketHops            int64
}

// share returns the share of the work done, from 0 to 1: of the payload, or of the flows if it is unknown.
func (s Snapshot) share() float64 {
	if s.BytesTotal > 0 {
		return min(share(s.BytesDone, s.BytesTotal), 1)
	}
	return min(share(s.FlowsDone, s.FlowsTotal), 1)
}

// Progress is a line on the terminal that shows how far a run has come. Nil is one that shows nothing.
type Progress struct {
	poll    func() Snapshot
	started time.Time
	writer  progress.Writer
	tracker *progress.Tracker
	stop    chan struct{}
	running sync.WaitGroup
}

// ShowProgress draws a progress line on f and keeps it up to date until Stop: simulated time, flows done, packet-hops a
// second and the time still to go. It calls poll five times a second from a goroutine of its own. If f is not a terminal
// it draws nothing, never calls poll and returns nil.
func ShowProgress(f *os.File, poll func() Snapshot) *Progress {
	if !IsTerminal(f) {
		return nil
	}
	return startProgress(f, poll, redrawEvery)
}

func startProgress(w io.Writer, poll func() Snapshot, every time.Duration) *Progress {
	p := &Progress{poll: poll, started: time.Now(), stop: make(chan struct{})}
	p.tracker = &progress.Tracker{Total: 1000, AutoStopDisabled: true, RemoveOnCompletion: true}
	p.writer = progress.NewWriter()
	p.writer.SetOutputWriter(w)
	p.writer.SetAutoStop(true)
	p.writer.SetTrackerLength(20)
	p.writer.SetUpdateFrequency(every)
	p.writer.SetStyle(barStyle())
	p.update()
	p.writer.AppendTracker(p.tracker)
	p.running.Go(p.writer.Render)
	p.running.Go(func() { p.follow(every) })
	return p
}

// barStyle shows the percentage, the bar and the message; the message holds our own figures.
func barStyle() progress.Style {
	style := progress.StyleBlocks
	style.Visibility = progress.StyleVisibility{Percentage: true, Tracker: true}
	style.Options.PercentFormat = "%3.0f%%"
	style.Options.Separator = "  "
	return style
}

func (p *Progress) follow(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.update()
		case <-p.stop:
			p.tracker.MarkAsDone() // auto-stop ends Render at its next tick even if it has not begun yet
			p.writer.Stop()
			return
		}
	}
}

func (p *Progress) update() {
	s := p.poll()
	p.tracker.SetValue(int64(1000 * s.share()))
	p.tracker.UpdateMessage(progressText(s, time.Since(p.started)))
}

// progressText says how far a run has come after some time on the clock.
func progressText(s Snapshot, elapsed time.Duration) string {
	line := fmt.Sprintf("%s, %s of %s flows", s.Now.Human(), Count(s.FlowsDone), Count(s.FlowsTotal))
	if elapsed < redrawEvery {
		return line
	}
	line += fmt.Sprintf(", %s hops/s", millions(float64(s.PacketHops)/elapsed.Seconds()))
	if done := s.share(); done > 0 && done < 1 {
		left := time.Duration(float64(elapsed) * (1 - done) / done)
		line += ", ETA " + left.Round(time.Second).String()
	}
	return line
}

// Stop takes the line off the screen and returns when nothing more will be drawn. It may be called once.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	close(p.stop)
	p.running.Wait()
}
