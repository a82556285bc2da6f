package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// The maps that qos_map names.
const (
	azureMap = "azure"
	pcpMap   = "pcp"
)

// azurePriorities is the map of DSCPs that SONiC has by default (DSCP_TO_TC_MAP AZURE in its qos_config.j2), where it
// is not azureDefault.
var azurePriorities = map[int]int{3: 3, 4: 4, 5: 2, 8: 0, 46: 5, 48: 6}

const azureDefault = 1

// Priority returns the priority, 0 to 7, of packets with a DSCP of 0 to 63: SONiC's traffic class.
func (s *Switch) Priority(dscp int) int {
	if priority, ok := s.DSCPMap[dscp]; ok {
		return priority
	}
	switch pcp := dscp >> 3; {
	case s.QoSMap == azureMap:
		if priority, ok := azurePriorities[dscp]; ok {
			return priority
		}
		return azureDefault
	case s.QoSMap == pcpMap && pcp < 2:
		return 1 - pcp // DOT1P_TO_TC_MAP AZURE exchanges 0 and 1: PCP 1 is background (802.1Q, annex I)
	default:
		return pcp
	}
}

// Group returns the priority group of a priority. SONiC's TC_TO_PRIORITY_GROUP_MAP AZURE gives 3, 4 and 7 one each
// and the others group 0.
func (s *Switch) Group(priority int) int {
	if group, ok := s.PGMap[priority]; ok {
		return group
	}
	own := priority == 3 || priority == 4 || priority == 7
	if !own && (s.QoSMap == azureMap || s.QoSMap == pcpMap) {
		return 0
	}
	return priority
}

// tagged tells whether frames carry an 802.1Q tag.
func (s *Switch) tagged() bool { return s.QoSMap == pcpMap }

// tag returns what a tag adds to each frame.
func (s *Switch) tag() int {
	if s.tagged() {
		return wire.VLANTag
	}
	return 0
}

// checkGroups refuses a map of priorities that are none, and a lossless priority that shares its group: a pause of
// one would be a pause of both.
func (s *Switch) checkGroups() error {
	var faults []error
	for _, priority := range slices.Sorted(maps.Keys(s.PGMap)) {
		if priority < 0 || priority > 7 {
			faults = append(faults, units.Field(fmt.Sprintf("pg_map.%d", priority), priority, "no priority", "0 to 7"))
		}
	}
	for i, p := range s.PFC.Priorities {
		for other := range 8 {
			if s.PFC.Enabled && other != p && s.Group(other) == s.Group(p) {
				faults = append(faults, units.Field(fmt.Sprintf("pfc.priorities[%d]", i), p,
					fmt.Sprintf("lossless, but in priority group %d together with priority %d", s.Group(p), other), "a group of its own, by pg_map"))
				break
			}
		}
	}
	return errors.Join(faults...)
}
