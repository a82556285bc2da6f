package schedule

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func TestAnOperationTakes40Bytes(t *testing.T) {
	if size := unsafe.Sizeof(Op{}); size != 40 {
		t.Errorf("%d bytes", size)
	}
}

func TestABuilderMakesOneGraphAfterTheOther(t *testing.T) {
	b := NewBuilder()
	for _, ops := range []int{0, 3, chunkOps, 2*chunkOps + 1, 1} {
		for i := range ops {
			if got := b.Add(Op{Kind: Send, Tag: uint32(i)}); got != i || b.Op(i).Tag != uint32(i) {
				t.Fatalf("operation %d has index %d", i, got)
			}
			if i > 1 {
				b.Requires(i, 0)
				b.IRequires(i, i-1)
			}
		}
		g, err := b.Graph()
		if err != nil || g.Ops() != ops || b.Ops() != 0 || g.Dependencies() != 2*max(0, ops-2) {
			t.Fatalf("%d operations: %+v, %v", ops, g, err)
		}
		for i := range ops {
			if g.Op(i).Tag != uint32(i) {
				t.Fatalf("operation %d of %d is %v", i, ops, g.Op(i))
			}
		}
	}
}

// TestAGraphIsWhatHasBeenTold compares with lists of what waits for what, kept the simple way.
func TestAGraphIsWhatHasBeenTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := rapid.IntRange(1, 20).Draw(t, "ops")
		place := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for i := range ops {
				if !yield(i) {
					return
				}
			}
		})).Draw(t, "order in which they can run")
		b := NewBuilder()
		for range ops {
			b.Add(Op{})
		}
		want, needs := make([][]Successor, ops), make([]int, ops)
		for range rapid.IntRange(0, 40).Draw(t, "pairs") {
			x, y := rapid.IntRange(0, ops-1).Draw(t, "x"), rapid.IntRange(0, ops-1).Draw(t, "y")
			if x == y {
				continue
			}
			before, after := place[min(x, y)], place[max(x, y)]
			needs[after]++
			if rapid.Bool().Draw(t, "start") {
				b.IRequires(after, before)
				want[before] = append(want[before], Successor(after)|onStart)
			} else {
				b.Requires(after, before)
				want[before] = append(want[before], Successor(after))
			}
		}
		g, err := b.Graph()
		if err != nil {
			t.Fatal(err)
		}
		for i := range ops {
			if got := g.Successors(i); !slices.Equal(got, want[i]) || g.Needs(i) != needs[i] {
				t.Fatalf("operation %d: %v follow and it waits for %d; want %v and %d", i, got, g.Needs(i), want[i], needs[i])
			}
		}
	})
}

// TestACircleIsFound closes a circle among operations of which others depend on it, and it on others.
func TestACircleIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ops = 30
		b := NewBuilder()
		for range ops {
			b.Add(Op{})
		}
		long := rapid.IntRange(1, 12).Draw(t, "length")
		waits := map[[2]int]bool{}
		add := func(after, before int, start bool) {
			waits[[2]int{after, before}] = true
			if start {
				b.IRequires(after, before)
			} else {
				b.Requires(after, before)
			}
		}
		for k := range long { // 10, 11, … wait for the one before, 10 for the last
			add(10+k, 10+(k+long-1)%long, rapid.Bool().Draw(t, "start"))
		}
		for i := range 10 {
			add(10+rapid.IntRange(0, long-1).Draw(t, "member"), i, false)
			add(29-rapid.IntRange(0, 5).Draw(t, "later"), 10+rapid.IntRange(0, long-1).Draw(t, "member"), false)
		}
		_, err := b.Graph()
		var circle *CycleError
		if !errors.As(err, &circle) || len(circle.Ops) != long {
			t.Fatalf("%v, %+v", err, circle)
		}
		for k, op := range circle.Ops {
			if next := circle.Ops[(k+1)%long]; !waits[[2]int{op, next}] {
				t.Fatalf("%v: %d does not wait for %d", err, op, next)
			}
		}
		if b.Ops() != 0 {
			t.Fatal("the builder is not ready for another graph")
		}
	})
}

func TestAnErrorNamesTheOperationsOfACircle(t *testing.T) {
	b := NewBuilder()
	b.Requires(b.Add(Op{}), 2)
	b.Requires(b.Add(Op{}), 0)
	b.IRequires(b.Add(Op{}), 1)
	_, err := b.Graph()
	if want := "operation 0 waits for operation 2, which waits for operation 1, which waits for operation 0"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	for i := range 100 {
		b.Requires(b.Add(Op{}), (i+1)%100)
	}
	_, err = b.Graph()
	if err == nil || !strings.HasSuffix(err.Error(), "which waits for operation 8, and so on round a circle of 100") {
		t.Error(err)
	}
	b.Requires(b.Add(Op{}), 0)
	if _, err = b.Graph(); err == nil || err.Error() != "operation 0 waits for operation 0" {
		t.Error(err)
	}
}

// Three tickets of a pool of two: the third operation waits for the end of either of the first two, whichever is first.
func TestSomeOfThoseItRequiresCanBeEnough(t *testing.T) {
	b := NewBuilder()
	for range 4 {
		b.Add(Op{Kind: Calc})
	}
	b.Requires(2, 0)
	b.Requires(2, 1)
	b.Suffices(2, 1)
	b.Requires(3, 2)
	g, err := b.Graph()
	if err != nil || g.Needs(2) != 1 || g.Needs(3) != 1 || g.Dependencies() != 3 {
		t.Fatalf("needs %d and %d, %d dependencies, %v", g.Needs(2), g.Needs(3), g.Dependencies(), err)
	}
	// Operation 2 goes on when 0 has finished, although 1 waits for 2 itself.
	for range 3 {
		b.Add(Op{Kind: Calc})
	}
	b.Requires(2, 0)
	b.Requires(2, 1)
	b.Requires(1, 2)
	b.Suffices(2, 1)
	if _, err := b.Graph(); err != nil {
		t.Error(err)
	}
	b.Add(Op{Kind: Calc})
	b.Add(Op{Kind: Calc})
	b.Requires(0, 1)
	b.Requires(0, 1)
	b.Requires(1, 0)
	b.Suffices(0, 1)
	var circle *CycleError
	if _, err := b.Graph(); !errors.As(err, &circle) {
		t.Errorf("error %v, want a circle", err)
	}
}
