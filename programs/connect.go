package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// What perftest sets up its queue pairs with, beside the timeout and the retries of the host.
const (
	minRNRTimer = 12 // 0.64 ms
	readDepth   = 16 // READs and atomics under way: what devices allow
	queueKey    = 0x11111111
	greeting    = 40 * units.Byte // of a global routing header before a datagram
)

// settings are those of a connection.
type settings struct {
	mtu, timeout, retries int
	minRNR, rnrRetries    int
	baseRTT               units.Time
}

// connect brings two queue pairs of one service into state RTS, each the other's peer. It happens
// before the run, and takes no time.
func connect(a, b *rnic.VerbsQP, s settings) error {
	const psn = 0
	first, second := a.Handle(psn), b.Handle(psn)
	for _, q := range []struct {
		qp     *rnic.VerbsQP
		remote rnic.Handle
	}{{a, second}, {b, first}} {
		for _, step := range []struct {
			to    rnic.State
			attrs rnic.Attributes
		}{
			{rnic.Init, rnic.Attributes{
				Given:  rnic.AttrPKey | rnic.AttrPort | rnic.AttrAccess | rnic.AttrQKey,
				Access: memory.LocalWrite | memory.RemoteWrite | memory.RemoteRead | memory.RemoteAtomic, QKey: queueKey,
			}},
			{rnic.RTR, rnic.Attributes{
				Given:  rnic.AttrAddress | rnic.AttrMTU | rnic.AttrReadsAccepted | rnic.AttrMinRNR,
				Remote: q.remote, MTU: s.mtu, ReadsAccepted: readDepth, MinRNR: s.minRNR,
			}},
			{rnic.RTS, rnic.Attributes{
				Given:   rnic.AttrSendPSN | rnic.AttrReadsIssued | rnic.AttrRetries | rnic.AttrRNRRetries | rnic.AttrTimeout | rnic.AttrBaseRTT,
				SendPSN: psn, ReadsIssued: readDepth, Retries: s.retries, RNRRetries: s.rnrRetries, Timeout: s.timeout, BaseRTT: s.baseRTT,
			}},
		} {
			if err := q.qp.Modify(step.to, step.attrs, 0); err != nil {
				return fmt.Errorf("queue pair %d: %w", q.qp.QPN(), err)
			}
		}
	}
	return nil
}
