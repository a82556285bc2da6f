package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rdmasim/rdmasim/results"
)

// checkResults reads the manifest of a directory of results and makes sure that
// the directory holds the files it lists, with the sums it lists, and no others but
// in folders of other runs, which are checked likewise.
func checkResults(dir string) (results.Manifest, error) {
	var m results.Manifest
	text, err := os.ReadFile(filepath.Join(dir, results.ManifestName))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, err
	}
	left := map[string]string{results.ManifestName: fmt.Sprintf("%x", sha256.Sum256(text))}
	for _, f := range m.Files {
		left[f.Name] = f.SHA256
	}
	for _, folder := range m.Folders {
		if _, err := checkResults(filepath.Join(dir, folder)); err != nil {
			return m, err
		}
	}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(m.Folders, filepath.ToSlash(name)) {
				return fs.SkipDir
			}
			return nil
		}
		content, err := os.ReadFile(path)
		if sum := fmt.Sprintf("%x", sha256.Sum256(content)); err == nil && left[filepath.ToSlash(name)] != sum {
			err = fmt.Errorf("%s is not in the manifest, or differs from what it lists", path)
		}
		delete(left, filepath.ToSlash(name))
		return err
	})
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("%s lists files that are not there: %v", dir, left)
	}
	return m, err
}

// withoutExecution is what must not differ between two runs of one scenario.
func withoutExecution(m results.Manifest) results.Manifest {
	m.Execution = results.Execution{}
	return m
}

// missing is an error if there is something at a path.
func missing(path string) error {
	_, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s was made", path)
}
