package scenarios

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	reference "github.com/rdmasim/rdmasim/internal/golden"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// goalScenario runs a file on hosts whose libraries take no time, at one switch.
func goalScenario(file, keys string) string {
	return fmt.Sprintf(`name: goal
topology: {kind: star, hosts: 32, link: {rate: 200Gbps, delay: 500ns}}
stop: {limit: 100s}
workloads: [{kind: goal, file: %q, overhead: 0s, copy_rate: 0bps%s}]
`, file, keys)
}

// goalStatistics are the sends and the bytes of each file, as the tool that comes with the files has counted them.
func goalStatistics(t *testing.T, dir string) map[string][2]float64 {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "goal_stats.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all := map[string][2]float64{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var name string
		var ranks, sends, receives, calcs, requires, irequires int
		var bytes float64
		if _, err := fmt.Sscanf(lines.Text(), "%s ranks=%d sends=%d recvs=%d calcs=%d requires=%d irequires=%d bytes=%g", &name, &ranks, &sends, &receives, &calcs, &requires, &irequires, &bytes); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		all[strings.TrimSuffix(name, ".goal")] = [2]float64{float64(sends), bytes}
	}
	return all
}

// Every file of LogGOPSim's runs, with the messages that its statistics count, in the time that follows from what a message takes through
// the empty network; and text and binary forms do the same, event by event.
func TestFilesOfLogGOPSimRun(t *testing.T) {
	dir := reference.Dir(t, "goal")
	statistics := goalStatistics(t, dir)
	statistics["loggopsim_binary_tree_32"] = [2]float64{31, 31}
	for _, c := range []struct {
		text, binary, keys string
		// least is what it takes by theory, given what a message takes, and most what it may take, as a multiple of that.
		least func(l func(units.Bytes) units.Time) units.Time
		most  float64
		long  bool
	}{
		// In each of 4 rounds a message of 4096 bytes, which an acknowledgement may have to wait for, or be in the way of.
		{text: "dissemination_16_4K.goal", binary: "dissemination_16_4K.bin", least: func(l func(units.Bytes) units.Time) units.Time { return 4 * l(4096+programs.MessageHeader) }, most: 1.005},
		// A rank forwards what it has received, 30 times, each after a question and an answer.
		{text: "allreduce_ring_16_1M.goal", binary: "allreduce_ring_16_1M.bin.gz", least: func(l func(units.Bytes) units.Time) units.Time { return 30 * (2*l(0) + l(units.MiB)) }, most: 1.005},
		// Without a question 30 times the way of a message.
		{text: "allreduce_ring_16_1M.goal", keys: ", eager: 1MiB", least: func(l func(units.Bytes) units.Time) units.Time { return 30 * l(units.MiB) }, most: 1.005},
		// The root sends 5 messages at once; the farthest leaf is 5 messages away.
		{text: "loggopsim_binary_tree_32.goal", least: func(l func(units.Bytes) units.Time) units.Time { return 5 * l(1) }, most: 1.02},
		// The trace of a real run, in which ranks compute most of the time; the rank that does so longest for 39.9 s, of 41.98 s in all.
		{text: "sweep3d_4.goal.gz", binary: "sweep3d_4.bin.gz", least: func(func(units.Bytes) units.Time) units.Time { return 41_950 * units.Millisecond }, most: 1.002},
		// Each rank sends 963,084,928 bytes, which take 38.5 ms on a wire of 200 Gb/s if there is nothing beside them; there are 82
		// bytes beside each 4096. Before the first it computes, and each is asked for.
		{text: "resnet152_16.goal.gz", keys: ", tags: per-rank", long: true, most: 1.012, least: func(func(units.Bytes) units.Time) units.Time {
			return units.Rate(200 * units.Gbps).Serialise(963_084_928 / 4096 * (4096 + 82))
		}},
	} {
		if c.long && testing.Short() {
			continue
		}
		run, s := ended(t, parsed(t, goalScenario(filepath.Join(dir, c.text), c.keys)))
		r := run.Jobs[0].Result()
		name, _, _ := strings.Cut(c.text, ".")
		if s.Outcome != results.Done || r.Outcome != programs.Finished {
			t.Errorf("%s: %v, %v: %v", c.text, s.Outcome, r.Outcome, s.Reasons)
		}
		// The statistics have six digits of the bytes.
		if want := statistics[name]; float64(r.Messages) != want[0] || float64(r.Sent) < 0.99999*want[1] || float64(r.Sent) > 1.00001*want[1] {
			t.Errorf("%s: %d messages of %d bytes, the statistics say %v", c.text, r.Messages, r.Sent, want)
		}
		least := c.least(func(size units.Bytes) units.Time {
			_, l, err := run.Cluster.Takes(host.Alone{Size: size, Class: run.Jobs[0].Channel.Data, Sends: true}, 0, 1, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			return l
		})
		if r.Step < least || float64(r.Step) > c.most*float64(least) {
			t.Errorf("%s%s: %v, want %v and no more than %v times that", c.text, c.keys, r.Step, least, c.most)
		}
		if r.Theory > r.Step || float64(r.Theory) < 0.99*float64(r.Step) {
			t.Errorf("%s%s: %v, theory %v", c.text, c.keys, r.Step, r.Theory)
		}
		if c.binary == "" || testing.Short() {
			continue
		}
		if binary, _ := ended(t, parsed(t, goalScenario(filepath.Join(dir, c.binary), c.keys))); binary.Report.Digest != run.Report.Digest {
			t.Errorf("%s has digest %x, %s %x", c.binary, binary.Report.Digest, c.text, run.Report.Digest)
		}
	}
}

// What is wrong with a file is told in one line, with the key or the line of the file and what would be right.
func TestWhatIsWrongWithASchedule(t *testing.T) {
	dir := reference.Dir(t, "goal")
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct{ file, set, want string }{
		{"loggopsim_binary_tree_32.goal", "topology.hosts=8", ": the file has 32 ranks, hosts have room for 8; at least 32 hosts with ranks_per_host: 1"},
		{"loggopsim_binary_tree_32.goal", `workloads[0].hosts=["h[0-4]"]`, ": the file has 32 ranks, hosts have room for 5; at least 32 hosts with ranks_per_host: 1"},
		{"resnet152_16.goal.gz", "name=wrong", "line 20: rank 0, operation 10 (recv of 26046368 bytes from rank 8, tag 100000): no message of rank 8 is left for it: " +
			"it would wait forever; all messages would meet if each rank's tags were numbered by themselves (tags: per-rank)"},
		{"none.goal", "name=none", path("none.goal") + ": no such file or directory"},
	} {
		_, err := Parse("test.yaml", []byte(goalScenario(path(c.file), "")), c.set)
		if err == nil || !strings.HasSuffix(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "test.yaml:4:32: workloads[0].file: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s, %s:\ngot  %v\nwant test.yaml:4:32: workloads[0].file: …%s", c.file, c.set, err, c.want)
		}
	}
	// 32 ranks do fit on 8 hosts if each has 4.
	run, s := ended(t, parsed(t, goalScenario(path("loggopsim_binary_tree_32.goal"), ", ranks_per_host: 4"), "topology.hosts=8"))
	if s.Outcome != results.Done || run.Jobs[0].Hosts() != 8 {
		t.Errorf("%v on %d hosts: %v", s.Outcome, run.Jobs[0].Hosts(), s.Reasons)
	}
}

