package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Switch holds the settings of every switch of the network.
type Switch struct {
	Preset      string       `key:"preset" default:"generic" oneof:"generic|tomahawk|tomahawk2|tomahawk3|trident3|spectrum|spectrum2|spectrum3" doc:"machine that the keys below describe unless they are given; generic: the defaults" source:"assumed"`
	Buffer      units.Bytes  `key:"buffer" default:"32MiB" min:"1KiB" doc:"packet memory, shared by all ports" source:"HPCC, SIGCOMM 2019: switches of 32 MB"`
	Cell        units.Bytes  `key:"cell" default:"1B" min:"1B" max:"4KiB" doc:"unit in which packet memory is given out: a frame takes up whole cells" source:"assumed: by the byte, as closed forms have it"`
	Release     string       `key:"release" default:"dequeue" oneof:"dequeue|last-bit" doc:"when a frame's memory is given back: when it starts to leave, or when its last bit has left" source:"HPCC, SIGCOMM 2019, published simulator"`
	Pipeline    units.Time   `key:"pipeline" default:"300ns" max:"1s" doc:"time from a frame's last bit (with cut-through: the last of its header) to its admission to the buffer" source:"assumed; vendors' figures for Ethernet L3 switches are 250 to 800 ns"`
	Forwarding  string       `key:"forwarding" default:"store-and-forward" oneof:"store-and-forward|cut-through" doc:"cut-through: a frame goes on once its header is in, if its output is no faster than its input, free, not paused, and its queue empty" source:"assumed"`
	Header      units.Bytes  `key:"header" default:"64B" min:"42B" max:"1KiB" doc:"bytes of a frame with which cut-through begins" source:"assumed; vendors' figures are 64 to 128 bytes, and the ports of a flow are in the first 42"`
	VLBuffer    units.Bytes  `key:"vl_buffer" default:"64KiB" min:"64B" max:"128KiB" doc:"transport infiniband: buffer of a port for each virtual lane; credits cannot grant more than 128 KiB" source:"assumed; InfiniBand Architecture Specification, volume 1, 7.9: at most 2048 blocks of 64 bytes"`
	CreditDelay units.Time   `key:"credit_delay" default:"20ns" max:"1s" doc:"transport infiniband: time from the last bit of a flow-control packet at a port to its effect" source:"assumed"`
	ECMPSeed    Auto[uint64] `key:"ecmp_seed" default:"auto" doc:"seed of the path choice; auto: the seed of the scenario" source:"assumed"`
	ECMPSalt    string       `key:"ecmp_salt" default:"own" oneof:"own|shared" doc:"what a switch mixes into the hash of a flow. own: a number of its own; shared: that of all, as where nobody has set hash seeds; then tiers with equally many ways choose alike, and most of the upper ones stay idle (polarisation)" source:"assumed: seeds are set, as data centres do"`
	QoSMap      string       `key:"qos_map" default:"class-selector" oneof:"class-selector|azure|pcp" doc:"how a packet gets its priority and that its group: class-selector: DSCP/8 rounded down, each priority its own group; azure: SONiC's map of DSCPs, lossy priorities in group 0; pcp: the PCP of an 802.1Q tag, which NICs set to DSCP/8, by SONiC's map; hosts use the same map" source:"default map of NICs"`
	DSCPMap     map[int]int  `key:"dscp_map" min:"0" max:"7" doc:"DSCP: priority, for each DSCP (0 to 63) that differs from qos_map; hosts use the same map" source:"default map of NICs"`
	PGMap       map[int]int  `key:"pg_map" min:"0" max:"7" doc:"priority: ingress priority group, for each priority (0 to 7) that differs from qos_map; the egress queue is always that of the priority" source:"default map of NICs"`
	PFC         PFC          `key:"pfc" doc:"priority flow control, at switches and NICs"`
	ECN         ECN          `key:"ecn" doc:"marking of data packets, by the length of the egress queue"`
	Lossy       Lossy        `key:"lossy" doc:"buffer of the priorities without PFC"`
	Egress      Egress       `key:"egress" doc:"how long the egress queues of priorities without PFC may become; lossless queues have no bound"`
	Scheduler   Scheduler    `key:"scheduler" doc:"in which order a port serves its queues"`
}

// reaches tells whether some DSCP has the priority.
func (s *Switch) reaches(priority int) bool {
	for dscp := range 64 {
		if s.Priority(dscp) == priority {
			return true
		}
	}
	return false
}

