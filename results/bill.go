package results

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Prices are what the user pays, in one currency. A price of 0 is none: what it would pay for is then said not to be
// priced.
type Prices struct {
	Currency  string  // its name; may be empty
	CoreHour  float64 // of one core for one hour
	NIC, Port float64 // of one port of a host's adapter, and of one port of a switch, with their cables
	Years     float64 // time over which those are written off

	KilowattHour                   float64 // of energy
	CoreWatts, NICWatts, PortWatts float64 // that a busy core draws, and ports all the time
}

// Uses is what a run used of what has a price.
type Uses struct {
	Core        units.Time  // processor time, all cores together
	NoCores     bool        // no processor is modelled: flows over ideal adapters take none
	UnderWay    units.Time  // time flows and programs were under way
	NICs, Ports int         // ports of hosts and of switches with a cable
	Moved       units.Bytes // payload delivered
}

// Bill is what a run cost at the user's prices, as if the same went on for as long as the equipment is written off.
type Bill struct {
	Currency string `json:"currency" doc:"in which the prices are; may be empty"`
	Moved    int64  `json:"moved_bytes" doc:"payload delivered, which the cost is for"`
	Terms    []Term `json:"terms" doc:"what the cost is made of, with the price of each"`

	Cost  float64  `json:"cost" doc:"sum of the terms that are priced"`
	PerGB *float64 `json:"cost_per_gb" doc:"cost for 10^9 bytes of payload delivered; null if none was"`
}

// Term is a part of a cost.
type Term struct {
	Name   string   `json:"name" doc:"what is paid for"`
	Price  float64  `json:"price" doc:"price of one unit; 0 if it is not priced"`
	Unit   string   `json:"unit" doc:"what the price is for"`
	Amount float64  `json:"amount" doc:"how many units were used"`
	Cost   float64  `json:"cost" doc:"price times amount"`
	PerGB  *float64 `json:"cost_per_gb" doc:"the same for 10^9 bytes of payload delivered; null if none was"`
	Of     string   `json:"of" doc:"how the amount came about"`
}

// hoursOfYear is a year of 365.25 days.
const hoursOfYear = 8766

// NewBill works out what a run cost.
func NewBill(p Prices, u Uses) *Bill {
	b := &Bill{Currency: p.Currency, Moved: int64(u.Moved)}
	const picosecondsPerHour = 3.6e15
	cores, hours := float64(u.Core)/picosecondsPerHour, float64(u.UnderWay)/picosecondsPerHour
	busy := u.Core.Human() + " of processor time"
	if u.NoCores {
		busy = "none: no processor is modelled for flows over RDMA"
	}
	b.add("cores", p.CoreHour, "core-hour", cores, busy)
	written := 0.0 // the share of the time of writing off that the run is
	if p.Years > 0 {
		written = hours / (p.Years * hoursOfYear)
	}
	over := ""
	if p.Years > 0 {
		over = " over " + Figure(p.Years) + " years"
	}
	for _, owned := range [...]struct {
		name, unit string
		price      float64
		ports      int
	}{{"NICs", "NIC port", p.NIC, u.NICs}, {"switch ports", "switch port", p.Port, u.Ports}} {
		b.add(owned.name, owned.price, owned.unit+over, float64(float64(owned.ports)*written), Plural(int64(owned.ports), owned.unit)+" for "+u.UnderWay.Human())
	}
	for _, drawn := range [...]struct {
		name  string
		watts float64
		hours float64 // of all that draw
		of    string
	}{
		{"power of cores", p.CoreWatts, cores, "cores busy for " + u.Core.Human()},
		{"power of NICs", p.NICWatts, float64(float64(u.NICs) * hours), Plural(int64(u.NICs), "NIC port") + " for " + u.UnderWay.Human()},
		{"power of switch ports", p.PortWatts, float64(float64(u.Ports) * hours), Plural(int64(u.Ports), "switch port") + " for " + u.UnderWay.Human()},
	} {
		price := p.KilowattHour
		if drawn.watts == 0 {
			price = 0
		}
		b.add(drawn.name, price, "kWh, each drawing "+Figure(drawn.watts)+" W", float64(drawn.watts*drawn.hours)/1000, drawn.of)
	}
	if u.Moved > 0 {
		b.PerGB = perGB(b.Cost, b.Moved)
	}
	return b
}

// add adds a term.
func (b *Bill) add(name string, price float64, unit string, amount float64, of string) {
	t := Term{Name: name, Price: price, Unit: unit, Amount: amount, Cost: float64(price * amount), Of: of}
	if b.Moved > 0 {
		t.PerGB = perGB(t.Cost, b.Moved)
	}
	b.Cost += t.Cost
	b.Terms = append(b.Terms, t)
}

func perGB(cost float64, moved int64) *float64 {
	each := cost / (float64(moved) / 1e9)
	return &each
}

// In writes an amount of money.
func (b *Bill) In(amount float64) string {
	if b.Currency == "" {
		return Figure(amount)
	}
	return Figure(amount) + " " + b.Currency
}

// lines say what the run cost, a line a term.
func (b *Bill) lines() (lines []string) {
	if b.PerGB == nil {
		lines = append(lines, fmt.Sprintf("%s in all; nothing was delivered that it could be for", b.In(b.Cost)))
	} else {
		lines = append(lines, fmt.Sprintf("%s for each GB delivered (%s for %s)", b.In(*b.PerGB), b.In(b.Cost), units.Bytes(b.Moved).Human()))
	}
	for i := range b.Terms {
		lines = append(lines, b.Terms[i].line(b))
	}
	return lines
}

// line says what a term is, and the price that it comes from.
func (t *Term) line(b *Bill) string {
	if t.Price == 0 {
		return t.Name + ": not priced"
	}
	each := t.Cost
	per := ""
	if t.PerGB != nil {
		each, per = *t.PerGB, " a GB"
	}
	return fmt.Sprintf("%s: %s%s, at %s a %s (%s)", t.Name, b.In(each), per, b.In(t.Price), t.Unit, t.Of)
}

// prices are the prices of all terms in a line, and what has none.
func (b *Bill) prices() string {
	var priced, not []string
	for _, t := range b.Terms {
		if t.Price == 0 {
			not = append(not, t.Name)
			continue
		}
		priced = append(priced, fmt.Sprintf("%s at %s a %s", t.Name, b.In(t.Price), t.Unit))
	}
	line := strings.Join(priced, "; ")
	if priced == nil {
		line = "none"
	}
	if not != nil {
		line += "; not priced: " + strings.Join(not, ", ")
	}
	return line
}
