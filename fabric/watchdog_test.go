package fabric

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

const ms, us = units.Millisecond, units.Microsecond

// guarded is two hosts at a switch with a PFC watchdog of 200 ms for each of its times:
// host 0 sends, host 1 receives and pauses.
func guarded(t *testing.T, change func(*Config)) (th *theatre, sender, receiver *actor) {
	th = stage(t, 2, func(c *Config) {
		c.Priorities, c.PFC.Lossless = []int{1, 3, 4}, 1<<3|1<<4
		c.Watchdog = Watchdog{Enabled: true}
		change(c)
	})
	return th, th.actors[0], th.actors[1]
}

func unchanged(*Config) {}

// stormAt is a storm of host 1.
func stormAt(at units.Time, priority int) WatchdogEvent { return WatchdogEvent{at, 1, priority, true} }

// calmAt is its end.
func calmAt(at units.Time, priority int) WatchdogEvent { return WatchdogEvent{at, 1, priority, false} }

// XOFF every 50 us for 400 ms: the storm is declared at 200 ms, after the first interval
// in which nothing was sent. Then XON frames come at the same rate: they are no pauses,
// and one restoration time later the storm is over.
func TestAStormIsDeclaredAfterTheDetectionTimeAndOverAfterTheRestorationTime(t *testing.T) {
	th, sender, receiver := guarded(t, unchanged)
	sender.plays(every(10*ms, ms, 900*ms, packetTo(1, 3)))
	receiver.plays(every(50*us, 0, 400*ms, xoff(3)))
	receiver.plays(every(50*us, 400*ms, 900*ms, xon(3)))
	s := th.play(t, 900*ms)
	if got, want := s.WatchdogEvents(), []WatchdogEvent{stormAt(200*ms, 3), calmAt(600*ms, 3)}; !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

// Packets are discarded in the storm and only there: the 20 that waited when it was
// declared, the 40 that came until it was over, and none of the 30 after that.
func TestPacketsAreDiscardedFromDetectionToRestorationOnly(t *testing.T) {
	th, sender, receiver := guarded(t, unchanged)
	sender.plays(every(10*ms, ms, 900*ms, packetTo(1, 3)))
	receiver.plays(every(50*us, 0, 400*ms, xoff(3)))
	receiver.plays(every(50*us, 400*ms, 401*ms, xon(3)))
	s := th.play(t, 900*ms)
	if got := s.Discarded(1, 3); got != (ClassCount{Packets: 60, Bytes: 60_000}) {
		t.Errorf("discarded %+v, want 60 packets of 1000 B", got)
	}
	if got := receiver.got[3]; len(got) != 30 || got[0] < 601*ms {
		t.Errorf("%d packets delivered, the first at %v; want 30, from 601ms on", len(got), got[0])
	}
	if _, data := s.discarded(); data != 60 {
		t.Errorf("%d data packets discarded", data)
	}
}

// The storm of host 1 costs its own packets of that priority too: what it sends is
// discarded where it comes in. Its other lossless priority, and that of others, pass.
func TestAStormedPortLosesWhatComesInByIt(t *testing.T) {
	th, sender, receiver := guarded(t, unchanged)
	sender.plays(every(10*ms, ms, 200*ms, packetTo(1, 3)))
	receiver.plays(every(50*us, 0, 600*ms, xoff(3)))
	receiver.plays(every(10*ms, 300*ms+25*us, 400*ms, packetTo(0, 3)))
	receiver.plays(every(10*ms, 400*ms+25*us, 500*ms, packetTo(0, 4)))
	s := th.play(t, 600*ms)
	if got := s.Discarded(1, 3).Packets; got != 20+10 {
		t.Errorf("%d packets discarded, want 20 for the host and 10 from it", got)
	}
	if len(sender.got[3]) != 0 || len(sender.got[4]) != 10 {
		t.Errorf("host 0 got %d packets of priority 3 and %d of 4, want 0 and 10", len(sender.got[3]), len(sender.got[4]))
	}
}

// Both lossless priorities are stormed for 20 s: one event each, and no flapping.
func TestAStormThatLastsIsOneStorm(t *testing.T) {
	th, sender, receiver := guarded(t, unchanged)
	sender.plays(every(50*ms, ms, 20*units.Second, packetTo(1, 3)))
	sender.plays(every(50*ms, 2*ms, 20*units.Second, packetTo(1, 4)))
	receiver.plays(every(50*us, 0, 20*units.Second, xoff(3, 4)))
	s := th.play(t, 20*units.Second)
	if got, want := s.WatchdogEvents(), []WatchdogEvent{stormAt(200*ms, 3), stormAt(200*ms, 4)}; !slices.Equal(got, want) {
		t.Errorf("events %v, want one storm of each priority", got)
	}
}

// Pauses in the last hundredth of every interval, with a packet waiting at its end and
// none sent in it, are no storm.
func TestAPauseAtTheEndOfEveryIntervalIsNoStorm(t *testing.T) {
	th, sender, receiver := guarded(t, unchanged)
	for k := units.Time(1); k <= 10; k++ {
		receiver.plays(every(50*us, k*200*ms-2*ms, k*200*ms, xoff(3)))
		receiver.plays(every(ms, k*200*ms+us, k*200*ms+ms, xon(3)))
		sender.plays(every(ms, k*200*ms-ms, k*200*ms, packetTo(1, 3)))
	}
	s := th.play(t, 2*units.Second+ms)
	if got := s.WatchdogEvents(); len(got) != 0 {
		t.Errorf("events %v, want none", got)
	}
	if len(receiver.got[3]) != 10 {
		t.Errorf("%d packets delivered, want 10", len(receiver.got[3]))
	}
}

// A port that is paused for ever and has nothing to send is not stormed.
func TestAnIdleQueueIsNotStormed(t *testing.T) {
	th, _, receiver := guarded(t, unchanged)
	receiver.plays(every(50*us, 0, units.Second, xoff(3)))
	if got := th.play(t, units.Second).WatchdogEvents(); len(got) != 0 {
		t.Errorf("events %v, want none", got)
	}
}

// Of 90 packets, 40 come while pauses do, up to 400 ms, and 20 more until the storm that
// was declared at 200 ms is over, at 600 ms. Drop discards these 60; forward delivers
// them as they come and what had waited with them; alert leaves them to the pauses.
func TestTheActionsOfAWatchdog(t *testing.T) {
	for _, tc := range []struct {
		name       string
		action     WatchdogAction
		early, all int // packets delivered while pauses come, and to the end
	}{{"drop", WatchdogDrop, 0, 30}, {"forward", WatchdogForward, 40, 90}, {"alert", WatchdogAlert, 0, 90}} {
		th, sender, receiver := guarded(t, func(c *Config) { c.Watchdog.Action = tc.action })
		sender.plays(every(10*ms, ms, 900*ms, packetTo(1, 3)))
		receiver.plays(every(50*us, 0, 400*ms, xoff(3)))
		s := th.play(t, 900*ms)
		if got, want := s.WatchdogEvents(), []WatchdogEvent{stormAt(200*ms, 3), calmAt(600*ms, 3)}; !slices.Equal(got, want) {
			t.Errorf("%s: events %v, want %v", tc.name, got, want)
		}
		got := receiver.got[3]
		early, _ := slices.BinarySearch(got, 400*ms)
		if early != tc.early || len(got) != tc.all {
			t.Errorf("%s: %d packets delivered by 400ms and %d in all, want %d and %d", tc.name, early, len(got), tc.early, tc.all)
		}
	}
}

// In the storm, forward sends without regard for pauses; after it they hold again.
func TestForwardObeysPausesAgainWhenTheStormIsOver(t *testing.T) {
	th, sender, receiver := guarded(t, func(c *Config) { c.Watchdog.Action = WatchdogForward })
	sender.plays(every(10*ms, ms, 900*ms, packetTo(1, 3)))
	receiver.plays(every(50*us, 0, 390*ms, xoff(3)))
	receiver.plays(every(50*us, 700*ms, 705*ms, xoff(3)))
	th.play(t, 900*ms)
	for _, at := range receiver.got[3] {
		if at < 200*ms || at > 700*ms+2*us && at < 705*ms {
			t.Errorf("a packet came at %v, when pauses were to be obeyed", at)
		}
	}
	if got := len(receiver.got[3]); got != 90 {
		t.Errorf("%d packets delivered, want all 90", got)
	}
}

// SONiC's default for each time is 200 ms, and as much again for every 32 ports.
func TestTheDefaultTimesGrowWithThePorts(t *testing.T) {
	for ports, want := range map[int]units.Time{1: 200 * ms, 32: 200 * ms, 33: 400 * ms, 64: 400 * ms, 65: 600 * ms, 128: 800 * ms} {
		got := Watchdog{Detection: ms}.Times(ports)
		if got != (pfc.WatchdogTimes{Poll: want, Detection: ms, Restoration: want}) {
			t.Errorf("%d ports: %+v, want %v", ports, got, want)
		}
	}
}

// A watchdog of ports to hosts leaves those between switches alone; there are only ports
// to hosts in a star.
func TestAWatchdogOfHostPortsSeesTheirStorms(t *testing.T) {
	th, sender, receiver := guarded(t, func(c *Config) { c.Watchdog.HostPorts = true })
	sender.plays(every(10*ms, ms, 300*ms, packetTo(1, 3)))
	receiver.plays(every(50*us, 0, 300*ms, xoff(3)))
	if got := th.play(t, 300*ms).WatchdogEvents(); len(got) != 1 {
		t.Errorf("events %v, want one", got)
	}
}
