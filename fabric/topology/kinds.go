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
	{"custom", "nodes and links listed one by one or by pattern", func() Builder { return new(Custom) }},
	{"hpcc-file", "a topology.txt of the HPCC simulator", func() Builder { return new(HPCCFile) }},
}
