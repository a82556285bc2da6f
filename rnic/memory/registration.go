package memory

import "github.com/rdmasim/rdmasim/sim/units"

// Registration is what it costs a host to register memory: the call into the kernel, and
// for each page that it is pinned and its address handed to the adapter.
type Registration struct {
	Fixed   units.Time  `key:"fixed" default:"50us" doc:"time to register a region, beside what its pages take" source:"assumed; measured by others as tens of microseconds for one page"`
	PerPage units.Time  `key:"per_page" default:"500ns" doc:"time that each page of a region adds to its registration" source:"assumed; measured by others as 0.3 to 1 us for a page of 4 KiB"`
	Page    units.Bytes `key:"page" default:"4KiB" min:"4KiB" doc:"size of the pages that are registered; 2MiB for hugepages" source:"Linux on x86"`
}

// Time is how long it takes to register a region of length bytes that begins with a page.
func (r Registration) Time(length units.Bytes) units.Time {
	return r.Fixed + r.PerPage*units.Time((length+r.Page-1)/r.Page)
}
