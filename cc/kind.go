package cc

import "github.com/rdmasim/rdmasim/sim/units"

// Params is the set of parameters of one kind of congestion control: a pointer to a struct whose fields carry the tags from
// which the scenario language is made. New and CNPs expect parameters that are valid.
type Params interface {
	// New returns the controller of one QP on the given line. Controllers share nothing that changes.
	New(line Line) Controller
	// CNPs says whether a receiver answers congestion marks with CNPs, and the least time between two CNPs of one QP.
	// The interval is 0 if each mark is answered, and if wanted is false.
	CNPs() (interval units.Time, wanted bool)
}

// Profile is a named set of defaults of one Kind: a publication, a firmware, a deployment.
type Profile struct {
	Name string // as a scenario writes it
	Doc  string // one sentence: whose values these are
}

// Kind is a congestion control as a scenario names it.
type Kind struct {
	Name string // as a scenario writes it
	Doc  string // one sentence: what it does

	// Profiles lists the named sets of defaults, the one that holds if none is named first; nil if the kind has none.
	Profiles []Profile

	// Params returns new parameters with the defaults of a profile; "" means the first. It returns nil for a profile that
	// the kind does not have.
	Params func(profile string) Params

	// Source says where the value that a profile gives to a key comes from; "" for a key or profile the kind does not
	// have. It is nil if the kind has no profiles: the source tags say it then.
	Source func(profile, key string) string
}
