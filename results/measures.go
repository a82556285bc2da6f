package results

// The parts of a summary, one mechanism each.

// Flows counts flows. Those neither done nor failed are unfinished.
type Flows struct {
	Total  int `json:"total" doc:"flows of the scenario"`
	Done   int `json:"done" doc:"flows that completed"`
	Failed int `json:"failed" doc:"flows that ended in error"`
}

// Unfinished returns the number of flows that have not come to an end.
func (f Flows) Unfinished() int { return f.Total - f.Done - f.Failed }

// Window says which part of the run is measured: fct_us and slowdown are those of the flows that start in it, goodput that of
// the payload delivered in it.
type Window struct {
	From  Micros `json:"from_us" doc:"its beginning"`
	To    Micros `json:"to_us" doc:"its end; null if it is that of the run"`
	Flows int    `json:"flows" doc:"flows that start in it, done or not"`
}

// Goodput is payload per time.
type Goodput struct {
	Payload   int64      `json:"payload_bytes" doc:"payload delivered"`
	Rate      Gbps       `json:"rate_gbps" doc:"payload delivered to all receivers together, per time flows were under way"`
	Receivers int        `json:"receivers" doc:"hosts that payload was sent to"`
	Slowest   *NamedRate `json:"slowest" doc:"receiver with the lowest goodput; null if there is no receiver"`
	Fastest   *NamedRate `json:"fastest" doc:"receiver with the highest goodput; null if there is no receiver"`

	SlowestFlow *NamedRate `json:"slowest_flow" doc:"flow with the lowest goodput; null if none has begun"`
	FastestFlow *NamedRate `json:"fastest_flow" doc:"flow with the highest goodput; null if none has begun"`
	Jain        *float64   `json:"jain" doc:"Jain's fairness index of the goodputs of flows: 1 if all are equal, 1/n if one of n has all; null if none has any"`
}

// NamedRate is the rate of a host or of a flow.
type NamedRate struct {
	Name string `json:"name" doc:"host, or flow"`
	Rate Gbps   `json:"rate_gbps" doc:"payload delivered to it, or of it, per time flows to it, or itself, were under way"`
}

// Drop counts packets dropped for one reason.
type Drop struct {
	Reason   string `json:"reason" doc:"why"`
	Packets  int64  `json:"packets" doc:"packets dropped"`
	Bytes    int64  `json:"size_bytes" doc:"their size"`
	Lossless bool   `json:"lossless" doc:"whether they belonged to a class that must not lose any"`
}

// Pause says what priority flow control did.
type Pause struct {
	XOFF        int64       `json:"xoff_frames" doc:"pause frames that began a pause"`
	XON         int64       `json:"xon_frames" doc:"pause frames that ended one"`
	Refresh     int64       `json:"refresh_frames" doc:"pause frames that prolonged one"`
	PausedTime  Micros      `json:"paused_time_us" doc:"time paused at the transmitter, summed over ports and priorities"`
	PausedPorts int         `json:"paused_ports" doc:"pairs of port and priority that were ever paused"`
	PausedNICs  int         `json:"paused_nics" doc:"those of them that are ports of hosts: pauses that reached senders"`
	Worst       *PausedPort `json:"worst" doc:"the pair paused longest; null if none was"`
	Roots       []PauseRoot `json:"roots" doc:"what the pauses trace back to, most paused time first"`
}

// PausedPort is a port that was paused.
type PausedPort struct {
	Port     string  `json:"port" doc:"the transmitting port"`
	Priority int     `json:"priority" doc:"the paused priority"`
	Time     Micros  `json:"paused_time_us" doc:"time paused"`
	Share    float64 `json:"share" doc:"time paused as a share of the time flows were under way, at most 1"`
}

// Watchdog says what the PFC watchdogs did.
type Watchdog struct {
	Storms    int64 `json:"storms" doc:"storms declared"`
	Restored  int64 `json:"restored" doc:"storms that were over before the end"`
	Discarded int64 `json:"discarded_packets" doc:"packets discarded while storms lasted"`
}

