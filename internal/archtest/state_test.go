package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
)

var noInit = rule{
	name:    "no init functions",
	because: "what a program can do is listed in explicit tables, not assembled by imports",
	find: func(src *source) []finding {
		return src.each(func(n ast.Node) (string, bool) {
			f, ok := n.(*ast.FuncDecl)
			return "func init", ok && f.Recv == nil && f.Name.Name == "init"
		})
	},
	bad: `package p
type engine struct{}
func (engine) init() {}
func init() {} // bad
`,
}

var noYAMLMethods = rule{
	name:    "no YAML methods",
	because: "nothing below scenarios knows YAML; a method that decodes itself escapes the strict decoder's checks and positions",
	find: func(src *source) []finding {
		return src.each(func(n ast.Node) (string, bool) {
			f, ok := n.(*ast.FuncDecl)
			return "method UnmarshalYAML", ok && f.Recv != nil && f.Name.Name == "UnmarshalYAML"
		})
	},
	bad: `package p
type spec struct{}
func (*spec) UnmarshalYAML(func(any) error) error { return nil } // bad
func (*spec) UnmarshalText([]byte) error { return nil }
`,
}

var noGoroutines = rule{
	name:    "no goroutines outside the engine",
	because: "the engine alone deals nodes out to workers; model code runs on whichever worker calls it",
	find: func(src *source) []finding {
		return src.each(func(n ast.Node) (string, bool) {
			_, ok := n.(*ast.GoStmt)
			return "starts a goroutine", ok && src.path != "sim"
		})
	},
	bad: `package p
func f() {
	f()
	go f() // bad
}`,
}

var noPackageState = rule{
	name:    "no package state",
	because: "runs, and nodes on different workers, share no state but what they are given",
	find:    packageState,
	bad: `package p
import "sync"
type counter struct{ n int }
func (c *counter) add() { c.n++ }
func (c counter) value() int { return c.n }
var (
	kinds = []string{"pair", "star"}
	total counter
	seen = map[string]bool{}
	once sync.Once
)
func f() string {
	kinds := kinds
	kinds[0] = "local"
	_ = total.value()
	return kinds[0]
}
func g() {
	kinds[0] = "x" // bad
	kinds = append(kinds, "y") // bad
	total.n++ // bad
	total.add() // bad
	(&total).add() // bad
	once.Do(g) // bad
	seen["a"] = true // bad
	delete(seen, "a") // bad
	for _, kinds[1] = range kinds {} // bad
	_, total.n = 1, 2 // bad
}`,
}

// packageState finds everything that writes to a variable of package level, or could because it takes its address.
func packageState(src *source) []finding {
	var findings []finding
	src.walk(func(n ast.Node, _ []ast.Node) {
		for _, written := range src.written(n) {
			if v := src.packageVar(written); v != nil {
				findings = append(findings, finding{n.Pos(), "writes to package variable " + v.Name()})
			}
		}
	})
	return findings
}

// written returns the expressions to whose variables n writes or may write.
func (src *source) written(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		return []ast.Expr{n.Key, n.Value}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return []ast.Expr{n.X}
		}
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear" || id.Name == "copy") {
			return n.Args[:1]
		}
	case *ast.SelectorExpr:
		if src.takesAddress(n) {
			return []ast.Expr{n.X}
		}
	}
	return nil
}

// takesAddress reports whether n calls a method with a pointer receiver on a variable that is no pointer.
func (src *source) takesAddress(n *ast.SelectorExpr) bool {
	selection := src.info.Selections[n]
	if selection == nil || selection.Kind() != types.MethodVal || selection.Indirect() {
		return false
	}
	_, wantsPointer := selection.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
	_, isPointer := selection.Recv().Underlying().(*types.Pointer)
	return wantsPointer && !isPointer
}

// packageVar returns the variable of package level of which e is the whole or a part; nil if e is none.
func (src *source) packageVar(e ast.Expr) *types.Var {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := src.info.Uses[e].(*types.Var)
		if ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
			return v
		}
	case *ast.SelectorExpr:
		if v := src.packageVar(e.Sel); v != nil {
			return v // a variable of another package
		}
		return src.packageVar(e.X)
	case *ast.IndexExpr:
		return src.packageVar(e.X)
	case *ast.SliceExpr:
		return src.packageVar(e.X)
	case *ast.StarExpr:
		return src.packageVar(e.X)
	case *ast.ParenExpr:
		return src.packageVar(e.X)
	}
	return nil
}
