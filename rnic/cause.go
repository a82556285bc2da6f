package rnic

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Left is the payload posted on a queue pair and not yet acknowledged.
func (n *NIC) Left(i int) units.Bytes { return n.qps[i].posted - n.qps[i].acked }

// Acknowledged is the payload of a queue pair that has been acknowledged.
func (n *NIC) Acknowledged(i int) units.Bytes { return n.qps[i].acked }

// Cause tells what a queue pair with work left waits for.
func (n *NIC) Cause(qp *QP) string {
	una := wire.PSNOf(qp.una)
	timer := "no retransmission timer is set (timeout 0)"
	if qp.deadline != units.Never {
		timer = fmt.Sprintf("retransmission at %v", qp.deadline)
	}
	if restarts := qp.restarts(); restarts != "" {
		return restarts
	}
	switch {
	case qp.place == waiting:
		return fmt.Sprintf("its pace of %v until %v", qp.pace.Rate.Human(), qp.nextStart)
	case qp.place == ready:
		return "its turn at the port"
	case qp.next != qp.end && !n.maySend(qp):
		return fmt.Sprintf("its window of %v: PSN %d is not acknowledged; %s", n.window(qp), una, timer)
	}
	return fmt.Sprintf("the acknowledgement of PSN %d; %s", una, timer)
}
