package storage

import (
	"math"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// Distribution is how the times differ that a device takes for commands of one kind. Its mean is always the time that is given.
type Distribution uint8

// The distributions.
const (
	Constant Distribution = iota
	Exponential
	LogNormal
)

// Distributions are the words for them in scenarios, in their order.
var Distributions = []string{"constant", "exponential", "log-normal"}

// Device says how fast the devices of a target are, all of them together.
type Device struct {
	Channels    int // commands that they work on at the same time, at least 1
	Read, Write units.Time
	Times       Distribution
	Sigma       float64 // of [LogNormal]: the standard deviation of the logarithm; 0 to 4
	// Stall is what a command takes longer that meets a device at its garbage collection, as one of a million meets it
	// StallChance times; 0 to 1,000,000.
	Stall       units.Time
	StallChance int
	Rate        units.Rate // at which data of all channels goes to or from them; 0 if that takes no time
	// Sustained is the rate at which what has been written goes from the cache to where it stays, and Cache how much that
	// holds: a write waits until there is room. A rate of 0 sets no bound.
	Sustained units.Rate
	Cache     units.Bytes
}

// Mean is what a channel takes for a command in the mean, without its data.
func (d *Device) Mean(write bool) float64 {
	t := d.Read
	if write {
		t = d.Write
	}
	return float64(t) + float64(float64(d.Stall)*float64(d.StallChance))/million
}

const million = 1_000_000

// Disk is what the devices of a target are at. It schedules nothing: who submits a command is told when it will be done.
type Disk struct {
	*Device
	random  variate.Source
	free    []units.Time // when each channel is: a heap, whose first is the earliest
	bus     units.Time   // when the last data will have been transferred
	drained units.Time   // when the cache would be empty if no more came
	// Busy is the time for which channels were at work, or will be for what has been submitted; Stalls counts commands
	// that met garbage collection.
	Busy   units.Time
	Stalls int
}

// NewDisk makes devices that have nothing to do. Random numbers are drawn where the figures ask for any.
func NewDisk(d *Device, random variate.Source) *Disk {
	return &Disk{Device: d, random: random, free: make([]units.Time, max(1, d.Channels))}
}

// Stages is how many stages a command goes through: a write waits for room in the cache, goes over the bus and takes a channel;
// a read takes a channel and then goes over the bus.
const Stages = 3

// Step has a command of so many bytes come to a stage, from 0 on, at a time, and tells when that is over. At each stage commands are
// served in the order in which they come; who has several calls in the order of their times.
func (d *Disk) Step(stage int, write bool, size units.Bytes, now units.Time) units.Time {
	switch {
	case write && stage == 0:
		return d.admit(size, now)
	case stage == 1:
		return d.transfer(size, now)
	case write && stage == 2, !write && stage == 0:
		return d.serve(write, now)
	}
	return now
}

// admit tells from when on the cache has room for a write.
func (d *Disk) admit(size units.Bytes, now units.Time) units.Time {
	if d.Sustained == 0 {
		return now
	}
	d.drained = max(d.drained, now) + d.Sustained.Serialise(int(size))
	return max(now, d.drained-d.Sustained.Serialise(int(d.Cache)))
}

// transfer has data go over the bus.
func (d *Disk) transfer(size units.Bytes, now units.Time) units.Time {
	if d.Rate == 0 {
		return now
	}
	d.bus = max(d.bus, now) + d.Rate.Serialise(int(size))
	return d.bus
}

// serve has the channel that is free first do a command.
func (d *Disk) serve(write bool, now units.Time) units.Time {
	takes := d.takes(write)
	end := max(now, d.free[0]) + takes
	d.Busy += takes
	d.occupy(end)
	return end
}

// takes draws how long a command takes a channel.
func (d *Disk) takes(write bool) units.Time {
	t := d.Read
	if write {
		t = d.Write
	}
	switch d.Times {
	case Exponential:
		t = units.Time(math.Round(float64(float64(t) * variate.Exponential(d.random))))
	case LogNormal:
		t = units.Time(math.Round(float64(float64(t) * variate.LogNormal(d.random, d.Sigma))))
	}
	if d.StallChance > 0 && int(d.random.Uint64()>>32*million>>32) < d.StallChance {
		d.Stalls++
		t += d.Stall
	}
	return t
}

// occupy has the channel that is free first be so at a later time.
func (d *Disk) occupy(until units.Time) {
	i, h := 0, d.free
	for {
		next := 2*i + 1
		if next+1 < len(h) && h[next+1] < h[next] {
			next++
		}
		if next >= len(h) || h[next] >= until {
			break
		}
		h[i] = h[next]
		i = next
	}
	h[i] = until
}
