package fabric

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// spread writes out the buckets up to the end: each sample holds up to the next.
func spread(samples []UsageSample, length, end units.Time) (busy []units.Time) {
	i := 0
	var level units.Time
	for from := units.Time(0); from < end; from += length {
		if i < len(samples) && samples[i].From == from {
			level = samples[i].Busy
			i++
		}
		busy = append(busy, level)
	}
	return busy
}

// Frames of any length and distance are divided among buckets so that none is busier
// than it is long, and all together are as busy as the wire was, to the picosecond.
func TestBucketsIntegrateExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := usage{length: units.Time(rapid.IntRange(1, 50).Draw(t, "bucket"))}
		var now, busy units.Time
		var frames [][2]units.Time
		for range rapid.IntRange(0, 20).Draw(t, "frames") {
			now += units.Time(rapid.SampledFrom([]int{0, 0, 1, 7, 200}).Draw(t, "gap"))
			end := now + units.Time(rapid.IntRange(1, 120).Draw(t, "frame"))
			u.add(now, end)
			frames = append(frames, [2]units.Time{now, end})
			now = end
		}
		end := max(0, now+units.Time(rapid.IntRange(-100, 300).Draw(t, "to the end")))
		if n := len(frames); n > 0 {
			end = max(end, frames[n-1][0]) // a run does not end before its last event
		}
		for _, f := range frames {
			busy += min(f[1], end) - min(f[0], end)
		}
		u.flush(end)
		var sum units.Time
		for i, b := range spread(u.samples, u.length, end) {
			from := units.Time(i) * u.length
			to := min(from+u.length, end)
			var want units.Time
			for _, f := range frames {
				want += max(0, min(f[1], to)-max(f[0], from))
			}
			if b != want || b > u.length {
				t.Fatalf("bucket %d is busy for %v, want %v (samples %v)", i, b, want, u.samples)
			}
			sum += b
		}
		if sum != busy {
			t.Fatalf("all buckets are busy for %v, the wire was for %v", sum, busy)
		}
	})
}

// A wire that is idle for a second between two frames costs two more samples, not one
// for each of its million buckets.
func TestIdleBucketsCostNothing(t *testing.T) {
	u := usage{length: units.Microsecond}
	u.add(0, 1000)
	u.add(units.Second, units.Second+1000)
	u.flush(2 * units.Second)
	if len(u.samples) != 4 {
		t.Errorf("samples %v", u.samples)
	}
}