// Validate checks what the tags of single keys cannot say.
func (s *Switch) Validate() error {
	var faults []error
	for _, dscp := range slices.Sorted(maps.Keys(s.DSCPMap)) {
		if dscp < 0 || dscp > 63 {
			faults = append(faults, units.Field(fmt.Sprintf("dscp_map.%d", dscp), dscp, "no DSCP", "0 to 63"))
		}
	}
	faults = append(faults, s.checkGroups())
	aboveBuffer := func(key string, size units.Bytes) {
		if size > s.Buffer {
			faults = append(faults, units.Field(key, size, "above the buffer of the switch", "at most "+s.Buffer.String()))
		}
	}
	aboveBuffer("ecn.kmin", s.ECN.Kmin.Value)
	aboveBuffer("ecn.kmax", s.ECN.Kmax.Value)
	aboveBuffer("pfc.headroom", s.PFC.Headroom.Value)
	aboveBuffer("pfc.pg_min", s.PFC.PGMin)
	aboveBuffer("pfc.headroom_pool", s.PFC.HeadroomPool.Value)
	aboveBuffer("lossy.pg_min", s.Lossy.PGMin)
	aboveBuffer("egress.queue_min", s.Egress.QueueMin)
	if s.PFC.XOFF != nil {
		aboveBuffer("pfc.xoff", *s.PFC.XOFF)
	}
	return errors.Join(faults...)
}

// PFC holds the settings of priority flow control (IEEE 802.1Qbb).
type PFC struct {
	Enabled           bool                 `key:"enabled" default:"true" doc:"whether any priority is lossless" source:"RoCE deployments"`
	Priorities        []int                `key:"priorities" default:"[3]" min:"0" max:"7" doc:"the lossless priorities" source:"RoCE deployments: data in priority 3"`
	Alpha             units.Ratio          `key:"alpha" default:"1/8" unless:"xoff" doc:"dynamic XOFF threshold of a priority group: this share of the buffer that is free" source:"HPCC, SIGCOMM 2019"`
	XOFF              *units.Bytes         `key:"xoff" min:"1B" doc:"static XOFF threshold of a priority group, in place of alpha"`
	XONOffset         units.Bytes          `key:"xon_offset" default:"2496B" doc:"a group resumes once it is this far below its XOFF threshold" source:"SONiC buffer profiles (Broadcom)"`
	Headroom          Auto[units.Bytes]    `key:"headroom" default:"auto" doc:"room of a lossless group for what arrives after XOFF; auto: by headroom_rule" source:"IEEE 802.1Qbb, annex O"`
	PGMin             units.Bytes          `key:"pg_min" default:"0B" doc:"buffer guaranteed to each lossless group" source:"assumed"`
	Quanta            int                  `key:"quanta" default:"65535" min:"1" max:"65535" doc:"time a pause frame asks for, in quanta of 512 bit times" source:"IEEE 802.1Qbb; NICs and switches ask for the maximum"`
	Refresh           units.Ratio          `key:"refresh" default:"1/2" max:"1" doc:"a pause is repeated after this share of its quanta's time while its cause lasts" source:"assumed"`
	Response          Standard[units.Time] `key:"response" default:"standard" doc:"time a switch port takes to obey a pause; standard: the longest that IEEE 802.3 allows at its rate" source:"IEEE 802.3, as in SONiC's table of quanta by rate"`
	HeadroomProvision `key:",inline"`
	OffTowards        []string `key:"off_towards" doc:"neighbours, by name or pattern, on whose ports PFC is off: none is asked for pauses, and none of theirs is obeyed"`
	Expiry            bool     `key:"expiry" default:"true" doc:"whether a pause ends after its quanta; false: only a resume frame ends it, as in several simulators" source:"IEEE 802.1Qbb"`

	HeadroomCheck string   `key:"headroom_check" default:"error" oneof:"error|warn" doc:"what headroom is that does not hold in the worst case of its link: an error, or a warning with which the scenario runs all the same" source:"assumed"`
	Watchdog      Watchdog `key:"watchdog" doc:"PFC watchdog of every switch"`
}

// Validate checks what the tags of single keys cannot say.
func (p *PFC) Validate() error {
	faults := []error{refuseTwice("priorities", p.Priorities)}
	if p.XOFF == nil && p.Alpha.IsZero() {
		faults = append(faults, units.Field("alpha", p.Alpha, "must be greater than 0", "such as 1/8"))
	}
	if p.XOFF != nil && p.XONOffset >= *p.XOFF {
		faults = append(faults, units.Field("xon_offset", p.XONOffset, "a group would never resume: not below xoff", "less than "+p.XOFF.String()))
	}
	if p.Response.Given && p.Response.Value > units.Second {
		faults = append(faults, units.Field("response", p.Response, "longer than any port takes", "at most 1s"))
	}
	if p.Refresh.IsZero() {
		faults = append(faults, units.Field("refresh", p.Refresh, "must be greater than 0", "such as 1/2"))
	}
	if repeats := p.Refresh.Of(units.Bytes(p.Quanta * pfc.QuantumBits / 8)); p.Expiry && !p.Refresh.IsZero() && repeats < 2*wire.PFCWire {
		faults = append(faults, units.Field("quanta", p.Quanta,
			"pauses this short, repeated after the share refresh of them, would fill half of every link with PFC frames or more",
			"quanta x refresh of at least 3"))
	}
	if p.Enabled && len(p.Priorities) == 0 {
		faults = append(faults, &units.FieldError{Key: "priorities", Problem: "PFC is enabled for no priority", Want: "such as [3], or enabled: false"})
	}
	return errors.Join(faults...)
}

