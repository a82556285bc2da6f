package plots

import (
	"bytes"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// -figures DIR keeps the figures of TestFigures, for people to look at.
var figures = flag.String("figures", "", "directory in which to keep the figures drawn by TestFigures")

const us = units.Microsecond

// sample is a figure of made-up data, drawn twice to see that it comes out the same.
type sample struct {
	name string
	draw func() (*Figure, error)
}

func samples() []sample {
	levels := []Level{{"Kmin", 400e3}, {"Kmax", 1600e3}, {"XOFF", 1650e3}}
	titled := func(title string) Options { return Options{Title: title, End: 2000 * us} }
	return []sample{
		{"fct-1", func() (*Figure, error) { return FCTCDF(similarFCTs(1), titled("hello: one flow")) }},
		{"fct-16", func() (*Figure, error) { return FCTCDF(similarFCTs(16), titled("incast: flow completion times")) }},
		{"fct-500", func() (*Figure, error) { return FCTCDF(scatteredFCTs(500), titled("mix: flow completion times")) }},
		{"fct-20000", func() (*Figure, error) { return FCTCDF(scatteredFCTs(20000), titled("mix: many flows")) }},
		{"queue-1", func() (*Figure, error) { return QueueDepth(sawTeeth(1), levels, titled("incast: queue depth")) }},
		{"queue-12", func() (*Figure, error) { return QueueDepth(sawTeeth(12), levels, titled("all-to-all: queue depth")) }},
		{"rates-4", func() (*Figure, error) { return Rates(qpRates(4), []Level{{"fair share", 25e9}}, titled("4 QPs")) }},
		{"rates-32", func() (*Figure, error) {
			return Rates(qpRates(32), []Level{{"line rate", 100e9}, {"fair share", 3.125e9}}, titled("incast: QP rates"))
		}},
		{"bysize-2000", func() (*Figure, error) {
			return SlowdownBySize(slowdownsBySize(2000, 8), titled("websearch: slowdown by size"))
		}},
		{"bysize-log", func() (*Figure, error) {
			return SlowdownBySize(slowdownsBySize(300, 100), titled("websearch: slowdown by size"))
		}},
		{"occupancy-1", func() (*Figure, error) { return Occupancy(underBounds(sawTeeth(1)), titled("incast: priority groups")) }},
		{"occupancy-9", func() (*Figure, error) {
			return Occupancy(underBounds(sawTeeth(9)), titled("all-to-all: priority groups"))
		}},
		{"alpha-5", func() (*Figure, error) { return Alpha(shares(5), titled("incast: alpha")) }},
		{"utilisation-20", func() (*Figure, error) { return Utilisation(shares(20), titled("all-to-all: links")) }},
		{"compare-fct", func() (*Figure, error) {
			return FCTCDFs([]Sample{{"rdma", similarFCTs(16)}, {"no flow done", nil}, {"tcp", scatteredFCTs(500)}}, titled("rdma, tcp"))
		}},
		{"compare-bars", func() (*Figure, error) {
			return Stacks("cores busy", "number", []string{"copy", "verbs", "spin"}, []Stack{{"rdma", []float64{0, 0.1, 1}}, {"tcp", []float64{0.6, 0, 0}}}, titled("rdma, tcp"))
		}},
		{"sweep-log", func() (*Figure, error) { return SweepCurve(swept(), titled("moderation")) }},
		{"sweep-words", func() (*Figure, error) { return SweepCurve(inWords(swept()), titled("moderation")) }},
		{"pause-1", func() (*Figure, error) { return PauseTimeline(shortPauses(1), titled("incast: pauses")) }},
		{"pause-40", func() (*Figure, error) { return PauseTimeline(shortPauses(40), titled("all-to-all: pauses")) }},
	}
}

// underBounds gives each series a bound that falls as the series rises.
func underBounds(series []Series) (groups []Bounded) {
	for _, s := range series {
		g := Bounded{Series: s}
		for _, v := range s.V {
			g.Bound = append(g.Bound, 2.5e6-v/2)
		}
		groups = append(groups, g)
	}
	return groups
}

// shares are series between 0 and 1 over 2 ms.
func shares(n int) []Series {
	r, all := random(), make([]Series, n)
	for i := range all {
		all[i].Name = fmt.Sprintf("leaf%d:%d to spine%d", i/4, i%4, i)
		for at := units.Time(0); at <= 2000*us; at += 20 * us {
			all[i].T, all[i].V = append(all[i].T, at), append(all[i].V, r.Float64())
		}
	}
	return all
}

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }

// similarFCTs are those of an incast: 1.3 to 1.4 ms.
func similarFCTs(n int) []units.Time {
	r, fcts := random(), make([]units.Time, n)
	for i := range fcts {
		fcts[i] = 1300*us + units.Time(r.Int64N(int64(100*us)))
	}
	return fcts
}

