package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Books are audited at the end of every run; one that does not balance is an error of
// the model and comes back as such.
func TestBooksThatDoNotBalanceAreAnError(t *testing.T) {
	for _, tc := range []struct {
		name   string
		tamper func(c *host.Cluster)
		want   string
	}{
		{"a data packet that is counted as dropped, and comes", func(c *host.Cluster) {
			c.Net.Ports(2)[0].Counters.DroppedData++
		}, "data packets were sent"},
		{"a packet that grows in a switch", func(c *host.Cluster) {
			simtest.Watch(c, 0, 0).Lose = func(p *wire.Packet, _ units.Time) bool {
				c.Net.Ports(2)[0].Counters.Class[3].Rx.Bytes++
				return false
			}
		}, "s0: "},
		{"a frame that nobody sent", func(c *host.Cluster) { c.Net.Ports(1)[0].Counters.Class[3].Rx.Packets++ }, "h1:0: "},
		{"a wire that was busy for longer than the run", func(c *host.Cluster) { c.Net.Ports(0)[0].Busy = units.Second }, "busy"},
		{"a wire that carried more than it can", func(c *host.Cluster) { c.Net.Ports(0)[0].Counters.Class[3].Tx.Bytes += 1e9 }, "bytes on the wire"},
		{"a flow whose life has a gap", func(c *host.Cluster) { c.Flows[0].Start = -units.Nanosecond }, "is accounted for"},
		{"a flow that arrives before it could", func(c *host.Cluster) { c.Flows[0].Start = units.Nanosecond }, "less than its ideal"},
	} {
		n := simtest.Star(2, gbps100, units.Microsecond)
		n.NIC.Timeout = 8
		c := n.Cluster(t, simtest.Flow(0, 1, 40*units.KB))
		tc.tamper(c)
		_, err := c.Run(context.Background(), n.Run)
		var audit *host.AuditError
		if !errors.As(err, &audit) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want an audit that says %q", tc.name, err, tc.want)
		}
	}
}

func TestAFlowNeedsTwoHostsAndAWay(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	c := n.Cluster(t)
	if err := c.AddFlow(simtest.Flow(1, 1, 1)); err == nil || !strings.Contains(err.Error(), "itself") {
		t.Errorf("a flow from a host to itself: %v", err)
	}
}
