package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

// check runs the checks that need more than one block and adds what they find to the problems. A check whose blocks
// have problems already does not run.
func (s *Spec) check(problems strictyaml.Problems) strictyaml.Problems {
	sound := func(paths ...string) bool {
		for _, p := range paths {
			if problems.Touch(p) {
				return false
			}
		}
		return true
	}
	var found strictyaml.Problems
	if sound("name") && s.Name != "" {
		found = append(found, strictyaml.Locate(checkName(s.Name), "", s.origins)...)
	}
	if sound("host") {
		found = append(found, strictyaml.Locate(s.checkTransport(), "", s.origins)...)
	}
	if refuses := s.profile().refuses; refuses != nil && !s.onInfiniBand() {
		found = append(found, strictyaml.Locate(errors.Join(refuses(s)...), "", s.origins)...)
	}
	if n := len(s.Variants); n > maxVariants {
		wrong := fmt.Errorf("%d variants; want at most %d", n, maxVariants)
		found = append(found, strictyaml.Locate(wrong, "variants", s.origins)...)
	}
	for i := range s.Variants {
		if key := fmt.Sprintf("variants[%d]", i); sound(key + ".name") {
			found = append(found, strictyaml.Locate(s.checkVariantName(i), key, s.origins)...)
		}
	}
	found = append(found, strictyaml.Locate(errors.Join(s.checkShow()...), "", s.origins)...)
	if sound("variants", "sweep") {
		found = append(found, s.checkSweeps()...)
	}
	runs, _ := s.runs()
	for i := range s.Expect {
		if key := fmt.Sprintf("expect[%d]", i); sound(key, "sweep") {
			found = append(found, strictyaml.Locate(s.Expect[i].check(s, runs), key, s.origins)...)
		}
	}
	if s.Topology.Params != nil && sound("topology") {
		graph, err := s.Network()
		found = append(found, strictyaml.Locate(err, "topology", s.origins)...)
		if err == nil && sound("measure") {
			found = append(found, strictyaml.Locate(s.Measure.checkMatch(graph), "measure", s.origins)...)
		}
		if err == nil && sound("workloads", "seed") && s.decoded() {
			flows, all, _, err := s.traffic(graph)
			found = append(found, strictyaml.Locate(err, "workloads", s.origins)...)
			if err == nil && sound("measure") {
				found = append(found, strictyaml.Locate(s.checkWindow(all), "measure", s.origins)...)
			}
			if sound("switch.dscp_map", "switch.qos_map") {
				classes := s.checkClasses(all)
				found = append(found, strictyaml.Locate(classes, "workloads", s.origins)...)
				if err == nil && classes == nil && sound("switch", "switch_overrides", "host") {
					_, err := s.fabricConfig(graph, all)
					found = append(found, strictyaml.Locate(err, "", s.origins)...)
				}
			}
			if err == nil && sound("faults") {
				found = append(found, s.checkFaults(graph, len(flows))...)
			}
		}
	}
	return append(problems, found...)
}

// decoded tells whether every workload has its parameters; after very many problems
// the rest of a file is left unread.
func (s *Spec) decoded() bool {
	for _, b := range s.Workloads {
		if b.Params == nil {
			return false
		}
	}
	return true
}

// checkName refuses names that cannot be those of a folder of results.
func checkName(name string) error {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	if strings.Trim(name, allowed) == "" && strings.Trim(name, ".") != "" {
		return nil
	}
	return units.Field("name", name, "not a name", "want letters, digits, dots, hyphens and underscores, such as incast-16")
}

// Flows returns all flows of the workloads on a network, in their order. Errors carry keys relative to workloads; see
// [Spec.Locate].
func (s *Spec) Flows(graph *topology.Graph) ([]workloads.Flow, error) {
	generators, labels := s.generators()
	return workloads.Generate(generators, labels, s.env(graph))
}

// env is what workloads know of the network, and their random streams.
func (s *Spec) env(graph *topology.Graph) workloads.Env {
	env := directory(graph)
	env.Transport = s.Host.Transport
	env.Rand = func(stream string) workloads.Rand {
		random := sim.NewStream(s.Seed, "workloads", stream)
		return &random
	}
	return env
}

// directory is what selectors of hosts are about.
func directory(graph *topology.Graph) (env workloads.Env) {
	for _, host := range graph.Hosts() {
		env.Hosts = append(env.Hosts, graph.Nodes[host].Name)
	}
	places := graph.Placement()
	env.Racks = workloads.Zones{Of: places.Rack, Uplinks: places.RackUplinks}
	env.Pods = workloads.Zones{Of: places.Pod, Uplinks: places.PodUplinks}
	env.HostRate = func(host int) units.Rate { return graph.PortRate(graph.Hosts()[host]) }
	env.NICs = func(host int) int { return len(graph.Ports(graph.Hosts()[host])) }
	env.CheckWay = func(src, dst int, way *workloads.Way) error {
		path, back, err := pinned(graph, way)
		if err == nil {
			_, _, err = graph.PairThrough(graph.Hosts()[src], graph.Hosts()[dst], path, back, 0)
		}
		return err
	}
	return env
}

// pinned returns the way through switches of a flow's packets and of what answers them; nil if it has none.
func pinned(graph *topology.Graph, way *workloads.Way) (path, back topology.Pinned, err error) {
	if way == nil {
		return nil, nil, nil
	}
	if path, err = graph.Through("path", way.Path); err != nil {
		return nil, nil, err
	}
	if len(way.Return) == 0 {
		return path, graph.Back(path), nil
	}
	back, err = graph.Through("return_path", way.Return)
	return path, back, err
}

// checkClasses remembers which workload asks for which class, beside that of the hosts, and refuses classes that no
// DSCP is mapped to.
func (s *Spec) checkClasses(flows []workloads.Flow) error {
	_, labels := s.generators()
	var faults []error
	for _, f := range flows {
		if f.Priority == workloads.HostPriority {
			continue
		}
		key := fmt.Sprintf("[%d]", slices.Index(labels, f.Workload))
		if f.Transport != overTCP && s.roces[f.Priority] == "" {
			s.roces[f.Priority] = "workloads" + key
		}
		if s.asked[f.Priority] != "" {
			continue
		}
		s.asked[f.Priority] = "workloads" + key
		if !s.Switch.reaches(f.Priority) {
			problem := fmt.Sprintf("some flows ask for priority %d, to which switch.dscp_map leaves no DSCP", f.Priority)
			faults = append(faults, &units.FieldError{Key: key, Problem: problem, Want: "map one to it"})
		}
	}
	return errors.Join(faults...)
}

// numbered returns the word, with a number behind it from its second use on.
func numbered(word string, count map[string]int) string {
	count[word]++
	if count[word] == 1 {
		return word
	}
	return fmt.Sprintf("%s-%d", word, count[word])
}

func commas(words []string) string { return strings.Join(words, ", ") }
