// Package dcqcn is DCQCN, the congestion control of RoCEv2 networks: Zhu et al., "Congestion Control for Large-Scale RDMA
// Deployments", SIGCOMM 2015. Switches mark packets (the congestion point, not here), the receiver answers marks with
// congestion notification packets (CNPs; the notification point, [Notifier]), and the sender slows its QP down and
// speeds it up again (the reaction point, a [cc.Controller] made by [Config]).
//
// Two reaction points exist, and they differ in more than their numbers:
//
//   - The paper's: a CNP reduces the rate at once, to RC·(1−α/2), and only then raises α.
//   - ConnectX's, as NVIDIA's register descriptions tell and the simulator published with HPCC implements: CNPs set a
//     flag; α is updated every microsecond, and the rate is reduced at most once in a period of 4 us.
//
// Both recover in steps, one each time a timer ticks or a byte counter is full: first half way back to the rate before
// the cut (fast recovery), then beyond it by R_AI a step (additive increase), at last by R_HAI (hyper increase).
//
// Each parameter of both is a field of [Config]. A profile is a set of values with a source for each of them: [Paper],
// [Firmware] and [Scaled], the default.
//
// Invariants: RC never exceeds the line nor falls below the minimum rate; α stays between 0 and 1; a QP at line rate has no
// timer. α between CNPs has none either: its ticks are made up for when α is needed, one by one, so that it does not
// matter when that is. Of things due at the same time, the tick of α comes first, then the reduction, then the increase.
//
// DCQCN reacts to CNPs alone: acknowledgements and losses do not move it.
package dcqcn
