package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// exactMath lists the functions of package math whose result is exact or correctly rounded, hence the same everywhere.
// The others (Exp, Log, Pow, Sin …) have assembly on some processors, with another last bit.
var exactMath = []string{
	"Abs", "Ceil", "Copysign", "Dim", "FMA", "Float32bits", "Float32frombits", "Float64bits", "Float64frombits", "Floor",
	"Frexp", "Inf", "IsInf", "IsNaN", "Ldexp", "Max", "Min", "Mod", "Modf", "NaN", "Nextafter", "Remainder", "Round",
	"RoundToEven", "Signbit", "Sqrt", "Trunc",
}

var onlyPortableMath = rule{
	name:    "only portable math",
	because: "the last bit of Exp, Log, Pow and their like, and of the distributions built on them, depends on the processor",
	find: func(src *source) []finding {
		return src.each(func(n ast.Node) (string, bool) {
			f := src.usedFunc(n)
			if f == nil || f.Pkg() == nil {
				return "", false
			}
			switch f.Pkg().Path() {
			case "math":
				return "math." + f.Name(), !slices.Contains(exactMath, f.Name())
			case "math/rand/v2":
				logarithmic := []string{"NormFloat64", "ExpFloat64", "NewZipf"}
				return "rand." + f.Name(), slices.Contains(logarithmic, f.Name())
			}
			return "", f.Pkg().Path() == "math/cmplx"
		})
	},
	bad: `package p
import (
	"math"
	"math/rand/v2"
)
func f(x float64, g *rand.Rand) float64 {
	x = math.Sqrt(math.Floor(x)) + math.Pi + g.Float64()
	x = math.Exp(x) // bad
	x = math.Log2(x) // bad
	power := math.Pow // bad
	return power(x, 2) + g.ExpFloat64() // bad
}`,
}

var noFusedProducts = rule{
	name: "no fused products",
	because: "a compiler may fuse x*y + z, even across statements, and round once instead of twice; " +
		"the conversion float64(x*y) forbids it (Go specification, Floating-point operators)",
	find: fusedProducts,
	bad: `package p
import "math"
type gain float64
type state struct{ alpha float64 }
func f(a, b, c float64, s *state, g gain) float64 {
	r := float64(a*b) + c
	r = a*b + c // bad
	r = c - (a * b) // bad
	r = -(a * b) + c // bad
	r += a * b // bad
	r *= b // bad
	r = float64(r*b)
	t := a * b // bad
	s.alpha = float64((1-b)*s.alpha) + float64(b*c)
	s.alpha = (1 - b) * s.alpha // bad
	if a*b < c && a*b*c/2 < c {
		r = math.Floor(a*b) + c
	}
	r = f(a*b, b, c, s, gain(g*g)) // bad
	const half = 0.5 * 4 + 1
	n := 3*int(a) + int(a*b)
	return r + t + float64(n) + half*2
}
func g(a, b float64) float64 {
	return a * b // bad
}
func h[F ~float64](a, b, c F) F {
	return a*b + c // bad
}`,
}

// fusedProducts finds the products of floats that the compiler may fuse with an addition: all those that are not
// rounded by a conversion or at once used in a way in which nothing fuses.
func fusedProducts(src *source) []finding {
	var findings []finding
	src.walk(func(n ast.Node, enclosing []ast.Node) {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.MUL && src.isFloat(n) && !src.isRounded(enclosing) {
				findings = append(findings, finding{n.Pos(), "product of floats not written float64(x*y)"})
			}
		case *ast.AssignStmt:
			if n.Tok == token.MUL_ASSIGN && src.isFloat(n.Lhs[0]) {
				findings = append(findings, finding{n.Pos(), "x *= y of floats not written x = float64(x*y)"})
			}
		}
	})
	return findings
}

// isFloat reports whether e is a float that is not constant.
func (src *source) isFloat(e ast.Expr) bool {
	typed := src.info.Types[e]
	if typed.Value != nil {
		return false
	}
	t := typed.Type
	if param, ok := t.(*types.TypeParam); ok {
		constraint := param.Underlying().(*types.Interface)
		return constraint.NumEmbeddeds() > 0 && hasFloat(constraint.EmbeddedType(0))
	}
	return hasFloat(t)
}

// hasFloat reports whether t is a float or a union that has one among its terms.
func hasFloat(t types.Type) bool {
	if union, ok := t.(*types.Union); ok {
		for term := range union.Terms() {
			if hasFloat(term.Type()) {
				return true
			}
		}
	}
	if constraint, ok := t.Underlying().(*types.Interface); ok {
		return constraint.NumEmbeddeds() > 0 && hasFloat(constraint.EmbeddedType(0))
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsFloat != 0
}

// isRounded reports whether the innermost of the enclosing nodes rounds a product, or uses it where nothing fuses.
func (src *source) isRounded(enclosing []ast.Node) bool {
	for _, n := range slices.Backward(enclosing) {
		switch n := n.(type) {
		case *ast.ParenExpr:
			continue
		case *ast.UnaryExpr: // a sign does not round
			continue
		case *ast.BinaryExpr:
			return n.Op != token.ADD && n.Op != token.SUB
		case *ast.CallExpr:
			return src.isConversion(n) || src.isForeign(n)
		}
		return false
	}
	return false
}

func (src *source) isConversion(call *ast.CallExpr) bool { return src.info.Types[call.Fun].IsType() }

// isForeign reports whether call is to another module's function or a builtin; ours may be inlined.
func (src *source) isForeign(call *ast.CallExpr) bool {
	if src.info.Types[call.Fun].IsBuiltin() {
		return true
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f := src.usedFunc(selector.Sel)
	return f != nil && f.Pkg() != nil && f.Pkg() != src.types && !isOurs(f.Pkg().Path())
}