// Lossless tells whether a priority is under PFC.
func (p *PFC) Lossless(priority int) bool {
	return p.Enabled && slices.Contains(p.Priorities, priority)
}

// ECN holds the settings of congestion marking.
type ECN struct {
	Marking   `key:",inline"`
	At        string       `key:"at" default:"dequeue" oneof:"dequeue|enqueue" doc:"when a packet is marked: when it leaves, by the length it leaves behind, or when it joins, by the length with it" source:"SONiC switches (ecn_all); HPCC, SIGCOMM 2019"`
	Averaging int          `key:"averaging" default:"0" min:"0" max:"15" doc:"exponent n of a moving average of the length, with weight 1/2^n for each packet; 0: the length as it is" source:"data-centre switches mark by the instantaneous length"`
	NotECT    string       `key:"not_ect" default:"exempt" oneof:"exempt|drop" doc:"what happens to packets that cannot be marked where others would be: nothing, or they are dropped as they join" source:"assumed"`
	Classes   []ECNClasses `key:"classes" doc:"priorities with thresholds of their own"`
}

// ECNClasses are priorities with thresholds of their own.
type ECNClasses struct {
	Priorities []int `key:"priorities" required:"true" min:"0" max:"7" doc:"the priorities"`
	Marking    `key:",inline"`
}

// Marking says when packets are marked: none up to a queue of Kmin, every one above Kmax, in between a share that
// grows to Pmax.
type Marking struct {
	Enabled bool              `key:"enabled" default:"true" doc:"whether switches mark packets" source:"RoCE deployments"`
	Kmin    Auto[units.Bytes] `key:"kmin" default:"auto" doc:"queue length up to which nothing is marked; auto: 4 KB for each Gb/s of the port" source:"HPCC, SIGCOMM 2019: 400 KB at 100 Gb/s"`
	Kmax    Auto[units.Bytes] `key:"kmax" default:"auto" doc:"queue length above which every packet is marked; auto: 16 KB for each Gb/s of the port" source:"HPCC, SIGCOMM 2019: 1600 KB at 100 Gb/s"`
	PerGbps bool              `key:"per_gbps" default:"false" doc:"whether kmin and kmax are given for each Gb/s of the port" source:"assumed"`
	Pmax    units.Ratio       `key:"pmax" default:"20%" max:"1" doc:"share of packets marked at kmax" source:"HPCC, SIGCOMM 2019"`
}

// Validate checks what the tags of single keys cannot say.
func (e *Marking) Validate() error {
	var faults []error
	switch {
	case e.Kmin.Given && !e.Kmax.Given:
		faults = append(faults, units.Field("kmin", e.Kmin, "given without kmax", "give both, or leave both to auto"))
	case e.Kmax.Given && !e.Kmin.Given:
		faults = append(faults, units.Field("kmax", e.Kmax, "given without kmin", "give both, or leave both to auto"))
	case e.Kmin.Value > e.Kmax.Value:
		faults = append(faults, units.Field("kmin", e.Kmin, "above kmax", "at most "+e.Kmax.String()))
	}
	if e.Enabled && e.Pmax.IsZero() {
		faults = append(faults, units.Field("pmax", e.Pmax, "would mark nothing", "more than 0, or enabled: false"))
	}
	return errors.Join(faults...)
}

// Validate finds priorities that have two sets of thresholds of their own.
func (e *ECN) Validate() error {
	faults := []error{e.Marking.Validate()}
	seen := map[int]bool{}
	for i := range e.Classes {
		for k, p := range e.Classes[i].Priorities {
			if seen[p] {
				faults = append(faults, units.Field(fmt.Sprintf("classes[%d].priorities[%d]", i, k), p, "given twice", "each priority once"))
			}
			seen[p] = true
		}
	}
	return errors.Join(faults...)
}

// Lossy holds the buffer limits of the priorities that are not under PFC.
type Lossy struct {
	Alpha units.Ratio  `key:"alpha" default:"1" unless:"limit" doc:"dynamic threshold of a group, above which its packets are dropped: this multiple of the buffer that is free" source:"assumed"`
	Limit *units.Bytes `key:"limit" min:"1B" doc:"static threshold of a group, in place of alpha"`
	PGMin units.Bytes  `key:"pg_min" default:"0B" doc:"buffer guaranteed to each group" source:"assumed"`
}

// Validate refuses a threshold that would drop everything.
func (l *Lossy) Validate() error {
	if l.Limit == nil && l.Alpha.IsZero() {
		return units.Field("alpha", l.Alpha, "must be greater than 0", "such as 1")
	}
	return nil
}

// refuseTwice finds values that stand in a list twice.
func refuseTwice[T comparable](key string, values []T) error {
	var faults []error
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			faults = append(faults, units.Field(fmt.Sprintf("%s[%d]", key, i), v, "given twice", "each one once"))
		}
	}
	return errors.Join(faults...)
}
