package results

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Dir is the directory that receives the files of one run. It is not safe for concurrent use.
//
// The results of an earlier run in the same directory stay whole until the first file of this run is ready. Then that
// run's manifest is removed, then every file it lists, so that no stale file can pass for a result of this run; files
// no manifest lists were not ours and are left alone. As the manifest is written last, a directory without one holds
// what a killed process had managed to write.
type Dir struct {
	path    string
	stale   []string // files of the earlier run, until the first Write has removed them
	written []File
	folders []string // those of other runs within
	outer   *Dir     // the directory that this one is a folder of, if any
}

// Within returns a folder of the directory, as the directory of another run, with a manifest of its own. The manifest of
// the outer directory names the folder, so that its files go with the others when the run is replaced.
func (d *Dir) Within(folder string) *Dir {
	d.folders = append(d.folders, folder)
	return &Dir{path: d.join(folder), outer: d}
}

// File is a file of a run, as the manifest lists it.
type File struct {
	Name   string `json:"name" doc:"path below the output directory, with slashes"`
	Bytes  int64  `json:"size_bytes" doc:"size of the file"`
	SHA256 string `json:"sha256" doc:"SHA-256 of the file's content"`
}

// Prepare makes the directory, and those above it, and makes sure that files can be made in it, by making one. The path
// may be relative to the working directory. The error names the path; nothing needs to be undone after one.
//
// A directory without a manifest that holds a file of one of the given names is refused: the file is somebody else's.
func Prepare(path string, names ...string) (*Dir, error) {
	if path == "" {
		return nil, errors.New("output directory: the path is empty")
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("output directory %s: %w", path, err)
	}
	if err := tryToWrite(path); err != nil {
		return nil, fmt.Errorf("output directory %s: %w", path, err)
	}
	stale, err := listedFiles(path)
	if err != nil {
		return nil, fmt.Errorf("output directory %s: %w", path, err)
	}
	if len(stale) == 0 {
		for _, name := range names {
			if _, err := os.Lstat(filepath.Join(path, name)); err == nil {
				return nil, fmt.Errorf("output directory %s: it holds %s but no %s, so that file is not ours to overwrite; choose another directory",
					path, name, ManifestName)
			}
		}
	}
	return &Dir{path: path, stale: stale}, nil
}

// tryToWrite makes a file and removes it: permission bits tell nothing about root, read-only mounts and full disks.
func tryToWrite(path string) error {
	probe, err := os.CreateTemp(path, ".rdmasim-probe-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Path returns the path given to Prepare.
func (d *Dir) Path() string { return d.path }

// Files returns the files written so far, in order of name.
func (d *Dir) Files() []File {
	files := slices.Clone(d.written)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// Write makes the file of that name, or replaces it, with what write writes; directories in the name ("series/queue.csv")
// are made. The content goes to a temporary file beside it, which takes the name when it is complete: if anything fails
// there is no new file, and the error names it. The name must stay within the directory.
func (d *Dir) Write(name string, write func(io.Writer) error) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("results file %s: not a path within the output directory", name)
	}
	replaced := d
	if d.outer != nil {
		replaced = d.outer
	}
	err := replaced.removeStale()
	if err == nil {
		err = d.replace(name, write)
	}
	if err != nil {
		return fmt.Errorf("results file %s: %w", filepath.Join(d.path, name), err)
	}
	return nil
}

func (d *Dir) replace(name string, write func(io.Writer) error) error {
	target := d.join(name)
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return err
	}
	temporary := filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".tmp")
	sum := &checksum{hash: sha256.New()}
	err := writeFile(temporary, sum, write)
	if err == nil {
		err = os.Rename(temporary, target)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(temporary))
	}
	d.written = slices.DeleteFunc(d.written, func(f File) bool { return f.Name == name })
	d.written = append(d.written, File{name, sum.bytes, fmt.Sprintf("%x", sum.hash.Sum(nil))})
	return nil
}

func (d *Dir) join(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// writeFile runs write on the file and on sum.
func writeFile(path string, sum io.Writer, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<16)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	return errors.Join(err, f.Close())
}

// checksum counts and hashes what is written to it.
type checksum struct {
	hash  hash.Hash
	bytes int64
}

func (c *checksum) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return c.hash.Write(p)
}