// Ranks that all send more than goes without asking before they receive wait for good, and say for what.
func TestAScheduleThatCannotEndSaysWhoWaitsForWhat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "circle.goal")
	text := "num_ranks 3\n"
	for rank := range 3 {
		text += fmt.Sprintf("rank %d {\nout: send 9000b to %d tag 5\nin: recv 9000b from %d tag 5\nin requires out\n}\n", rank, (rank+1)%3, (rank+2)%3)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run, _ := ended(t, parsed(t, goalScenario(path, "")))
	if run.Report.Outcome == host.Done || run.Jobs[0].Result().Outcome != programs.Unfinished {
		t.Errorf("%v", run.Report.Outcome)
	}
	var waits []string
	for _, w := range run.Cluster.ThreadWaits(run.Report.Now) {
		waits = append(waits, w.Cause)
	}
	for rank, line := range [...]int{3, 8, 13} {
		want := fmt.Sprintf("rank %d, 0 of 2 operations done, waits for rank %d to receive line %d (out), operation 0 (send of 9000 bytes to rank %d, tag 5)", rank, (rank+1)%3, line, (rank+1)%3)
		if len(waits) != 3 || !strings.HasPrefix(waits[rank], want) {
			t.Errorf("got  %q\nwant %s", waits, want)
		}
	}
	// As they would in MPI, shorter ones go.
	if _, s := ended(t, parsed(t, goalScenario(path, ", eager: 9000B"))); s.Outcome != results.Done {
		t.Errorf("%v: %v", s.Outcome, s.Reasons)
	}
}

// A run that ends while ranks compute says until when they would.
func TestARankThatComputesSaysUntilWhen(t *testing.T) {
	_, s := ended(t, parsed(t, messaging("{kind: halo, compute: 2s, steps: 1, warmup: 0}", 4)))
	said(t, s, "rank 0, 0 of 9 operations done, computes until 2s")
}
