package chakra

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Traces finds the files of a trace. A path that is a file is the trace of one rank; otherwise it is what the names of the files
// begin with: path.0.et, path.1.et and so on, each of which may be packed (.et.gz). All ranks from 0 on must be there.
func Traces(path string) (files []string, err error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		return []string{path}, nil
	}
	dir, prefix := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	name := regexp.MustCompile(`^` + regexp.QuoteMeta(prefix) + `\.(0|[1-9][0-9]{0,8})\.et(\.gz)?$`)
	byRank := map[int]string{}
	last := -1
	for _, entry := range entries {
		match := name.FindStringSubmatch(entry.Name())
		if match == nil {
			continue
		}
		rank, _ := strconv.Atoi(match[1])
		if other, twice := byRank[rank]; twice {
			return nil, fmt.Errorf("rank %d has two files, %s and %s", rank, other, filepath.Join(dir, entry.Name()))
		}
		byRank[rank] = filepath.Join(dir, entry.Name())
		last = max(last, rank)
	}
	if last < 0 {
		return nil, fmt.Errorf("there is neither a file %s nor %s.0.et", path, path)
	}
	for rank := range last + 1 {
		file, is := byRank[rank]
		if !is {
			return nil, fmt.Errorf("%s.%d.et is missing, and there is %s", path, rank, filepath.Base(byRank[last]))
		}
		files = append(files, file)
	}
	return files, nil
}
