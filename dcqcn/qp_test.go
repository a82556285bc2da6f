package dcqcn_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/sim/units"
)

const (
	ns = units.Nanosecond
	us = units.Microsecond
	ms = units.Millisecond
)

// line100G is the port of every QP in these tests that does not say otherwise.
var line100G = cc.Line{Rate: 100 * units.Gbps, MTU: 4096, BaseRTT: 5 * us}

// qp plays the queue pair: it keeps the pace and makes the calls that the pace asks for.
type qp struct {
	cc.Controller
	pace cc.Pace
}

func newQP(params cc.Params) *qp {
	q := &qp{Controller: params.New(line100G)}
	q.pace = q.Start(0)
	return q
}

// until lets time pass, up to and including now.
func (q *qp) until(now units.Time) {
	for q.pace.Timer <= now {
		q.pace = q.OnTimer(q.pace.Timer)
	}
}

// cnp lets a CNP arrive at now, after the timers of the same time.
func (q *qp) cnp(now units.Time) {
	q.until(now)
	q.pace = q.OnCNP(now)
}

// send reports bytes sent by now.
func (q *qp) send(now units.Time, bytes units.Bytes) {
	q.until(now)
	q.pace = q.OnSend(now, bytes)
}

// expectRates compares current and target rate with figures in Gb/s that are exact to the bit per second below.
func (q *qp) expectRates(t *testing.T, now units.Time, current, target float64) {
	t.Helper()
	q.until(now)
	s := q.State(now)
	expectGbps(t, now, "current rate", s.Rate, current)
	expectGbps(t, now, "target rate", s.Target, target)
	if q.pace.Rate != s.Rate {
		t.Errorf("at %v: paced at %v, but its state says %v", now, q.pace.Rate, s.Rate)
	}
}

func expectGbps(t *testing.T, now units.Time, what string, got units.Rate, gbps float64) {
	t.Helper()
	if math.Abs(float64(got)-gbps*1e9) > 1 {
		t.Errorf("at %v: %s %v, want %v Gb/s", now, what, got, gbps)
	}
}

func (q *qp) expectAlpha(t *testing.T, now units.Time, want, tolerance float64) {
	t.Helper()
	if got := q.State(now).Alpha; math.Abs(got-want) > tolerance {
		t.Errorf("at %v: alpha %.9f, want %.9f", now, got, want)
	}
}

// with returns the parameters of a profile after a change.
func with(profile *dcqcn.Config, change func(*dcqcn.Config)) *dcqcn.Config {
	change(profile)
	return profile
}
