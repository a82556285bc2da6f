package sim

import (
	"runtime"
	"sync"
	"testing"
)

// Everybody waits for everybody, and one runs alone in between, also where there are
// many more workers than cores, and whether they find each other by looking or park.
func TestWorkersMeetAtTheBarrier(t *testing.T) {
	const rounds = 300
	for _, workers := range []int{1, 2, 3, 4 * runtime.GOMAXPROCS(0)} {
		for _, looks := range []int{0, 10, 5 * yieldEvery} {
			b := newBarrier(workers)
			b.most = looks
			seen := make([]int, workers) // rounds that each has finished
			alone := 0
			var done sync.WaitGroup
			for w := range workers {
				done.Go(func() {
					var own patience
					for round := 1; round <= rounds; round++ {
						seen[w] = round
						b.wait(&own, func() {
							for other, at := range seen {
								if at != round {
									t.Errorf("round %d of %d workers: worker %d has come to round %d", round, workers, other, at)
								}
							}
							alone++
						})
						if alone != round {
							t.Errorf("worker %d of %d goes on from round %d, and %d have been closed", w, workers, round, alone)
						}
					}
				})
			}
			done.Wait()
		}
	}
}

// Who has no core of its own parks without looking.
func TestMoreWorkersThanCoresPark(t *testing.T) {
	b, p := newBarrier(runtime.GOMAXPROCS(0)+1), patience{}
	for range 2 * fullEvery {
		if looks := p.begin(b.most); looks != 0 {
			t.Fatalf("%d looks with more workers than cores", looks)
		}
		p.end(false, b.most)
	}
}

// A worker whose partner stays away looks for less and less before it parks, tries for as
// long as ever now and then, and is patient again once that is rewarded.
func TestPatienceIsLostAndRegained(t *testing.T) {
	p, looks := patience{}, 0
	for range 10 * fullEvery {
		looks += p.begin(mostLooks)
		p.end(false, mostLooks)
	}
	if atMost := 10 * fullEvery * mostLooks / 8; looks > atMost {
		t.Errorf("%d looks in vain, at most %d are to be afforded", looks, atMost)
	}
	for range fullEvery {
		p.begin(mostLooks)
		p.end(p.looks == mostLooks, mostLooks)
	}
	if got := p.begin(mostLooks); got != mostLooks {
		t.Errorf("%d looks after the partner has come within %d", got, mostLooks)
	}
}
