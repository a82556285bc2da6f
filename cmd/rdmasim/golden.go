package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rdmasim/rdmasim/verify"
	"github.com/rdmasim/rdmasim/verify/hpccns3"
	"github.com/rdmasim/rdmasim/verify/htsim"
)

// simulators are the other simulators whose runs can be compared with.
var simulators = []struct {
	name   string
	files  []string // of a run
	checks func(dir string) ([]verify.Check, error)
}{
	{"hpcc-ns3", hpccns3.Files, hpccns3.Checks},
	{"htsim", htsim.Files, htsim.Checks},
}

// golden returns a check of each run of another simulator in a directory, or in the
// folders in it that have a simulator's name.
func golden(dir string) (all []verify.Check, err error) {
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("--golden: %w", err)
	}
	for _, s := range simulators {
		for _, at := range []string{dir, filepath.Join(dir, s.name)} {
			if _, err := os.Stat(at); err != nil {
				continue
			}
			checks, err := s.checks(at)
			if err != nil {
				return nil, fmt.Errorf("--golden: %w", err)
			}
			all = append(all, checks...)
		}
	}
	if len(all) == 0 {
		var want []string
		for _, s := range simulators {
			want = append(want, strings.Join(s.files, ", ")+" of "+s.name)
		}
		return nil, fmt.Errorf("--golden %s: no folder in it holds a run of another simulator; want in each %s", dir, strings.Join(want, "; or "))
	}
	return all, nil
}