// scatteredFCTs are log-normal, from microseconds to tens of milliseconds.
func scatteredFCTs(n int) []units.Time {
	r, fcts := random(), make([]units.Time, n)
	for i := range fcts {
		fcts[i] = units.Time(math.Exp(1.6*r.NormFloat64()) * float64(80*us))
	}
	return fcts
}

// sawTeeth are queues that fill up to 1.6 MB or a part of it and drain by half, over 2 ms.
func sawTeeth(n int) []Series {
	r, queues := random(), make([]Series, n)
	for q := range queues {
		s := Series{Name: fmt.Sprintf("leaf%d to h%d, priority 3", q/4, q)}
		depth := 0.0
		for i := range 4000 {
			if depth += 900 * float64(q+1); depth > 1580e3/float64(q+1) {
				depth /= 2
			}
			s.T, s.V = append(s.T, units.Time(i)*us/2), append(s.V, depth+20e3*r.Float64())
		}
		queues[q] = s
	}
	return queues
}

// qpRates begin at 100 Gb/s, fall fast and recover slowly.
func qpRates(n int) []Series {
	r, qps := random(), make([]Series, n)
	for q := range qps {
		qps[q].Name = fmt.Sprintf("h%d to h0, QP %d", q+1, 100+q)
		rate := 100e9
		for at := units.Time(0); at < 2000*us; at += units.Time(30+r.IntN(40)) * us {
			qps[q].T, qps[q].V = append(qps[q].T, at), append(qps[q].V, rate)
			if rate > 20e9 || r.IntN(3) == 0 {
				rate *= 0.5 + 0.4*r.Float64()
			} else {
				rate += 0.4e9
			}
		}
	}
	return qps
}

// shortPauses last 1 to 5 us each, dozens of them in every row.
func shortPauses(rows int) (pauses []Interval) {
	r := random()
	for row := range rows {
		name := fmt.Sprintf("leaf%d:p%d priority 3", row/4, row%4)
		for at := units.Time(r.IntN(50)) * us; at < 1500*us; {
			to := at + units.Time(1+r.IntN(5))*us
			pauses = append(pauses, Interval{name, at, to})
			at = to + units.Time(1+r.IntN(40+row))*us
		}
	}
	return pauses
}

func TestFigures(t *testing.T) {
	for i, s := range samples() {
		if testing.Short() && i > 1 {
			break // rasterising is slow under the race detector
		}
		t.Run(s.name, func(t *testing.T) {
			first, second := saved(t, s), saved(t, s)
			for name := range first {
				if !bytes.Equal(first[name], second[name]) {
					t.Errorf("%s differs when drawn again", name)
				}
			}
			if strings.Contains(string(first[s.name+".svg"]), "<text") {
				t.Error("the SVG has text that depends on the fonts of the viewer")
			}
			image, err := png.DecodeConfig(bytes.NewReader(first[s.name+".png"]))
			if err != nil || image.Width != 1500 || image.Height > 900 {
				t.Errorf("PNG of %d x %d pixels (%v), want 1500 x 900 or less", image.Width, image.Height, err)
			}
		})
	}
}

// saved draws a sample and returns its files.
func saved(t *testing.T, s sample) map[string][]byte {
	t.Helper()
	f, err := s.draw()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	err = f.Save(s.name, func(name string, content func(io.Writer) error) error {
		var b bytes.Buffer
		defer func() { files[name] = b.Bytes() }()
		return content(&b)
	})
	if err != nil || len(files) != 2 {
		t.Fatalf("%d files, want an SVG and a PNG (%v)", len(files), err)
	}
	if *figures != "" {
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(*figures, name), content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return files
}

// written returns all that is written on a figure, a line each.
func written(t *testing.T, f *Figure, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := f.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(svg.String(), "<desc>")
	text, _, _ := strings.Cut(rest, "</desc>")
	return "\n" + text + "\n"
}

func wantWritten(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("%q is not on the figure:%s", line, text)
		}
	}
}

func TestTextIsEscapedInSVG(t *testing.T) {
	var svg bytes.Buffer
	f, err := FCTCDF(similarFCTs(1), Options{Title: "a<b & \xff"})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(svg.String(), "<title>a&lt;b &amp; ?</title>") {
		t.Errorf("title not escaped: %.400s", svg.String())
	}
}

func TestLongTitlesAreCutOff(t *testing.T) {
	f, err := FCTCDF(similarFCTs(1), Options{Title: strings.Repeat("wide ", 50)})
	text := written(t, f, err)
	title := strings.Split(text, "\n")[1]
	style := f.textStyle(titleSize, darkGrey())
	if !strings.HasSuffix(title, "…") || style.Width(title) > width {
		t.Errorf("title %q is not cut off to the width of the figure", title)
	}
}
