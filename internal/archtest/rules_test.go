package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// rule is a ban with its reason.
type rule struct {
	name    string
	because string
	find    func(*source) []finding
	bad     string // source that breaks the rule on every line that says "// bad"
}

// finding is a place where a rule is broken.
type finding struct {
	at   token.Pos
	what string
}

// modelPackages run in simulated time; whatever they do must come out the same on every machine.
var modelPackages = []string{"sim", "wire", "pfc", "cc", "dcqcn", "tcp", "fabric", "rnic", "host", "schedule", "storage", "programs", "faults", "workloads"}

// modelRules hold in the model packages and all below them. They need types.
var modelRules = []rule{
	noUnrepeatableImports, noGlobalRandomness, noMapOrder, noPackageState, noGoroutines, onlyPortableMath, noFusedProducts,
}

// rules hold in every package.
var rules = []rule{noInit, noYAMLMethods, everyNameDocumented}

func isModel(path string) bool {
	for _, model := range modelPackages {
		if path == model || strings.HasPrefix(path, model+"/") {
			return true
		}
	}
	return false
}

func TestModelIsDeterministic(t *testing.T) {
	var packages []listedPackage
	var paths []string
	for _, pkg := range listPackages(t) {
		if isModel(relative(pkg.ImportPath)) {
			packages, paths = append(packages, pkg), append(paths, pkg.ImportPath)
		}
	}
	exports := exportedTypes(t, paths...)
	for _, pkg := range packages {
		src := parse(t, pkg)
		if err := src.check(exports); err != nil {
			t.Errorf("%s does not compile: %v", src.path, err)
			continue
		}
		report(t, src, modelRules)
	}
}

func TestEveryPackageKeepsTheHouseRules(t *testing.T) {
	for _, pkg := range listPackages(t) {
		report(t, parse(t, pkg), rules)
	}
}

// report fails t for every place in src that breaks one of the rules.
func report(t *testing.T, src *source, rules []rule) {
	t.Helper()
	for _, r := range rules {
		for _, f := range r.find(src) {
			t.Errorf("%v: %s\n\t%s: %s", src.fset.Position(f.at), f.what, r.name, r.because)
		}
	}
}

// TestEveryRuleCanFail runs each rule over source that breaks it, and wants it found on exactly the marked lines.
func TestEveryRuleCanFail(t *testing.T) {
	exports := exportedTypes(t, "maps", "math", "math/rand", "math/rand/v2", "math/big", "slices", "strings", "sync", "time")
	for _, r := range slices.Concat(modelRules, rules) {
		t.Run(r.name, func(t *testing.T) {
			src := parseText(t, "fabric", r.bad)
			if err := src.check(exports); err != nil {
				t.Fatal(err)
			}
			found := map[int]string{}
			for _, f := range r.find(src) {
				found[src.fset.Position(f.at).Line] = f.what
			}
			for i, line := range strings.Split(r.bad, "\n") {
				what, isFound := found[i+1]
				if isBad := strings.Contains(line, "// bad"); isBad != isFound {
					t.Errorf("line %d: found %q, want it found: %v\n%s", i+1, what, isBad, line)
				}
			}
		})
	}
}

func TestGoroutinesBelongToTheEngine(t *testing.T) {
	text := "package sim\nfunc f() { go f() }"
	for path, want := range map[string]int{"sim": 0, "sim/random": 1, "fabric": 1} {
		if got := len(noGoroutines.find(parseText(t, path, text))); got != want {
			t.Errorf("%d findings in %s, want %d", got, path, want)
		}
	}
}

func TestModelIncludesWhatLiesBelowItsPackages(t *testing.T) {
	for path, want := range map[string]bool{
		"sim": true, "sim/units": true, "fabric/topology": true, "results": false, "simulate": false, "scenarios": false,
	} {
		if got := isModel(path); got != want {
			t.Errorf("%s is of the model: %v, want %v", path, got, want)
		}
	}
}

// walk calls visit for every node of src with the nodes that enclose it, innermost last.
func (src *source) walk(visit func(n ast.Node, enclosing []ast.Node)) {
	for _, file := range src.files {
		var enclosing []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				enclosing = enclosing[:len(enclosing)-1]
				return true
			}
			visit(n, enclosing)
			enclosing = append(enclosing, n)
			return true
		})
	}
}

// each collects what find makes of every node of src.
func (src *source) each(find func(n ast.Node) (what string, broken bool)) []finding {
	var findings []finding
	src.walk(func(n ast.Node, _ []ast.Node) {
		if what, broken := find(n); broken {
			findings = append(findings, finding{n.Pos(), what})
		}
	})
	return findings
}

// imports returns the findings for imports that are banned, by path.
func (src *source) imports(banned map[string]string) []finding {
	return src.each(func(n ast.Node) (string, bool) {
		spec, ok := n.(*ast.ImportSpec)
		if !ok {
			return "", false
		}
		why, isBanned := banned[strings.Trim(spec.Path.Value, `"`)]
		return fmt.Sprintf("imports %s (%s)", spec.Path.Value, why), isBanned
	})
}
