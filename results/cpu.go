package results

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// CPU says what the processors of the hosts did for the work of the run, and what crossed their memories for it. All of
// it is over the time flows and programs were under way.
type CPU struct {
	Cores  *float64  `json:"cores_busy" doc:"cores that were at work or looked for it, on average, all hosts together; null if nothing takes a core any time: flows over ideal adapters do not"`
	Time   Micros    `json:"time_us" doc:"processor time, all cores together"`
	Kinds  []CPUKind `json:"kinds" doc:"what it was spent on"`
	Clock  float64   `json:"clock_ghz" doc:"clock of the cores, which makes cycles of times"`
	Moved  int64     `json:"moved_bytes" doc:"payload delivered, to flows and to programs"`
	Cycles *float64  `json:"cycles_per_byte" doc:"cycles of all cores for each byte of payload delivered; null if none was, or no core is modelled"`
	Copied int64     `json:"copied_bytes" doc:"bytes that processors copied from one place in memory to another"`
	Copies *float64  `json:"cpu_copies_per_byte" doc:"copied_bytes over moved_bytes: how often processors copied each byte; null if none was delivered"`
	DMA    int64     `json:"dma_bytes" doc:"payload that adapters read from memory or wrote to it"`

	Crossings *float64 `json:"dma_crossings_per_byte" doc:"dma_bytes over moved_bytes: how often each byte crossed the bus of an adapter; null if none was delivered"`
	MemoryBus int64    `json:"memory_bus_bytes" doc:"bytes over the memory buses of the hosts: each copy reads and writes, each crossing does one of them unless it is a GPU's memory"`
}

// CPUKind is processor time of one kind.
type CPUKind struct {
	Kind string `json:"kind" doc:"what the time was spent on"`
	Time Micros `json:"time_us" doc:"processor time"`
}

// Of is the processor time of a kind; 0 if there was none.
func (c *CPU) Of(kind string) Micros {
	for _, k := range c.Kinds {
		if k.Kind == kind {
			return k.Time
		}
	}
	return 0
}

// line says in a line what processors did.
func (c *CPU) line() string {
	if c.Cores == nil {
		return "not modelled: nothing of this run takes a core any time"
	}
	var parts []string
	for _, k := range c.Kinds {
		if k.Time > 0 {
			parts = append(parts, units.Time(k.Time).Human()+" "+k.Kind)
		}
	}
	line := fmt.Sprintf("%s cores busy: %s", Figure(*c.Cores), strings.Join(parts, ", "))
	if parts == nil {
		line = "no core busy"
	}
	if c.Cycles != nil {
		line += fmt.Sprintf("; %s cycles a byte at %s GHz", Figure(*c.Cycles), Figure(c.Clock))
	}
	return line
}

// copiesLine says what crossed the memories.
func (c *CPU) copiesLine() string {
	if c.Copies == nil {
		return ""
	}
	return fmt.Sprintf("%s copies by processors and %s crossings by DMA for each byte delivered; %s over memory buses",
		Figure(*c.Copies), Figure(*c.Crossings), units.Bytes(c.MemoryBus).Human())
}
