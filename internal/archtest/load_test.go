package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// listedPackage is what `go list -json` tells of a package.
type listedPackage struct {
	ImportPath, Dir  string
	GoFiles, Imports []string
	Export           string // file with the compiled package's types
}

var moduleRoot = filepath.Join("..", "..")

// listPackages returns all packages of the module.
func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	if err := openDirectories(moduleRoot); err != nil {
		t.Fatal(err)
	}
	return goList(t, "./...")
}

// openDirectories opens root and the directories below it, so that a new file in one of them ends the time for which
// `go test` keeps a passed result: it knows what the test opens, not what the `go list` that the test runs does.
func openDirectories(root string) error {
	return filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		return err
	})
}

// goList returns what `go list` says of args, in its order.
func goList(t *testing.T, args ...string) []listedPackage {
	t.Helper()
	// With its profile for the compiler a program has a variant of each package to itself.
	cmd := exec.Command("go", append([]string{"list", "-pgo=off", "-e", "-json=ImportPath,Dir,GoFiles,Imports,Export"}, args...)...)
	cmd.Dir = moduleRoot
	var problems bytes.Buffer
	cmd.Stderr = &problems
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, &problems)
	}
	var packages []listedPackage
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var pkg listedPackage
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, pkg)
	}
}

// source is a parsed package; types and info are nil unless it was checked.
type source struct {
	path  string // relative to the module
	fset  *token.FileSet
	files []*ast.File
	types *types.Package
	info  *types.Info
}

// parse reads the files of pkg, without its tests.
func parse(t *testing.T, pkg listedPackage) *source {
	t.Helper()
	src := &source{path: relative(pkg.ImportPath), fset: token.NewFileSet()}
	for _, name := range pkg.GoFiles {
		src.add(t, filepath.Join(pkg.Dir, name), nil)
	}
	return src
}

// add parses a file; its text, if that is not nil, instead of what the disk has.
func (src *source) add(t *testing.T, name string, text any) {
	t.Helper()
	file, err := parser.ParseFile(src.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	src.files = append(src.files, file)
}

// parseText reads one file of source text as the package of that path.
func parseText(t *testing.T, path, text string) *source {
	t.Helper()
	src := &source{path: path, fset: token.NewFileSet()}
	src.add(t, "", text)
	return src
}

// check finds the types of src, reading those of imported packages from the files in exports.
func (src *source) check(exports map[string]string) error {
	open := func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no types of %s", path)
		}
		return os.Open(exports[path])
	}
	src.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	config := types.Config{Importer: importer.ForCompiler(src.fset, "gc", open)}
	var err error
	src.types, err = config.Check(src.path, src.fset, src.files, src.info)
	return err
}

// exportedTypes compiles the packages, where the build cache does not have them, and returns by import path the files
// with their types and those of all they import.
func exportedTypes(t *testing.T, packages ...string) map[string]string {
	t.Helper()
	exports := map[string]string{}
	for _, pkg := range goList(t, append([]string{"-export", "-deps"}, packages...)...) {
		exports[pkg.ImportPath] = pkg.Export
	}
	return exports
}
