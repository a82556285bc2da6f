package archtest

import (
	"go/ast"
)

var everyNameDocumented = rule{
	name:    "every exported name is documented",
	because: "units, ranges, errors and the meaning of the zero value are told where the name is declared",
	find: func(src *source) []finding {
		findings := packageComment(src)
		for _, file := range src.files {
			for _, decl := range file.Decls {
				switch decl := decl.(type) {
				case *ast.FuncDecl:
					findings = append(findings, undocumentedFunc(decl)...)
				case *ast.GenDecl:
					findings = append(findings, undocumentedSpecs(decl)...)
				}
			}
		}
		return findings
	},
	bad: `package p // bad
// Documented is.
func Documented() {}
func Bare() {} // bad
func internal() {}
type hidden struct{ Field int }
func (hidden) Method() {}
// Port sends.
type Port struct{ Rate int }
func (*Port) Send() {} // bad
// Receive takes a frame.
func (*Port) Receive() {}
type Queue []int // bad
// Controller decides.
type Controller interface {
	// OnAck takes an ACK.
	OnAck()
	onLoss()
	OnCNP(); onTimer() // bad
}
// Listener hears.
type Listener interface{ Hear() }
// The kinds.
const (
	A = iota
	B
)
var (
	D = 1 /* bare */; d = 2 // bad
	// E is.
	E = 1
)
`,
}

// packageComment finds a package of which no file says what it is.
func packageComment(src *source) []finding {
	for _, file := range src.files {
		if file.Doc != nil {
			return nil
		}
	}
	if len(src.files) == 0 {
		return nil
	}
	return []finding{{src.files[0].Package, "package without a comment"}}
}

// undocumentedFunc finds an exported function, or method of an exported type, without a comment.
func undocumentedFunc(f *ast.FuncDecl) []finding {
	if f.Doc != nil || !f.Name.IsExported() || f.Recv != nil && !ast.IsExported(receiver(f)) {
		return nil
	}
	return []finding{{f.Pos(), f.Name.Name + " has no comment"}}
}

// receiver returns the name of the type of which f is a method.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	for {
		switch e := t.(type) {
		case *ast.StarExpr:
			t = e.X
		case *ast.IndexExpr:
			t = e.X
		case *ast.IndexListExpr:
			t = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

// undocumentedSpecs finds the exported types, constants and variables of decl without a comment, and the methods of
// interfaces. The comment of a group of constants or variables speaks for all of them, that of an interface for its
// only method.
func undocumentedSpecs(decl *ast.GenDecl) []finding {
	var findings []finding
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Doc == nil && (decl.Doc == nil || decl.Lparen.IsValid()) {
				findings = append(findings, undocumentedNames([]*ast.Ident{spec.Name})...)
			}
			if t, ok := spec.Type.(*ast.InterfaceType); ok && spec.Name.IsExported() && len(t.Methods.List) > 1 {
				findings = append(findings, undocumentedMethods(t)...)
			}
		case *ast.ValueSpec:
			if decl.Doc == nil && spec.Doc == nil && spec.Comment == nil {
				findings = append(findings, undocumentedNames(spec.Names)...)
			}
		}
	}
	return findings
}

// undocumentedMethods finds the methods of an interface without a comment.
func undocumentedMethods(t *ast.InterfaceType) []finding {
	var findings []finding
	for _, method := range t.Methods.List {
		if method.Doc == nil && method.Comment == nil {
			findings = append(findings, undocumentedNames(method.Names)...)
		}
	}
	return findings
}

// undocumentedNames returns a finding for each of the names that is exported.
func undocumentedNames(names []*ast.Ident) []finding {
	var findings []finding
	for _, name := range names {
		if name.IsExported() {
			findings = append(findings, finding{name.Pos(), name.Name + " has no comment"})
		}
	}
	return findings
}
