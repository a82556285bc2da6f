package workloads

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// processes are arrivals with a mean gap of 1000.
func processes() map[string]func() arrivals {
	return map[string]func() arrivals{
		"poisson":    func() arrivals { return poisson{1000} },
		"paced":      func() arrivals { return paced{1000} },
		"log-normal": func() arrivals { return logNormal{1000, 1} },
		"on-off":     func() arrivals { return newOnOff(1000, 5000, 15000) },
	}
}

// counts returns how many arrivals come in each of many intervals from the very beginning, each with a process of its own.
func counts(name string, length float64, n int) []float64 {
	r := hosts(1, 1).Rand(name)
	all := make([]float64, n)
	for i := range all {
		p := processes()[name]()
		for at := p.first(r); at < length; at += p.gap(r) {
			all[i]++
		}
	}
	return all
}

// meanAndVariance returns both of a sample.
func meanAndVariance(xs []float64) (mean, variance float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		variance += (x - mean) * (x - mean) / float64(len(xs)-1)
	}
	return mean, variance
}

// However irregular, and however short the interval, on average its length over the mean gap arrive, from the first instant on.
func TestArrivalsMakeTheirLoadFromTheBeginning(t *testing.T) {
	const n = 20_000
	for name := range processes() {
		for _, length := range []float64{500, 4000, 30_000} {
			mean, variance := meanAndVariance(counts(name, length, n))
			if want, bound := length/1000, 5*math.Sqrt(variance/n)+1e-9; math.Abs(mean-want) > bound {
				t.Errorf("%s: %.4f arrivals in %v, want %.4f within %.4f", name, mean, length, want, bound)
			}
		}
	}
}

// The variance of the count over its mean is 1 for Poisson arrivals, and 0 for paced ones where the interval is a whole number of
// gaps. Over long times it tends to the squared coefficient of variation of the gaps, which is e^sigma² - 1 = 1.72 for log-normal
// ones of sigma 1; and for bursts of mean length a with arrivals at rate p, and b between them, to 1 + 2·p·a·b²/(a+b)², here 23.5.
func TestArrivalsAreAsIrregularAsTheirKind(t *testing.T) {
	for name, want := range map[string]struct{ low, high float64 }{
		"paced": {0, 0}, "poisson": {0.9, 1.1}, "log-normal": {1.4, 1.75}, "on-off": {19, 24.5},
	} {
		length := 30_000.0
		if name == "on-off" {
			length = 400_000
		}
		mean, variance := meanAndVariance(counts(name, length, 5_000))
		if index := variance / mean; index < want.low-1e-9 || index > want.high+1e-9 {
			t.Errorf("%s: variance over mean %.3f, want %.2f to %.2f", name, index, want.low, want.high)
		}
	}
}

func TestNothingArrivesBetweenBursts(t *testing.T) {
	r := hosts(1, 1).Rand("bursts")
	o := newOnOff(float64(units.Microsecond), 10*units.Microsecond, 990*units.Microsecond)
	o.first(r)
	within, between := 0, 0
	for range 10_000 {
		switch gap := o.gap(r); {
		case gap < float64(units.Microsecond):
			within++ // 10 ns on average
		case gap > float64(10*units.Microsecond):
			between++
		}
	}
	// A burst has 1000 arrivals on average, so that one gap in a thousand leads to the next.
	if within < 9900 || between < 1 || between > 40 {
		t.Errorf("%d gaps within bursts and %d between, of 10,000", within, between)
	}
}
