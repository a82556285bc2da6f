package record

import (
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// ShortConnections is a test of short connections, under the label of its workload.
type ShortConnections struct {
	Workload string
	*programs.ShortLived
}

// shortConnections is the name of the table of short connections.
const shortConnections = "short_connections"

// sessionsOf is what the sessions of a client of short connections took; all is [units.Never] without any.
type sessionsOf struct {
	requests      int // of each
	done          int
	connect, ask  units.Time // means
	end, whole    units.Time
	first         units.Time // the first connection, with what comes before it
	slowest, span units.Time
}

// measure adds up sessions that began at a time.
func measure(all []programs.Session, requests int, start units.Time) sessionsOf {
	m := sessionsOf{requests: requests, done: len(all), connect: units.Never, ask: units.Never, end: units.Never, whole: units.Never, first: units.Never, slowest: units.Never}
	if len(all) == 0 {
		return m
	}
	m.connect, m.ask, m.end, m.slowest = 0, 0, 0, 0
	for _, one := range all {
		m.connect += one.Connected - one.Begun
		m.ask += one.Answered - one.Connected
		m.end += one.Ended - one.Answered
		m.slowest = max(m.slowest, one.Connected-one.Begun)
	}
	n := units.Time(len(all))
	m.connect, m.ask, m.end = m.connect/n, m.ask/(n*units.Time(requests)), m.end/n
	m.first = all[0].Connected - start
	m.span = all[len(all)-1].Ended - start
	m.whole = m.span / n
	return m
}

// measure adds up the sessions of a client, and those over TCP beside them.
func (s *ShortConnections) measure(client int) (own, beside sessionsOf) {
	over := s.SessionsBeside(client)
	var begun units.Time
	if len(over) > 0 {
		begun = over[0].Begun
	}
	return measure(s.SessionsOf(client), s.Requests, s.Start), measure(over, s.Requests, begun)
}

// breakEven is the number of requests of a session from which on one over TCP takes longer: what sessions take beside their
// requests is made up for by requests that take less. ok is false where that never is.
func (m *sessionsOf) breakEven(tcp *sessionsOf) (requests float64, ok bool) {
	if m.done == 0 || tcp.done == 0 || tcp.ask <= m.ask {
		return 0, false
	}
	besides := func(m *sessionsOf) units.Time { return m.whole - units.Time(m.requests)*m.ask }
	return max(0, float64(besides(m)-besides(tcp))/float64(tcp.ask-m.ask)), true
}

// ShortConnectionsTable is the table of what clients of short connections measured.
func (r *Run) ShortConnectionsTable() *results.Table {
	t := results.NewTable("short_connections.csv", "one row a client of short connections")
	workload, client := t.String("workload", "workload it belongs to"), t.String("client", "host that connects")
	number := t.Int("thread", "", "number of the client in its workload, from 0")
	server, reuse := t.String("server", "host that it connects to"), t.String("reuse", "what sessions use again")
	sessions, requests := t.Int("sessions", "sessions", "sessions that have ended"), t.Int("requests", "requests", "requests of each")
	times := []struct {
		to *results.Values[units.Time]
		of func(own, tcp *sessionsOf) units.Time
	}{
		{t.Time("connect_us", "mean time from a session's begin until the client may send"), func(m, _ *sessionsOf) units.Time { return m.connect }},
		{t.Time("connect_max_us", "the longest of them"), func(m, _ *sessionsOf) units.Time { return m.slowest }},
		{t.Time("first_connect_us", "time from the start until the first session's client may send: its device has been opened, its server's address resolved"), func(m, _ *sessionsOf) units.Time { return m.first }},
		{t.Time("request_us", "mean time of a request and its answer"), func(m, _ *sessionsOf) units.Time { return m.ask }},
		{t.Time("end_us", "mean time from the last answer until the connection is over; over tcp until the client has closed it, and its kernel does the rest"), func(m, _ *sessionsOf) units.Time { return m.end }},
		{t.Time("session_us", "mean time from one session's begin to the next"), func(m, _ *sessionsOf) units.Time { return m.whole }},
		{t.Time("tcp_connect_us", "for comparison: connect_us of the sessions that the client has had over TCP afterwards; empty unless the workload has beside: tcp"), func(_, m *sessionsOf) units.Time { return m.connect }},
		{t.Time("tcp_request_us", "likewise request_us"), func(_, m *sessionsOf) units.Time { return m.ask }},
		{t.Time("tcp_session_us", "likewise session_us"), func(_, m *sessionsOf) units.Time { return m.whole }},
	}
	rate := t.Float("sessions_per_s", "1/s", "sessions a second, from the start to the end of the last")
	ratio := t.Float("tcp_ratio", "", "tcp_session_us as a multiple of session_us: below 1 sessions over TCP are shorter")
	even := t.Float("break_even_requests", "requests", "requests a session from which on one over TCP takes longer, by what sessions and requests have taken; empty where none does")
	transport := t.String("transport", "how messages travel: rocev2, infiniband, iwarp or tcp")
	resting := t.Int("tcp_time_wait", "connections", "the client's connections over TCP that were in TIME-WAIT at the end, each with a port that nothing else can use")
	overflows := t.Int("tcp_overflows", "packets", "SYNs that the server dropped since too many connections waited to be accepted (host.kernel.backlog)")
	for i := range r.ShortConnections {
		s := &r.ShortConnections[i]
		for k := range s.Clients {
			own, tcp := s.measure(k)
			workload.Append(s.Workload)
			client.Append(s.Client(k))
			number.Append(int64(k))
			server.Append(s.Server())
			reuse.Append(s.Reuse.String())
			sessions.Append(int64(own.done))
			requests.Append(int64(s.Requests))
			for _, c := range times {
				c.to.Append(c.of(&own, &tcp))
			}
			appendKnown(rate, float64(own.done)/own.span.Seconds(), own.span > 0)
			appendKnown(ratio, float64(tcp.whole)/float64(own.whole), own.done > 0 && tcp.done > 0 && own.whole > 0)
			requests, ok := own.breakEven(&tcp)
			appendKnown(even, requests, ok)
			transport.Append(s.Transport.String())
			resting.Append(int64(s.TimeWait(k)))
			overflows.Append(int64(s.Overflows()))
		}
	}
	return t
}

// appendKnown appends a number, or that there is none.
func appendKnown(to *results.Values[float64], v float64, known bool) {
	if known {
		to.Append(v)
	} else {
		to.AppendMissing()
	}
}

// Lock is a test of a lock, under the label of its workload.
type Lock struct {
	Workload string
	*programs.Lock
}

// distributedLocks is the name of the table of locks.
const distributedLocks = "distributed_lock"

// DistributedLockTable is the table of what clients of locks measured.
func (r *Run) DistributedLockTable() *results.Table {
	t := results.NewTable("distributed_lock.csv", "one row a client of a lock")
	workload, client := t.String("workload", "workload it belongs to"), t.String("client", "host that takes the lock")
	number, server := t.Int("thread", "", "number of the client in its workload, from 0"), t.String("server", "host that has it in its memory")
	acquired, attempts := t.Int("acquisitions", "", "how many times the client had the lock"), t.Int("attempts", "", "how many times it tried to get it")
	wait, longest := t.Time("wait_us", "mean time from when it wanted the lock until it knew that it had it"), t.Time("wait_max_us", "the longest of them")
	held := t.Time("held_us", "mean time from then until it knew that it had given it back")
	rate := t.Float("acquisitions_per_s", "1/s", "acquisitions a second, from the start to its last")
	all, counter := t.Int("all_acquisitions", "", "acquisitions of all clients of the workload"), t.Int("counter", "", "what the counter has come to")
	lost := t.Int("lost_updates", "", "by how much that is less than the acquisitions")
	overlaps := t.Int("overlaps", "", "acquisitions of all clients during which another had the lock as well")
	transport := t.String("transport", "how messages travel: rocev2, infiniband, iwarp or tcp")
	for i := range r.Locks {
		l := &r.Locks[i]
		for k := range l.Clients {
			var tries int
			sum, most, hold, end := units.Time(0), units.Time(0), units.Time(0), units.Time(0)
			got := l.AcquisitionsOf(k)
			for _, a := range got {
				tries += a.Attempts
				sum += a.Got - a.Begun
				most = max(most, a.Got-a.Begun)
				hold += a.Released - a.Got
				end = a.Released
			}
			if n := units.Time(len(got)); n > 0 {
				sum, hold = sum/n, hold/n
			} else {
				sum, most, hold = units.Never, units.Never, units.Never
			}
			workload.Append(l.Workload)
			client.Append(l.Client(k))
			number.Append(int64(k))
			server.Append(l.Server())
			acquired.Append(int64(len(got)))
			attempts.Append(int64(tries))
			wait.Append(sum)
			longest.Append(most)
			held.Append(hold)
			appendKnown(rate, float64(len(got))/(end-l.Start).Seconds(), end > l.Start)
			all.Append(int64(l.Wanted()))
			counter.Append(int64(l.Counter()))
			lost.Append(max(0, int64(l.Wanted())-int64(l.Counter())))
			overlaps.Append(int64(l.Overlaps()))
			transport.Append(l.Transport.String())
		}
	}
	return t
}
