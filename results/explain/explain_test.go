package explain_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/results/explain"
)

// small is a run of four flows: two on one uplink though there are two, one of them
// unfinished; and a victim of the pauses of the port to h0.
var small = map[string]string{
	"manifest.json": `{"tool": "rdmasim"}`,
	"summary.json": `{"scenario": "small", "outcome": "time-limit", "seed": 7, "digest": "00ff", "simulated_time_us": 100,
		"flows": {"total": 4, "done": 3, "failed": 0}, "why": ["ECN is off."], "warnings": ["take care"]}`,
	"flows.csv": `flow,src,dst,qpn,path,path_ports,path_ways,start_us,last_byte_us,last_ack_us,fct_us,slowdown,status,waits_for,last_sent_us,bound_by,bound_link_us,bound_pause_us,bound_network_us,paused_by,victim_of,victim_at,victim_us
0,h8,h0,17,h8>leaf1>spine0>leaf0>h0,h8:0>leaf1:8>spine0:0>leaf0:0,1>2>1>1,0,48,50,50,5.0,SUCCESS,,30,pause,10,30,10,leaf0:0,,,0
1,h9,h0,17,h9>leaf1>spine0>leaf0>h0,h9:0>leaf1:8>spine0:0>leaf0:0,1>2>1>1,10,,,,,UNFINISHED,its turn at the port,,link,60,30,0,leaf0:0,,,0
2,h10,h1,17,h10>leaf1>spine1>leaf0>h1,h10:0>leaf1:9>spine1:0>leaf0:1,1>2>1>1,0,9,10,10,1.0,SUCCESS,,8,link,8,0,2,,,,0
3,h15,h24,17,h15>leaf1>spine0>leaf3>h24,h15:0>leaf1:8>spine0:3>leaf3:0,1>2>1>1,60,99,100,40,4.0,SUCCESS,,80,pause,10,20,10,leaf0:0,leaf0:0,leaf1:8,20
`,
	"pause_causes.csv": `paused_port,priority,asked_by,chain,root_port,root_peer,root,pauses,asked_us,first_us,last_us
spine0:0,3,leaf0,spine0:0>leaf0:0,leaf0:0,h0,link,3,30,1,90
leaf1:8,3,spine0,leaf1:8>spine0:0>leaf0:0,leaf0:0,h0,link,2,25,2,80
h8:0,3,leaf1,h8:0>leaf1:8>spine0:0>leaf0:0,leaf0:0,h0,link,1,20,3,70
leaf0:5,3,h5,leaf0:5,leaf0:5,h5,host,1,4,,
`,
}

