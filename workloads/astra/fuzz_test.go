package astra

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzRead feeds any text to the reader: it is an error of one line that says where, or a job that can finish.
func FuzzRead(f *testing.F) {
	f.Add(simAI)
	f.Add("DATA\n2\na -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 100 5\nb -1 1 ALLREDUCE 9 2 NONE 0 3 ALLREDUCE 100 0\n")
	f.Add("HYBRID_DLRM 1\n3\nE -1 10 ALLTOALL 100 1 ALLTOALL 100 2 NONE 0 0\nb -1 20 NONE 0 3 NONE 0 4 NONE 0 0\nt -1 30 NONE 0 5 NONE 0 6 ALLREDUCE 7 0\n")
	f.Add("HYBRID_CUSTOMIZED\n1\nmlp0\t-1\t1\tALLGATHER\t3\t2\tREDUCESCATTER\t3\t2\tALLREDUCE\t3\t3 HYBRID_DATA_MODEL\n")
	place := regexp.MustCompile(`^f:[1-9][0-9]*: [^\n]+$`)
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Read("f", strings.NewReader(text))
		if err == nil && len(table.Layers) < 100 && table.GPUs <= 64 {
			ranks := table.GPUs
			if ranks == 0 {
				ranks = 8
			}
			job, _, wrong := table.Job(Options{Ranks: ranks, PerNode: 4})
			if err = wrong; err == nil {
				if err := job.Check(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err != nil && !place.MatchString(err.Error()) {
			t.Fatalf("the error %q is not one line that names the file and the line", err)
		}
	})
}
