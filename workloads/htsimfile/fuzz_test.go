package htsimfile

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/internal/jobtest"
)

// FuzzRead feeds any text to the reader: it is an error of one line that says where, or a job that finishes.
func FuzzRead(f *testing.F) {
	f.Add(everything)
	f.Add("Nodes 2\nConnections 3\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 1\n0->1 id 1 trigger 1 size 9 recv_done_trigger 1\n1->0 id 2 trigger 1 size 2\ntrigger id 1 multishot\n")
	f.Add("Nodes 2\nConnections 1\n0->1 start 99999999999999999999 size 1\n")
	f.Add("Nodes 1\nConnections 0\nFailures 1\nfailure switch_type CORE switch_id 0 link_id 0")
	place := regexp.MustCompile(`^f:[1-9][0-9]*: [^\n]+$`)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Read("f", strings.NewReader(text))
		if err != nil {
			if !place.MatchString(err.Error()) {
				t.Fatalf("the error %q is not one line that names the file and the line", err)
			}
			return
		}
		if file.Nodes > 100 || len(file.Connections) > 100 {
			return
		}
		job, _, err := file.Job()
		if err != nil {
			t.Fatal(err)
		}
		if err := job.Check(); err != nil {
			t.Fatal(err)
		}
		jobtest.Run(t, job, jobtest.Network{})
	})
}
