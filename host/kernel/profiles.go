package kernel

import "github.com/rdmasim/rdmasim/sim/units"

// Profile is a set of figures for an operating system.
type Profile struct {
	Name, Doc string
	fill      func(*Config)
	sources   map[string]string // by key, relative to the configuration
}

// Profiles are all there are; the first is the default and has nothing of its own.
var Profiles = []Profile{
	{Name: "linux", Doc: "Linux with segmentation and merging by the adapter and the kernel, interrupts that wake threads"},
	{
		Name: "busy-poll", Doc: "Linux whose threads look for packets themselves",
		fill:    func(c *Config) { c.BusyPoll = true },
		sources: map[string]string{"busy_poll": "documented: Linux, Documentation/networking/napi: SO_BUSY_POLL"},
	},
	{
		Name: "bypass", Doc: "TCP in the application, on a driver that polls (DPDK): no system calls, no interrupts, nothing to wake",
		fill: func(c *Config) {
			c.BusyPoll = true
			c.Syscall, c.Page, c.Epoll, c.Event, c.Wake, c.Interrupt, c.Idle = 0, 0, 0, 0, 0, 0, 0
			c.Open, c.Close = units.Microsecond, 300*units.Nanosecond
			c.Transmit, c.Completion = 300*units.Nanosecond, 50*units.Nanosecond
			c.Packet, c.Aggregate, c.Ack = 125*units.Nanosecond, 200*units.Nanosecond, 100*units.Nanosecond
			c.Steering = Same
		},
		sources: map[string]string{
			"busy_poll": bypassing, "syscall": bypassing, "page": bypassing, "epoll": bypassing, "epoll_event": bypassing, "wake": bypassing, "interrupt": bypassing, "idle_exit": bypassing,
			"open": "assumed", "close": "assumed", "transmit": "assumed", "completion": "assumed",
			"packet": "assumed: 100 to 150 ns for each packet", "aggregate": "assumed", "ack": "assumed", "steering": bypassing,
		},
	},
	{
		Name: "ideal", Doc: "a processor that takes no time for anything: the network alone",
		fill: func(c *Config) {
			*c = Config{
				Profile: c.Profile, Caches: c.Caches, IO: c.IO, Events: c.Events, Backlog: c.Backlog, Ports: c.Ports, Segmentation: true, QueueLimit: c.QueueLimit, Copies: c.Copies, BulkFrom: c.BulkFrom, Frames: 1, Merging: true,
				Merged: c.Merged, Budget: c.Budget, Ring: c.Ring, Steering: Same,
			}
		},
		sources: map[string]string{
			"syscall": nothing, "copy": nothing, "cold_copy": nothing, "page": nothing, "epoll": nothing, "epoll_event": nothing, "open": nothing, "close": nothing, "transmit": nothing,
			"completion": nothing, "notify": nothing, "interrupt": nothing, "moderation": nothing, "moderation_bulk": nothing, "moderation_frames": nothing, "packet": nothing, "aggregate": nothing,
			"ack": nothing, "wake": nothing, "idle_exit": nothing, "idle_after": nothing, "dma": nothing, "steering": nothing,
		},
	},
}

const (
	bypassing = "assumed: what a driver in the application does without"
	nothing   = "assumed: theory about networks knows no hosts"
)

// New is the configuration of a profile; that of the default for a name that is none.
func New(profile string) *Config {
	c := &Config{
		Profile: profile, Syscall: 400 * units.Nanosecond, Copy: 75 * units.Picosecond, ColdCopy: 130 * units.Picosecond, Caches: "hot",
		Copies: 1, Page: 50 * units.Nanosecond, IO: 64 * units.KiB, Epoll: 400 * units.Nanosecond, Event: 40 * units.Nanosecond, Events: 64, Backlog: 4096, Ports: 28232, Open: 20 * units.Microsecond, Close: units.Microsecond,
		Transmit: 1500 * units.Nanosecond, Completion: 200 * units.Nanosecond, Segmentation: true, Notify: 1500 * units.Nanosecond, QueueLimit: 2,
		Interrupt: 1200 * units.Nanosecond, Moderation: 3 * units.Microsecond, Bulk: 8 * units.Microsecond, BulkFrom: 16, Frames: 64,
		Packet: 120 * units.Nanosecond, Aggregate: units.Microsecond, Ack: 600 * units.Nanosecond, Merging: true, Merged: 65535,
		Budget: 2 * units.Millisecond, Ring: 1024, Steering: "rss", Wake: 2 * units.Microsecond, IdleFrom: 20 * units.Microsecond,
		DMA: 750 * units.Nanosecond,
	}
	c.AdoptPreset(profile)
	return c
}

// AdoptPreset puts the values of a profile into the configuration. The function it returns
// tells the source of the value of a key; it is nil for the default and for what is no profile.
func (c *Config) AdoptPreset(name string) func(key string) string {
	for i := range Profiles {
		if p := Profiles[i]; p.Name == name && p.fill != nil {
			p.fill(c)
			return p.Source
		}
	}
	return nil
}

// Source tells where a profile's value of a key comes from; it is empty for a key that
// the profile leaves alone.
func (p *Profile) Source(key string) string { return p.sources[key] }
