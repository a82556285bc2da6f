package scenarios

import (
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Cost holds the user's prices, all in one currency. None has a default but 0: what has no price is not counted, and that is
// said.
type Cost struct {
	Currency     string  `key:"currency" default:"" doc:"name of the currency, which stands behind amounts"`
	CoreHour     float64 `key:"core_hour" default:"0" min:"0" doc:"price of one core for one hour: processor time, time spent looking for completions included; 0: not priced"`
	NIC          float64 `key:"nic" default:"0" min:"0" doc:"price of one port of a host's adapter, written off over amortisation_years; 0: not priced"`
	Port         float64 `key:"port" default:"0" min:"0" doc:"price of one port of a switch with its cable, written off likewise; 0: not priced"`
	Years        float64 `key:"amortisation_years" default:"0" min:"0" max:"100" doc:"years of 8766 hours over which adapters and switches are written off, busy all the time as in this run"`
	KilowattHour float64 `key:"kwh" default:"0" min:"0" doc:"price of one kilowatt-hour; 0: not priced"`
	CoreWatts    float64 `key:"core_watts" default:"0" min:"0" doc:"watts that a core draws while it is busy; 0: not priced"`
	NICWatts     float64 `key:"nic_watts" default:"0" min:"0" doc:"watts that each port of a host's adapter draws all the time; 0: not priced"`
	PortWatts    float64 `key:"port_watts" default:"0" min:"0" doc:"watts that each port of a switch draws all the time; 0: not priced"`
}

// Validate refuses prices that nothing can be made of: equipment without a time to write it off over, power without a price.
func (c *Cost) Validate() error {
	switch {
	case c.NIC > 0 && c.Years == 0:
		return units.Field("nic", c.NIC, "a price without a time over which it is written off", "add amortisation_years, such as 4")
	case c.Port > 0 && c.Years == 0:
		return units.Field("port", c.Port, "a price without a time over which it is written off", "add amortisation_years, such as 4")
	case c.KilowattHour == 0:
		for _, w := range [...]struct {
			key   string
			watts float64
		}{{"core_watts", c.CoreWatts}, {"nic_watts", c.NICWatts}, {"port_watts", c.PortWatts}} {
			if w.watts > 0 {
				return units.Field(w.key, w.watts, "power without a price", "add kwh, such as 0.2")
			}
		}
	case c.CoreWatts == 0 && c.NICWatts == 0 && c.PortWatts == 0:
		return units.Field("kwh", c.KilowattHour, "a price of energy that nothing draws", "add core_watts, nic_watts or port_watts")
	}
	return nil
}

// prices are the prices as runs want them; nil if there are none.
func (c *Cost) prices() *results.Prices {
	if c == nil {
		return nil
	}
	return &results.Prices{
		Currency: c.Currency, CoreHour: c.CoreHour, NIC: c.NIC, Port: c.Port, Years: c.Years,
		KilowattHour: c.KilowattHour, CoreWatts: c.CoreWatts, NICWatts: c.NICWatts, PortWatts: c.PortWatts,
	}
}
