package archtest

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

var noUnrepeatableImports = rule{
	name:    "no unrepeatable imports",
	because: "the same scenario and seed give the same bits on every machine at every time",
	find: func(src *source) []finding {
		return src.imports(map[string]string{
			"time":         "reads the wall clock; simulated time is units.Time",
			"math/rand":    "its sequences are not those of math/rand/v2; draw from a stream of the engine",
			"crypto/rand":  "cannot be seeded",
			"hash/maphash": "has another seed in every process",
		})
	},
	bad: `package p
import (
	_ "time" // bad
	_ "math/rand" // bad
	_ "math/rand/v2"
	_ "strings"
)`,
}

var noGlobalRandomness = rule{
	name:    "no global randomness",
	because: "random numbers come from a stream that is named and seeded per entity",
	find: func(src *source) []finding {
		constructors := []string{"New", "NewPCG", "NewChaCha8"}
		return src.each(func(n ast.Node) (string, bool) {
			f := src.usedFunc(n)
			if f == nil || f.Pkg() == nil || f.Pkg().Path() != "math/rand/v2" || f.Signature().Recv() != nil {
				return "", false
			}
			return "rand." + f.Name() + " draws from the process's own generator", !slices.Contains(constructors, f.Name())
		})
	},
	bad: `package p
import "math/rand/v2"
func f() (int, int) {
	g := rand.New(rand.NewPCG(1, 2))
	return g.IntN(5),
		rand.IntN(5) // bad
}
var shuffle = rand.Shuffle // bad
`,
}

var noMapOrder = rule{
	name:    "no map order",
	because: "the order of a map differs from run to run; keep a slice, or range over slices.Sorted(maps.Keys(m))",
	find:    mapOrder,
	bad: `package p
import (
	"maps"
	"slices"
)
type counters map[string]int
func f(m map[int]int, c counters, s []int) {
	for range s {}
	for range m {} // bad
	for k := range c { _ = k } // bad
	for _, k := range slices.Sorted(maps.Keys(m)) { _ = k }
	for k := range maps.Keys(m) { _ = k } // bad
	_ = slices.Collect(maps.Values(c)) // bad
	_, _ = m[1], len(m)
}
func g[M ~map[int]int](m M) {
	for range m {} // bad
}`,
}

// mapOrder finds loops over maps, and iterators over maps that are not sorted at once.
func mapOrder(src *source) []finding {
	var findings []finding
	src.walk(func(n ast.Node, enclosing []ast.Node) {
		switch n := n.(type) {
		case *ast.RangeStmt:
			if isMap(src.info.TypeOf(n.X)) {
				findings = append(findings, finding{n.Pos(), "ranges over a map"})
			}
		case *ast.Ident:
			f := src.usedFunc(n)
			iterators := []string{"maps.Keys", "maps.Values", "maps.All"}
			if f != nil && slices.Contains(iterators, f.FullName()) && !src.isSorted(enclosing) {
				findings = append(findings, finding{n.Pos(), f.FullName() + " in the order of the map"})
			}
		}
	})
	return findings
}

// isMap reports whether t is a map, or a type parameter that stands for maps.
func isMap(t types.Type) bool {
	if param, ok := t.(*types.TypeParam); ok {
		if constraint, ok := param.Underlying().(*types.Interface); ok && constraint.NumEmbeddeds() > 0 {
			t = constraint.EmbeddedType(0)
		}
	}
	if union, ok := t.(*types.Union); ok {
		t = union.Term(0).Type()
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// isSorted reports whether the innermost call but one among the enclosing nodes is one of slices.Sorted….
func (src *source) isSorted(enclosing []ast.Node) bool {
	calls := 0
	for _, n := range slices.Backward(enclosing) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		if calls++; calls < 2 {
			continue
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		f := src.usedFunc(selector.Sel)
		return f != nil && strings.HasPrefix(f.FullName(), "slices.Sorted")
	}
	return false
}

// usedFunc returns the function or method that n names; nil if n names none.
func (src *source) usedFunc(n ast.Node) *types.Func {
	if id, ok := n.(*ast.Ident); ok {
		f, _ := src.info.Uses[id].(*types.Func)
		return f
	}
	return nil
}
