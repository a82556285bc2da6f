package tcp_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// Two ends and a wire of 10 us: whoever runs them carries segments, and says when it is.
func ExampleEndpoint() {
	cfg := tcp.Defaults()
	client := tcp.NewEndpoint(&cfg, congestion.NewReno.Params().New(), 1000)
	server := tcp.NewEndpoint(&cfg, congestion.NewReno.Params().New(), 5000)
	server.Listen()
	client.Connect(0)
	client.Write(100 * units.KB)

	ends := [2]*tcp.Endpoint{client, server}
	for now := units.Time(0); server.Consumed() < 100*units.KB; now += 10 * units.Microsecond {
		var way [2][]tcp.Segment
		for i, e := range ends {
			for s, ok := e.Next(now, 64*units.KiB); ok; s, ok = e.Next(now, 64*units.KiB) {
				way[i] = append(way[i], s)
			}
		}
		for i := range way {
			for _, s := range way[i] {
				ends[1-i].Receive(&s, now+10*units.Microsecond)
			}
		}
		if n := server.Read(now, units.MB); n > 0 {
			fmt.Printf("%v: %v read\n", now+10*units.Microsecond, n)
		}
	}
	// Output:
	// 30us: 14480B read
	// 50us: 28960B read
	// 70us: 56560B read
}
