package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Folders returns those of a directory and the folders in it that hold a run of another simulator: all of some files, as
// they are or with .gz added. One that holds two of them or more, but not all, is an error: a run that is not compared because a
// file was forgotten must not look like one that agrees.
func Folders(dir string, files ...string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	candidates := []string{dir}
	for _, e := range entries {
		candidates = append(candidates, filepath.Join(dir, e.Name()))
	}
	var runs []string
	for _, at := range candidates {
		switch missing := lacking(at, files); {
		case len(missing) == 0:
			runs = append(runs, at)
		case len(files)-len(missing) >= 2:
			return nil, fmt.Errorf("%s: half a run: no %s; a run has %s", at, strings.Join(missing, ", "), strings.Join(files, ", "))
		}
	}
	return runs, nil
}

// lacking returns which of some files a folder does not hold.
func lacking(folder string, files []string) (missing []string) {
	for _, name := range files {
		_, plain := os.Stat(filepath.Join(folder, name))
		_, packed := os.Stat(filepath.Join(folder, name+".gz"))
		if plain != nil && packed != nil {
			missing = append(missing, name)
		}
	}
	return missing
}
