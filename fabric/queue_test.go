package fabric

import (
	"testing"

	"pgregory.net/rapid"
)

func TestAQueueIsFirstInFirstOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue[int]
		var plain []int
		next := 0
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				for range rapid.IntRange(1, 9).Draw(t, "values") {
					q.Push(&next)
					plain = append(plain, next)
					next++
				}
			},
			"pop": func(t *rapid.T) {
				if len(plain) == 0 {
					t.Skip("empty")
				}
				if got := *q.Pop(); got != plain[0] {
					t.Fatalf("%d left the queue, want %d", got, plain[0])
				}
				plain = plain[1:]
			},
			"": func(t *rapid.T) {
				if q.Len() != len(plain) {
					t.Fatalf("length %d, want %d", q.Len(), len(plain))
				}
				for i, want := range plain {
					if got := *q.At(i); got != want {
						t.Fatalf("value %d is %d, want %d", i, got, want)
					}
				}
				if len(plain) > 0 && *q.Front() != plain[0] {
					t.Fatalf("front %d, want %d", *q.Front(), plain[0])
				}
			},
		})
	})
}

func TestAQueueThatWasLongOnceAllocatesNoMore(t *testing.T) {
	var q Queue[[64]byte]
	var v [64]byte
	cycle := func() {
		for range 100 {
			q.Push(&v)
		}
		for range 100 {
			q.Pop()
		}
	}
	cycle()
	if got := testing.AllocsPerRun(10, cycle); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
