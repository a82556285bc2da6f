package results

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// ReadCompared reads the directory of results that a run has left, to set it beside others under a name. The error says what
// is missing, and where.
func ReadCompared(name, dir string) (Compared, error) {
	s, err := ReadSummary(dir)
	if err != nil {
		return Compared{}, err
	}
	fcts, err := readFCTs(dir)
	return Compared{Name: name, Summary: s, FCTs: fcts}, err
}

// ReadSummary reads summary.json in the directory that a run has left. Of what stands in no file, such as the wall time, it has
// nothing; of variants and sweeps, what the summary says of them. The error says what is missing, and where.
func ReadSummary(dir string) (*Summary, error) {
	if _, err := os.Stat(filepath.Join(dir, ManifestName)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no %s in it: give the directory that a run has left, such as out/incast", ManifestName)
		}
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	file := filepath.Join(dir, "summary.json")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var document SummaryDocument
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &document.Summary, nil
}

// readFCTs are the completion times of the flows that count and are done, by flows.csv.
func readFCTs(dir string) (fcts []units.Time, err error) {
	file := filepath.Join(dir, "flows.csv")
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	fct, counted, status := slices.Index(head, "fct_us"), slices.Index(head, "counted"), slices.Index(head, "status")
	if fct < 0 || counted < 0 || status < 0 {
		return nil, fmt.Errorf("%s has no column fct_us, counted or status: it was written by another version of rdmasim", file)
	}
	for {
		cells, err := r.Read()
		if err == io.EOF {
			return fcts, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if cells[fct] == "" || cells[counted] != "1" || cells[status] != "SUCCESS" {
			continue
		}
		t, err := units.ParseTime(cells[fct] + "us")
		if err != nil {
			return nil, fmt.Errorf("%s: column fct_us: %w", file, err)
		}
		fcts = append(fcts, t)
	}
}
