// Package cc says what congestion control is to an RDMA NIC: a pure state machine, one for each queue pair (QP), that is
// told what happens to the QP and answers with the pace the QP may keep from then on.
//
// A [Controller] owns no timer, sees no packet and schedules nothing. Time comes with each call; what it wants to be told
// later stands in the [Pace] it returned last. A QP therefore costs one call per acknowledgement or congestion
// notification, and none at all while nothing can change its rate.
//
// Invariants every controller keeps: no Pace is faster than its line; Pace.Timer is later than the call that returned it;
// the same calls at the same times give the same paces, whether or not [Controller.State] was read in between; two
// controllers share nothing that changes.
//
// A [Kind] is a family of controllers as a scenario names it, with its parameters. The two kinds that control nothing are
// here: [None] leaves a QP at line rate, so that only PFC restrains it, and [Fixed] paces it at a constant rate.
package cc
