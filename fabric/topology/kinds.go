package topology

// Builder makes a graph of one family from its parameters. Problems come as one or several *units.FieldError, with keys
// relative to the parameters.
type Builder interface {
	Build() (*Graph, error)
}

// Kind is a family of networks that a scenario can choose by name.
type Kind struct {
	Name string
	Doc  string         // one line
	New  func() Builder // a pointer to the parameters, all zero: defaults stand in the struct's tags
}

// Kinds lists all families. A new one is one file and one line here.
var Kinds = []Kind{
	{"pair", "two hosts and a cable between them", func() Builder { return new(Pair) }},
	{"star", "hosts around one switch", func() Builder { return new(Star) }},
	{"leaf-spine", "leaves with hosts, each cabled to every spine", func() Builder { return new(LeafSpine) }},
	{"fat-tree", "the k-ary fat-tree: k pods, k^3/4 hosts", func() Builder { return new(FatTree) }},
	{"three-tier", "racks, leaves and cores, oversubscribed by their counts", func() Builder { return new(ThreeTier) }},
	{"two-podset", "two podsets of 24 racks under 64 spines, as at Microsoft in 2016", func() Builder { return new(TwoPodset) }},
	{"dual-tor", "racks with two switches, at both of which each host has a NIC", func() Builder { return new(DualToR) }},
	{"rail-optimised", "NIC i of every host of a pod at its rail switch i, spines above", func() Builder { return new(RailOptimised) }},
	{"dumbbell", "hosts at two switches with a bottleneck between them", func() Builder { return new(Dumbbell) }},
	{"parking-lot", "a chain of switches with senders at each and receivers at its end", func() Builder { return new(ParkingLot) }},
	{"ring", "switches in a circle, each with hosts", func() Builder { return new(Ring) }},
	{"full-mesh", "hosts cabled to each other, without a switch", func() Builder { return new(FullMesh) }},
	{"custom", "nodes and links listed one by one or by pattern", func() Builder { return new(Custom) }},
	{"hpcc-file", "a topology.txt of the HPCC simulator", func() Builder { return new(HPCCFile) }},
}
