package scenarios

import (
	"errors"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Watchdog holds the settings of the PFC watchdog of every switch, which looks after each lossless queue: one that has
// packets and sends none, since it is paused for more than 99 % of the time, is held up by a storm.
type Watchdog struct {
	Enabled     bool             `key:"enabled" default:"false" doc:"whether switches have one" source:"assumed: so that a scenario shows what pauses do by themselves; SONiC enables it on its lossless priorities"`
	Poll        Auto[units.Time] `key:"poll" default:"auto" min:"1us" doc:"time between two looks at a queue; auto: 200 ms for each 32 ports of the switch begun" source:"SONiC: 200 ms x max(1, (ports - 1) / 32 + 1); its range is 100 to 5000 ms"`
	Detection   Auto[units.Time] `key:"detection" default:"auto" min:"1us" doc:"time for which a queue must be held up, rounded up to polls; auto: as for poll" source:"SONiC: 200 ms x max(1, (ports - 1) / 32 + 1); its range is 100 to 5000 ms"`
	Restoration Auto[units.Time] `key:"restoration" default:"auto" min:"1us" doc:"time without a pause after which the storm is over, rounded up to polls; auto: as for poll" source:"SONiC: 200 ms x max(1, (ports - 1) / 32 + 1); its range is 100 to 60000 ms"`
	Ports       string           `key:"ports" default:"all" oneof:"all|hosts" doc:"all: it looks after every port; hosts: after those to hosts only, so that ports further up that a storm holds up as well do not lose packets" source:"SONiC: all; hosts as in Guo et al., SIGCOMM 2016"`
	Action      string           `key:"action" default:"drop" oneof:"drop|forward|alert" doc:"drop: discard what is queued and what arrives for the queue, and what comes in by the port in that priority; forward: send in spite of the pauses; alert: only say so" source:"SONiC"`
}

// Validate checks that a storm is looked for often enough.
func (w *Watchdog) Validate() error {
	var faults []error
	auto := fabric.Watchdog{}.Times(1).Poll // at a small switch
	poll := w.Poll.Else(auto)
	check := func(key string, t Auto[units.Time]) {
		if t.Else(auto) < poll {
			faults = append(faults, units.Field(key, t, "shorter than the time between two polls, "+poll.String(), "at least as long, or a shorter poll"))
		}
	}
	check("detection", w.Detection)
	check("restoration", w.Restoration)
	return errors.Join(faults...)
}

// config is what the fabric is told.
func (w *Watchdog) config() fabric.Watchdog {
	action := map[string]fabric.WatchdogAction{
		"drop": fabric.WatchdogDrop, "forward": fabric.WatchdogForward, "alert": fabric.WatchdogAlert,
	}
	return fabric.Watchdog{
		Enabled: w.Enabled, Poll: w.Poll.Else(0), Detection: w.Detection.Else(0), Restoration: w.Restoration.Else(0),
		Action: action[w.Action], HostPorts: w.Ports == "hosts",
	}
}
