package scenarios

import (
	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/faults"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/tcp/congestion"
	"github.com/rdmasim/rdmasim/workloads"
)

// The names of the sets of kinds, as the kinds tags of the spec have them.
const (
	topologySet = "topology"
	workloadSet = "workload"
	faultSet    = "fault"
	controlSet  = "congestion_control"
)

// kinds returns the kinds a scenario can choose from.
func kinds() strictyaml.KindSets {
	return strictyaml.KindSets{
		topologySet:   topologyKinds(topology.Kinds),
		workloadSet:   workloadKinds(workloads.Kinds),
		faultSet:      faultKinds(faults.Kinds),
		controlSet:    controlKinds(rnic.CongestionControls),
		tcpControlSet: tcpControlKinds(congestion.Kinds),
	}
}

func topologyKinds(registry []topology.Kind) []strictyaml.Kind {
	var kinds []strictyaml.Kind
	for _, k := range registry {
		kinds = append(kinds, strictyaml.Kind{Name: k.Name, Doc: k.Doc, New: func(string) any { return k.New() }})
	}
	return kinds
}

func workloadKinds(registry []workloads.Kind) []strictyaml.Kind {
	var kinds []strictyaml.Kind
	for _, k := range registry {
		kinds = append(kinds, strictyaml.Kind{Name: k.Name, Doc: k.Doc, New: func(string) any { return k.New() }})
	}
	return kinds
}

func controlKinds(registry []cc.Kind) []strictyaml.Kind {
	var kinds []strictyaml.Kind
	for _, k := range registry {
		kind := strictyaml.Kind{Name: k.Name, Doc: k.Doc, New: func(profile string) any { return k.Params(profile) }, Source: k.Source}
		for _, p := range k.Profiles {
			kind.Profiles = append(kind.Profiles, strictyaml.Profile(p))
		}
		kinds = append(kinds, kind)
	}
	return kinds
}
