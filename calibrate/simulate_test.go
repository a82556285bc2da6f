package calibrate_test

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/calibrate"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim/units"
)

// The message rate of one queue pair on a fast adapter is flat up to 1 KiB, and then bandwidth bounds it. Fitted to
// five of the nine rows of such a sweep that somebody has published, the simulator foretells the
// other four within a tenth. What it cannot have is how softly the one bound goes over into the other.
func TestTheSweepOfAFastAdapterIsForetoldFromHalfOfIt(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the simulator some 1000 times")
	}
	const name = "testdata/write_bw-one-qp.txt"
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tables, err := calibrate.Read(name, file)
	if err != nil {
		t.Fatal(err)
	}
	model := &calibrate.Simulator{Setting: calibrate.Setting{Profile: "connectx6", Switch: 300 * units.Nanosecond}, Context: context.Background()}
	if err := model.Setting.Complete(tables); err != nil {
		t.Fatal(err)
	}
	if model.Setting.Rate != 400*units.Gbps {
		t.Errorf("links of %v, want the least usual rate above 204.5 Gb/s", model.Setting.Rate)
	}
	o, err := calibrate.Fit(tables, model.Run)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := o.WriteText(&text, model); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + text.String())
	for _, used := range []bool{true, false} {
		if mean, worst, rows := o.Errors(used); mean > 0.05 || worst > 0.10 || rows < 4 {
			t.Errorf("rows used %v: %d, mean error %.3f, worst %.3f", used, rows, mean, worst)
		}
	}
}

// The tables of an adapter whose figures are known, simulated from them, lead back to what can be seen of these figures:
// the sum of what a message passes, the time between requests, which the core or the adapter may take, and the share of
// the bus.
func TestTablesOfAKnownAdapterLeadBackToIt(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the simulator some 1000 times")
	}
	tables, err := calibrate.Read("lab.txt", strings.NewReader(`
                    RDMA_Write Latency Test
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]
 2       1000 1 1 1
 8       1000 1 1 1
 16      1000 1 1 1
                    RDMA_Write BW Test
 TX depth        : 128
 #bytes #iterations  BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 64      5000 1 1 1
 512     5000 1 1 1
 65536   5000 1 1 1
 262144  5000 1 1 1
`))
	if err != nil {
		t.Fatal(err)
	}
	setting := calibrate.Setting{Profile: "connectx7", Rate: 400 * units.Gbps, Switch: 300 * units.Nanosecond}
	truth := setting
	truth.Sets = []string{
		"host.nic.post=80ns", "host.nic.doorbell=100ns", "host.nic.tx_pipeline=180ns", "host.nic.rx_pipeline=180ns",
		"host.nic.qp_gap=200ns", "host.nic.pcie.dllp_share=0.4",
	}
	lab := &calibrate.Simulator{Setting: truth, Context: context.Background()}
	for i := range tables {
		for k := range tables[i].Rows {
			row := &tables[i].Rows[k]
			got, err := lab.Run([]float64{1, 1, 1, 1}, []*calibrate.Sample{{Table: &tables[i], Row: row}})
			if err != nil {
				t.Fatal(err)
			}
			if tables[i].Test.MeasuresLatency() {
				row.Typical = units.Time(got[0])
			} else {
				row.Average = got[0]
			}
		}
	}
	model := &calibrate.Simulator{Setting: setting, Context: context.Background()}
	o, err := calibrate.Fit(tables, model.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, used := range []bool{true, false} {
		if _, worst, _ := o.Errors(used); worst > 0.02 {
			t.Errorf("rows used %v: worst error %.3f", used, worst)
		}
	}
	values, err := model.Values(o.Factors)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, v := range values {
		if at, err := units.ParseTime(v.Text); err == nil {
			found[v.Key] = float64(at) / 1000
		} else if share, err := units.ParseRatio(v.Text); err == nil {
			found[v.Key] = share.Float()
		}
	}
	if got := max(found["qp_gap"], found["post"]); math.Abs(got-200) > 4 {
		t.Errorf("%v ns between requests, want 200", got)
	}
	if got := found["pcie.dllp_share"]; math.Abs(got-0.4) > 0.02 {
		t.Errorf("a share of %v, want 0.4", got)
	}
	if got := found["post"] + found["doorbell"] + found["tx_pipeline"] + found["rx_pipeline"]; math.Abs(got-540) > 30 {
		t.Errorf("%v ns of posting and pipelines, want 540", got)
	}

	// What is written is an adapter for scenarios.
	var yaml strings.Builder
	if err := o.WriteYAML(&yaml, model); err != nil {
		t.Fatal(err)
	}
	text := "name: written\ntopology: {kind: pair, link: {rate: 100Gbps, delay: 25ns}}\nworkloads: [{kind: ib_write_lat, client: h0, server: h1}]\n" +
		"host:\n  nic:\n    " + strings.ReplaceAll(strings.TrimSpace(yaml.String()), "\n", "\n    ") + "\n"
	spec, err := scenarios.Parse("written.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, v := range values {
		if got, _ := spec.Value("host.nic." + v.Key); got != v.Text && v.Key != "pcie.dllp_share" {
			t.Errorf("the scenario has %s: %s, want %s:\n%s", v.Key, got, v.Text, text)
		}
	}
}
