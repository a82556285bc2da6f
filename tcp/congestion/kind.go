package congestion

// Params is the set of parameters of one kind of congestion control: a pointer to a struct whose fields carry the tags from
// which the scenario language is made. New expects parameters that are valid.
type Params interface {
	// New returns the control of one connection; Init must be called before all else. Controls share nothing that changes.
	New() Control
}

// Kind is a congestion control of TCP as a scenario names it.
type Kind struct {
	Name string // as a scenario writes it
	Doc  string // one sentence: what it does

	// Params returns new parameters with the defaults that the tags have too.
	Params func() Params
}

// Kinds are the controls a scenario may name.
var Kinds = []Kind{
	NewReno,
	CUBIC,
	DCTCP,
	BBR,
}
