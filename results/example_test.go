package results_test

import (
	"fmt"
	"os"
	"time"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A run makes its directory first, and writes its manifest last.
func Example() {
	base, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(base)

	dir, err := results.Prepare(base + "/out/incast")
	if err != nil {
		fmt.Println(err)
		return
	}
	flows := results.NewTable("flows.csv", "one row a flow")
	source := flows.String("source", "host that sends")
	fct := flows.Time("fct_us", "flow completion time, to the last ACK at the sender")
	source.Append("h1", "h2")
	fct.Append(1310 * units.Microsecond)
	fct.AppendMissing() // not done

	schema := results.NewSchema()
	schema.AddTable(flows)
	for _, err := range []error{
		dir.Write(flows.Name(), flows.WriteCSV),
		dir.Write("schema.json", schema.WriteJSON),
		dir.WriteManifest(results.Manifest{Scenario: "incast", Seed: 1, Outcome: results.TimeLimit}),
	} {
		if err != nil {
			fmt.Println(err)
		}
	}
	for _, file := range dir.Files() {
		fmt.Println(file.Name, file.Bytes > 0)
	}
	// Output:
	// flows.csv true
	// manifest.json true
	// schema.json true
}

func ExampleTable_WriteCSV() {
	queue := results.NewTable("series/queue_depth.csv", "one row a sample of a queue")
	at := queue.Time("time_us", "instant of the sample")
	depth := queue.Bytes("depth_bytes", "bytes in the queue")
	at.Append(5*units.Microsecond, 10*units.Microsecond+1)
	depth.Append(400*units.KB, 0)
	if err := queue.WriteCSV(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// time_us,depth_bytes
	// 5,400000
	// 10.000001,0
}

func ExampleDistribution_Percentile() {
	d := results.NewDistribution([]int64{30, 10, 20, 40})
	// ceil(0.5 * 4) = 2, ceil(0.99 * 4) = 4
	fmt.Println(d.Percentile(units.Ratio{Num: 50, Den: 100}), d.Percentile(units.Ratio{Num: 99, Den: 100}))
	// Output: 20 40
}

func ExampleSummary_WriteText() {
	s := &results.Summary{
		Scenario: "hello", Outcome: results.Done, Seed: 1, Digest: "5c1e9a70",
		SimulatedTime: results.Micros(87_300 * units.Nanosecond), UnderWay: results.Micros(87_300 * units.Nanosecond), PacketHops: 520,
		Cost:     results.Cost{WallTime: 4 * time.Millisecond, Workers: 1, Memory: 31 * units.MB},
		Flows:    results.Flows{Total: 1, Done: 1},
		FCT:      results.TimePercentiles([]units.Time{87_300 * units.Nanosecond}),
		Slowdown: results.RatioPercentiles([]float64{1}),
		FCTEnd:   "the last ACK",
		Goodput: results.Goodput{Payload: 1_000_000, Rate: results.Gbps(91_700 * units.Mbps), Receivers: 1,
			Fastest: &results.NamedRate{Name: "h1", Rate: results.Gbps(91_700 * units.Mbps)}},
		CongestionControl: results.CongestionControl{Name: "none"},
		Why:               []string{"The link from h0 to h1 bound the flow."},
	}
	if err := s.WriteText(os.Stdout, 80); err != nil {
		fmt.Println(err)
	}
	// Output:
	// hello: done, 1 of 1 flow in 87.3us
	//
	//                         p50       p95       p99     p99.9       max
	//   FCT                87.3us    87.3us    87.3us         -    87.3us
	//   slowdown            1.000     1.000     1.000         -     1.000
	//                  nearest rank of 1 flow; p99.9 needs 10,000; FCT to the last ACK
	//
	//   goodput        91.7Gbps (1MB in all), one receiver: h1
	//   drops          none
	//   pause          PFC is off
	//   ECN            off
	//   congestion     no congestion control
	//   recovery       nothing sent again, no timeout
	//
	//   why            The link from h0 to h1 bound the flow.
	//
	//   seed 1, digest 5c1e9a70; 520 packet-hops in 4ms (0.1 M/s) with 1 worker; 31 MB
	//   of memory at most
}