// Deadlock is a circle of pauses of which each waits for the next.
type Deadlock struct {
	Priority int    `json:"priority" doc:"the lossless priority"`
	Since    Micros `json:"since_us" doc:"when it was first seen"`
	Over     bool   `json:"over" doc:"whether it was broken up before the end"`
	Circle   string `json:"circle" doc:"who holds whom"`
}

// ECN says how much was marked: by switches, and as receivers see it.
type ECN struct {
	Marked     int64   `json:"marked_packets" doc:"packets that switches marked CE, data and all others"`
	Data       int64   `json:"data_packets" doc:"data packets that reached their receivers, in order or not"`
	MarkedData int64   `json:"marked_data_packets" doc:"those of them that came with CE"`
	Share      float64 `json:"marked_share" doc:"marked_data_packets as a share of data_packets; 0 if there were none"`
}

// NewECN returns the counts with their share.
func NewECN(marked, data, markedData int64) *ECN {
	return &ECN{marked, data, markedData, share(markedData, data)}
}

// CongestionControl says what congestion control did.
type CongestionControl struct {
	Name        string `json:"name" doc:"the algorithm; none if there is none"`
	CNPsSent    int64  `json:"cnps_sent" doc:"congestion notification packets sent by receivers"`
	CNPsHandled int64  `json:"cnps_handled" doc:"congestion notification packets handled by senders"`
	RateCuts    int64  `json:"rate_cuts" doc:"times a sender lowered its rate or window"`
	QPsCut      int    `json:"qps_cut" doc:"queue pairs that ever did"`
	QPs         int    `json:"qps" doc:"queue pairs that sent data"`
}

// Recovery says what the transport did about loss.
type Recovery struct {
	Retransmitted int64 `json:"retransmitted_bytes" doc:"payload sent again"`
	Timeouts      int64 `json:"timeouts" doc:"expiries of retransmission timers"`
	NAKs          int64 `json:"naks" doc:"negative acknowledgements received"`
	Restarts      int64 `json:"restarts" doc:"messages begun again from their first packet, as go-back-0 does"`
	OutOfOrder    int64 `json:"out_of_order" doc:"packets that receivers took in behind a gap, as selective repeat does"`
}

// Peak is how full something was at its fullest.
type Peak struct {
	Where  string  `json:"where" doc:"port and priority"`
	Bytes  int64   `json:"size_bytes" doc:"bytes it held"`
	Time   Micros  `json:"time_us" doc:"when"`
	Limits []Limit `json:"limits" doc:"thresholds to compare with"`
}

// Limit is a threshold and how near a peak came to it.
type Limit struct {
	Name  string  `json:"name" doc:"name of the threshold, such as Kmin"`
	Bytes int64   `json:"size_bytes" doc:"the threshold"`
	Share float64 `json:"share" doc:"the peak as a share of the threshold; 1 or more means it was reached"`
}

// Against adds a threshold to compare with and returns p. A threshold of 0 or less does not exist and is not added.
func (p *Peak) Against(name string, bytes int64) *Peak {
	if bytes > 0 {
		p.Limits = append(p.Limits, Limit{name, bytes, share(p.Bytes, bytes)})
	}
	return p
}

// Expectation is a promise of the scenario.
type Expectation struct {
	Text      string `json:"text" doc:"the promise, such as flow.fct.p99 below 2ms"`
	Expected  string `json:"expected" doc:"the value that is expected, with its unit"`
	Measured  string `json:"measured" doc:"what was measured, with its unit, or why nothing was"`
	Deviation string `json:"deviation" doc:"measured less expected, with its unit and as a share of expected; empty if nothing was measured"`
	Band      string `json:"band" doc:"by how much measured may differ from expected: exact, a share of it, bound for one limit, between for two"`
	Met       bool   `json:"met" doc:"whether it was kept"`
	Rule      string `json:"rule" doc:"the rule that the simulation is held against, in words; may be empty"`
	Source    string `json:"source" doc:"where the rule comes from; may be empty"`
	Because   string `json:"because" doc:"why the band is as wide as it is; may be empty"`
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
