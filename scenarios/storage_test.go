package scenarios

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// What stands beside the table has fio's layout: counts of reads and writes, their bandwidth and rate, and of the times until an
// operation is done the one at each percentile's rank.
func TestStorageLeavesWhatFioWouldPrint(t *testing.T) {
	run, _ := ended(t, parsed(t, messaging("{kind: storage, target: h0, commands: 150, reads: 60, device_times: log-normal, blocks: [{size: 4KiB}, {size: 16KiB, share: 3}]}", 3)))
	type side struct {
		Bytes int64   `json:"io_bytes"`
		BW    int64   `json:"bw_bytes"`
		IOPS  float64 `json:"iops"`
		Total int     `json:"total_ios"`
		Clat  struct {
			Min, Max, N int64
			Mean        float64
			Percentile  map[string]int64
		} `json:"clat_ns"`
	}
	var out struct {
		Jobs []struct {
			Name    string            `json:"jobname"`
			Options map[string]string `json:"job options"`
			Read    side
			Write   side
		}
	}
	o := run.Outputs()[0]
	if err := json.Unmarshal([]byte(o.Data), &out); err != nil || len(out.Jobs) != 1 || o.DataFile != "storage/storage.fio.json" {
		t.Fatalf("%s: %v: %s", o.DataFile, err, o.Data)
	}
	job, m := out.Jobs[0], run.Storages[0].Result()
	if job.Name != "storage" || job.Options["bssplit"] != "4096/1:16384/3" || job.Options["rwmixread"] != "60" {
		t.Errorf("job %s with %v", job.Name, job.Options)
	}
	if job.Read.Total != m.Reads || job.Read.Total+job.Write.Total != m.IOs || job.Read.Bytes+job.Write.Bytes != int64(m.Bytes) {
		t.Errorf("%d reads and %d writes of %d and %d bytes, want %d of %d and %d in all", job.Read.Total, job.Write.Total, job.Read.Bytes, job.Write.Bytes, m.Reads, m.IOs, m.Bytes)
	}
	if rate := job.Read.IOPS + job.Write.IOPS; rate < m.PerSecond*0.9999 || rate > m.PerSecond*1.0001 {
		t.Errorf("%.1f a second, want %.1f", rate, m.PerSecond)
	}
	var took []units.Time
	for _, s := range run.Storages[0].Samples() {
		if !s.Write {
			took = append(took, s.Took-s.Waited)
		}
	}
	slices.Sort(took)
	at := func(rank int) int64 { return int64((took[rank-1] + 500) / 1000) }
	n := len(took)
	for name, want := range map[string]int64{"1.000000": at((n + 99) / 100), "50.000000": at((n + 1) / 2), "99.990000": at(n)} {
		if got := job.Read.Clat.Percentile[name]; got != want {
			t.Errorf("percentile %s is %d ns, want %d", name, got, want)
		}
	}
	if len(job.Read.Clat.Percentile) != 17 || job.Read.Clat.Max != at(n) || job.Read.Clat.Min != at(1) || job.Read.Clat.N != int64(n) {
		t.Errorf("%d percentiles of %d times from %d to %d", len(job.Read.Clat.Percentile), job.Read.Clat.N, job.Read.Clat.Min, job.Read.Clat.Max)
	}
}

// What targets cannot do is told at its key, in one line.
func TestStorageThatCannotBeIsToldAtItsKey(t *testing.T) {
	for workload, want := range map[string]string{
		"{kind: storage}": "workloads[0].target: no target",
		"{kind: storage, target: h0, targets: [h1]}":               "workloads[0].target: \"h0\": there are targets too",
		"{kind: storage, target: h0, copies: 3}":                   "workloads[0].copies: \"3\": there are 1 targets; at most 1",
		"{kind: storage, targets: ['h[0-2]'], data: 3, parity: 1}": "workloads[0].data: \"3\": with parity 4 parts on 3 targets; at most 3 of both",
		"{kind: storage, targets: ['h[0-2]'], parity: 1}":          "workloads[0].parity: \"1\": there are no parts that it could be of",
		"{kind: storage, targets: ['h[0-2]'], data: 2, copies: 2}": "workloads[0].copies: \"2\": with data, what is written is cut into parts",
		"{kind: storage, targets: ['h[0-1]'], spare: h1}":          "workloads[0].spare: \"h1\": is a target",
		"{kind: storage, targets: ['h[0-3]']}":                     "workloads[0].targets: there is no other host to use it",
		"{kind: storage, target: h0, blocks: [{size: 100B}]}":      "workloads[0].blocks[0].size",
	} {
		spec, err := Parse("test.yaml", []byte(messaging(workload, 4)))
		if err == nil {
			_, err = spec.Build()
		}
		if err == nil || !strings.HasPrefix(err.Error(), "test.yaml:4:") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %s", workload, err, want)
		}
	}
}
