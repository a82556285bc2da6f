package programs

import (
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Spread is the distribution of some times: all are 0 without any.
type Spread struct {
	Count                             int
	Min, Mean, Median, P99, P999, Max units.Time
}

// newSpread is that of times, which it sorts. Percentiles are by nearest rank.
func newSpread(all []units.Time) (s Spread) {
	n := len(all)
	if n == 0 {
		return s
	}
	slices.Sort(all)
	var sum units.Time
	for _, t := range all {
		sum += t
	}
	at := func(perMille int) units.Time { return all[(n*perMille+999)/1000-1] }
	return Spread{Count: n, Min: all[0], Mean: sum / units.Time(n), Median: at(500), P99: at(990), P999: at(999), Max: all[n-1]}
}

// KeyValueResult is what clients have measured.
type KeyValueResult struct {
	Queries, Gets, Puts int // that have been answered
	// Empty is what a GET takes in the empty network when the server computes nothing, but for
	// what the client computes: the median of some. Bound is what a query of GETs takes by that, with
	// what server and client compute for each. Never if they are not known.
	Empty, Bound    units.Time
	Get, Put, Query Spread
	// PerSecond are operations in a second from the first to the last.
	PerSecond float64
	// UnderWay is the product of the rate of queries and their mean latency: by Little's law what is under
	// way in the mean. Latencies is the sum of these, and Held for how long each of a client's places for
	// a query was taken, from its first query to the end of its last; in a closed loop there is no gap
	// between, so that both are the same to the picosecond.
	UnderWay        float64
	Latencies, Held units.Time
	// Client and Server are the processor time of all clients since they began, and of all servers.
	Client, Server units.Time
	// ByServer is what each server had to do.
	ByServer []KeyValueServer
	// Load is the share of their time for which the servers' threads worked on requests, of the busiest
	// server; Offered what an open loop asks of all of them for, by what a request took them; 0 if it is closed.
	Load, Offered float64
	// Wait is how much longer a GET took in the mean than network and service, and QueueWait what
	// theory gives for the line before a server's thread: requests that come at random, each of
	// which takes it the same time (M/D/1), weighted by requests. Never if it is not known: Wait of READs
	// and of values of several sizes, QueueWait where a thread works all the time, or of a closed loop, in which no
	// more can wait than clients have under way.
	Wait, QueueWait units.Time
	// HotShare is the part of the operations that went to the most popular key, and HotTheory what it
	// is by the law that they are drawn from; 0 if all keys are alike.
	HotShare, HotTheory float64
}

// KeyValueServer is what one server had to do.
type KeyValueServer struct {
	Name string
	// Operations are those on its keys, whoever did them; Share is their part of all, and Theory
	// what it is by the popularity of the keys that it has.
	Operations    int
	Share, Theory float64
	Requests      int        // that its threads have answered
	Each          units.Time // for which a thread works on a request, kernels' softirqs left out
	Load          float64    // share of the time of its threads that they worked on requests
	QueueWait     units.Time // M/D/1 before one of its threads, in the mean; Never in a closed loop, and if one works all the time
}

// Result is what the clients have measured.
func (k *KeyValue) Result() KeyValueResult {
	r := KeyValueResult{Empty: units.Never, Bound: units.Never, Wait: units.Never, QueueWait: units.Never}
	var gets, puts, took []units.Time
	began, ended := units.Never, units.Time(0)
	asked := make([]int, len(k.Servers))
	hottest := 0
	for _, c := range k.clients {
		gets, puts, took = append(gets, c.gets...), append(puts, c.puts...), append(took, c.took...)
		if c.begun {
			began = min(began, c.began)
			r.Client += c.box.Busy() - c.busy
		}
		ended = max(ended, c.ended)
		for _, p := range c.places {
			r.Held += max(0, p.to-p.from)
		}
		hottest += c.hottest
		for s, n := range c.asked {
			asked[s] += n
		}
	}
	for _, s := range k.servers {
		r.Server += s.box.Busy()
	}
	for _, t := range took {
		r.Latencies += t
	}
	if empty := k.clients[0].empty; len(empty) > 0 {
		r.Empty = newSpread(slices.Clone(empty)).Median
		each := r.Empty + k.Think
		if k.Reads == 0 {
			each += k.Service
		}
		r.Bound = each * units.Time(k.Chain)
	}
	r.Queries, r.Gets, r.Puts = len(took), len(gets), len(puts)
	r.Get, r.Put, r.Query = newSpread(gets), newSpread(puts), newSpread(took)
	span := ended - began
	r.PerSecond = perSecond(r.Gets+r.Puts, span)
	r.UnderWay = float64(perSecond(r.Queries, span) * r.Query.Mean.Seconds())
	if all := sum(asked); k.Keys != nil && all > 0 {
		r.HotShare, r.HotTheory = float64(hottest)/float64(all), k.Keys.Share(0)
	}
	k.queues(&r, asked, span)
	return r
}

func sum(all []int) (n int) {
	for _, v := range all {
		n += v
	}
	return n
}

// queues works out what servers had to do, and what theory gives for the lines before them.
func (k *KeyValue) queues(r *KeyValueResult, asked []int, span units.Time) {
	shares := k.shares()
	all := max(1, sum(asked))
	var worked, wait units.Time
	served, endless := 0, false
	for i, name := range k.names {
		s := KeyValueServer{Name: name, Operations: asked[i], Share: float64(asked[i]) / float64(all), Theory: shares[i]}
		overloaded := false
		var busy units.Time
		var waits float64
		for _, t := range k.servers[i*k.Threads : (i+1)*k.Threads] {
			s.Requests += t.served
			busy += t.worked
			if t.served == 0 || span <= 0 {
				continue
			}
			if w := waitMD1(t.worked/units.Time(t.served), float64(t.worked)/float64(span)); w == units.Never {
				overloaded = true
			} else {
				waits += float64(float64(w) * float64(t.served))
			}
		}
		if s.Requests > 0 && span > 0 {
			s.Each, s.QueueWait = busy/units.Time(s.Requests), units.Time(waits/float64(s.Requests))
			s.Load = float64(busy) / float64(float64(span)*float64(k.Threads))
		}
		if overloaded || k.Interval == 0 {
			s.QueueWait, endless = units.Never, true
		} else {
			wait += s.QueueWait * units.Time(s.Requests)
		}
		r.Load = max(r.Load, s.Load)
		worked += busy
		served += s.Requests
		r.ByServer = append(r.ByServer, s)
	}
	if served == 0 {
		return
	}
	if k.Interval > 0 {
		rate := float64(len(k.clients)*k.Chain) / k.Interval.Seconds() * float64(served) / float64(all)
		r.Offered = float64(rate * (worked / units.Time(served)).Seconds() / float64(len(k.servers)))
	}
	if !endless && k.Interval > 0 && r.Offered < 1 {
		r.QueueWait = wait / units.Time(served)
	}
	if k.Reads == 0 && k.Sizes == nil && r.Gets > 0 && r.Empty != units.Never {
		r.Wait = r.Get.Mean - r.Empty - k.Service
	}
}

// shares are the parts of all operations that go to each server, by the popularity of its keys.
func (k *KeyValue) shares() []float64 {
	of := make([]float64, len(k.Servers))
	if k.Keys == nil {
		for i := range of {
			of[i] = 1 / float64(len(of))
		}
		return of
	}
	for rank := range k.Keys.Len() {
		of[k.serverOf(mixed(uint64(rank)))] += k.Keys.Share(rank)
	}
	return of
}
