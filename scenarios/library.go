package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed library/*.yaml claims/*.yaml verify
var library embed.FS

// claimsFolder is where the scenarios lie that measure what people claim; see [Claims].
const claimsFolder = "claims/"

// verifyFolder is where the scenarios lie that hold the simulator against what is known; see [Verifications].
const verifyFolder = "verify/"

const extension = ".yaml"

// Names returns the names of the built-in scenarios, [Claims] included, in alphabetical order.
func Names() []string {
	names := append(namesIn("library"), Claims()...)
	slices.Sort(names)
	return names
}

// Claims returns the names of the built-in scenarios that each measure what people claim about RDMA beside TCP, in alphabetical
// order. No other scenario of the library has the name of one.
func Claims() []string { return namesIn(strings.TrimSuffix(claimsFolder, "/")) }

// namesIn returns the names of the scenarios of a folder, in alphabetical order.
func namesIn(folder string) []string {
	entries, err := library.ReadDir(folder)
	if err != nil {
		panic(err) // the folder is part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), extension)
	}
	slices.Sort(names) // a file's name sorts by its extension too
	return names
}

// Verifications returns the names of the built-in scenarios that hold the simulator against what is known, such as
// verify/incast-bound, in alphabetical order. Those that take long lie in verify/full.
func Verifications() (names []string) {
	err := fs.WalkDir(library, strings.TrimSuffix(verifyFolder, "/"), func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, strings.TrimSuffix(name, extension))
		}
		return err
	})
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return names
}

// Open returns the text of a built-in scenario, those of [Verifications] included. A claim is found with its folder too, as
// claims/NAME. The error suggests the name that was probably meant.
func Open(name string) ([]byte, error) {
	places := []string{"library/" + name, claimsFolder + name}
	if strings.HasPrefix(name, verifyFolder) || strings.HasPrefix(name, claimsFolder) {
		places = []string{name}
	}
	var text []byte
	err := fs.ErrNotExist
	for i := 0; i < len(places) && err != nil; i++ {
		text, err = library.ReadFile(places[i] + extension)
	}
	if err != nil {
		return nil, fmt.Errorf("there is no built-in scenario %q; %s", name, DidYouMean(name, Names()))
	}
	return text, nil
}

// Load reads a scenario, either a built-in one by its name or a file by its path, and applies overrides; see [Parse].
// A built-in name goes before a file of the same name; ./NAME means the file.
func Load(nameOrPath string, overrides ...string) (*Spec, error) {
	if text, err := Open(nameOrPath); err == nil {
		return Parse(nameOrPath+extension, text, overrides...)
	}
	text, err := readFile(nameOrPath)
	if err != nil {
		return nil, err
	}
	return Parse(nameOrPath, text, overrides...)
}

// readFile reads a scenario file, or says in a line why it cannot.
func readFile(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	switch {
	case err == nil:
		return text, nil
	case errors.Is(err, fs.ErrNotExist) && filepath.Base(name) == name:
		return nil, fmt.Errorf("%s: neither a file nor a built-in scenario; %s", name, DidYouMean(strings.TrimSuffix(name, extension), Names()))
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file", name)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return nil, fmt.Errorf("%s: cannot be read: %w", name, err)
}