// written is a directory with some files.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// explained is what is said of a run.
func explained(t *testing.T, files map[string]string, o explain.Options) string {
	t.Helper()
	run, err := explain.Load(written(t, files))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := run.Write(&text, o); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestARunIsExplainedFromItsFiles(t *testing.T) {
	want := `small: time-limit, 3 of 4 flows, at 100us of simulated time (seed 7, digest 00ff)
  warning: take care

What bound the flows (shares of all their lives together)
  link           46%  2 flows      its turn at the port of its NIC, whose link was busy
  pause          42%  2 flows      its priority was paused at its NIC, or without credits, for a link further on
  network        12%  -            all was sent, and the last of it waited in queues
  The third column counts the flows for which this was the longest part of their lives.

The slowest flows, and those that have not ended
  flow 1 from h9 to h0: UNFINISHED
    waits for its turn at the port
    by way of h9:0 > leaf1:8 > spine0:0 > leaf0:0 > h0
    posted at 10us
    [---------------------------------#################] - link 67%, # pause 33%
    most of the pauses at its NIC trace back to leaf0:0
  flow 0 from h8 to h0: 50us, 5.0 times as long as alone
    by way of h8:0 > leaf1:8 > spine0:0 > leaf0:0 > h0
    posted at 0s, last packet sent 30us later, last byte received 48us later, last
      acknowledgement 50us later
    [##############################----------nnnnnnnnnn] # pause 60%, - link 20%, n network 20%
    most of the pauses at its NIC trace back to leaf0:0

What the pauses trace back to
  leaf0:0 to h0 sends as fast as its link allows: 6 pauses of priority 3, 75us in all.
    Paused on its account:
    spine0:0                 3 pauses  30us
      leaf1:8                2 pauses  25us
        h8:0                 1 pauses  20us
    victim: flow 3 from h15 to h24, held at leaf1:8 for 20us of its 40us, though it does not
      use leaf0:0
  leaf0:5 to h5 is paused by the host (a slow receiver, or a NIC that storms): 1 pause of
    priority 3, 4us in all. Paused on its account:
    leaf0:5 itself

Queue pairs that the hash of their addresses put on one link, though there were others
  leaf1:8 to spine0, one of 2: 2 at a time; h8 QP 17 to h0, h9 QP 17 to h0, h15 QP 17 to h24

Why, and how near each mechanism came to acting
  ECN is off.
`
	got := explained(t, small, explain.Options{Columns: 94, Slowest: 2})
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Flow 8 to 0 has ended when flow 15 to 24 starts: no more than two are on the uplink at
// a time. The flow on the other uplink collides with nobody.
func TestOnlyFlowsOfOneTimeCollide(t *testing.T) {
	text := explained(t, small, explain.Options{Columns: 94})
	if !strings.Contains(text, "leaf1:8 to spine0, one of 2: 2 at a time") || strings.Contains(text, "leaf1:9 to spine1, one of") {
		t.Errorf("it says\n%s", text)
	}
}

func TestOneFlowCanBeToldOfAlone(t *testing.T) {
	three := int64(3)
	text := explained(t, small, explain.Options{Columns: 94, Flow: &three})
	for _, want := range []string{"flow 3 from h15 to h24: 40us, 4.0 times", "it is held by pauses that have nothing to do with it: 20us at leaf1:8, for leaf0:0"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "flow 0") {
		t.Errorf("it speaks of another flow:\n%s", text)
	}
	run, err := explain.Load(written(t, small))
	if err != nil {
		t.Fatal(err)
	}
	nine := int64(9)
	if err := run.Write(&strings.Builder{}, explain.Options{Columns: 94, Flow: &nine}); err == nil || !strings.Contains(err.Error(), "there is no flow 9; flows.csv has 4 flows") {
		t.Errorf("error %v", err)
	}
}

// What is missing or broken is told with its file.
func TestADirectoryThatIsNoneOfARunIsRefused(t *testing.T) {
	without := func(name, text string) map[string]string {
		files := map[string]string{}
		for k, v := range small {
			files[k] = v
		}
		if files[name] = text; text == "" {
			delete(files, name)
		}
		return files
	}
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{without("manifest.json", ""), "there is no manifest.json in it"},
		{without("summary.json", ""), "summary.json"},
		{without("summary.json", "{"), "summary.json"},
		{without("flows.csv", "flow,src\n"), "flows.csv has no column dst: it was written by another version of rdmasim"},
		{without("flows.csv", strings.Replace(small["flows.csv"], "0,h8,h0,17", "0,h8,h0,x", 1)), "flows.csv: column qpn"},
		{without("flows.csv", strings.Replace(small["flows.csv"], "1>2>1>1,0,48", "1>2>1>1,0", 1)), "flows.csv"},
		{without("pause_causes.csv", strings.Replace(small["pause_causes.csv"], "link,3,30", "link,3,long", 1)), "pause_causes.csv: column asked_us"},
		{without("flows.csv", strings.Replace(small["flows.csv"], "1>2>1>1", "1>2", 1)), "does not fit the path"},
		{without("pause_causes.csv", strings.Replace(small["pause_causes.csv"], "leaf0:5,leaf0:5,h5", ",leaf0:5,h5", 1)), "column chain"},
		{without("pause_causes.csv", " "), "pause_causes.csv"},
	} {
		if _, err := explain.Load(written(t, c.files)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one that says %q", err, c.want)
		}
	}
}
