package archtest

import (
	"slices"
	"strings"
	"testing"
)

// module is the path of this module; the tables below name packages relative to it.
const module = "github.com/rdmasim/rdmasim"

// layer says which packages of this module one of them may import.
type layer struct {
	pkg     string
	imports string // separated by blanks
	because string // why it may import nothing else of ours
}

// layers lists every package of the module from the bottom up: a package imports only what stands above its row.
var layers = []layer{
	{"sim/units", "",
		"all packages speak in units; what units imported, everything would depend on"},
	{"internal/stopwatch", "",
		"the wall clock is read in one place, for the engine to choose who runs a window; nothing that happens in one hangs on it"},
	{"sim", "sim/units internal/stopwatch",
		"the engine runs nodes and knows nothing of packets, links or networks"},
	{"sim/variate", "",
		"random variates take a stream of bits and know nothing of what is drawn for"},
	{"sim/prefetch", "",
		"memory is asked for by address; what lies there is not its business"},
	{"wire", "sim/units",
		"sizes and codecs follow from standards alone; they are tested without an engine"},
	{"pfc", "sim/units wire",
		"pause rules are state machines fed with times, so that a table can state the standard"},
	{"credit", "sim/units",
		"the rules of credits are state machines fed with blocks, so that a table can state the standard"},
	{"cc", "sim/units",
		"a congestion control is fed by the NIC, schedules nothing and sees no packet"},
	{"dcqcn", "sim/units cc",
		"DCQCN is a state machine as its paper has it, without an engine or a NIC"},
	{"tcp/congestion", "sim/units",
		"a congestion control of TCP is told of acknowledgements, losses and marks, schedules nothing and sees no segment"},
	{"tcp", "sim/units tcp/congestion",
		"an end of a connection is fed with segments and times; what carries them, and what they cost a host, is not its business"},
	{"fluid", "sim/units dcqcn",
		"a fluid model takes the parameters of a congestion control and shares nothing else with it, or it could not contradict it"},
	{"fabric/topology/hostlist", "",
		"names of hosts are text; reading them needs no graph"},
	{"fabric/topology/hpccfile", "sim/units",
		"a file format is read into plain values; what they mean is for topology and workloads to tell"},
	{"fabric/topology", "sim/units fabric/topology/hostlist fabric/topology/hpccfile",
		"graphs and routes are checked before any switch exists"},
	{"fabric/partition", "sim/units sim",
		"who runs which nodes is a matter of a graph and its look-aheads; what the nodes are is not"},
	{"fabric", "sim/units sim sim/variate sim/prefetch wire pfc credit fabric/topology fabric/partition",
		"switches and links carry frames; what NICs and hosts mean by them is not theirs to know"},
	{"rnic/memory", "sim/units",
		"whether an access is allowed, and what memory holds, follows from addresses and keys; time and packets have no part in it"},
	{"rnic/selective", "",
		"which packets are missing is a matter of their numbers only"},
	{"rnic/pcie", "sim/units",
		"a slot is fed with times and bytes; whose they are is not its business"},
	{"rnic/contexts", "sim/units",
		"what an adapter keeps is numbers; what they stand for, it does not know"},
	{"rnic/hardware", "sim/units rnic/pcie rnic/contexts",
		"what hardware costs is a set of figures; how a NIC spends the time is its own matter"},
	{"rdmacm", "sim/units sim",
		"who may connect to whom, and when, is a matter of messages and times; how they travel is not"},
	{"rnic", "sim/units sim wire pfc cc dcqcn tcp tcp/congestion fabric/topology fabric rnic/memory rdmacm rnic/selective rnic/pcie rnic/contexts rnic/hardware",
		"a NIC serves whoever posts work; it does not know hosts or workloads"},
	{"host/kernel", "sim/units",
		"what an operating system costs is a set of figures; who pays them is the host's matter"},
	{"host", "sim/units sim wire pfc cc fabric/topology fabric/partition fabric rnic/memory rdmacm rnic tcp/congestion tcp host/kernel",
		"a host carries NICs; who writes scenarios or reads results is above it"},
	{"storage", "sim/units sim/variate",
		"devices are fed with times and sizes, and protocols are sizes of messages; how these travel is not their business"},
	{"collective", "sim/units",
		"who sends what to whom in a collective follows from its ranks; what carries it is not its business"},
	{"schedule", "sim/units collective",
		"what follows what in a job holds for any network; who runs it is not its business"},
	{"programs", "sim/units sim/variate collective schedule rdmacm rnic rnic/memory host storage",
		"a program is at one host and knows what a program there could know; who writes scenarios is above it"},
	{"faults", "sim/units fabric/topology/hostlist fabric/topology fabric host",
		"what goes wrong is planned for a cluster before it runs; who writes scenarios is above it"},
	{"workloads/flowsize", "sim/units",
		"sizes of flows are a matter of measurements; who draws from them is not"},
	{"workloads/goal", "sim/units schedule",
		"a file format is read into a schedule; who runs it is not its business"},
	{"workloads/model", "sim/units sim/variate collective schedule",
		"what a model makes its ranks do follows from its layers; what network they have is not its business"},
	{"workloads/hpc", "sim/units collective schedule",
		"what ranks of a simulation do follows from its grid; what network they have is not its business"},
	{"workloads/chakra", "sim/units collective schedule",
		"a file format is read into a schedule; who runs it is not its business"},
	{"workloads/astra", "sim/units collective schedule",
		"a file format is read into a schedule; who runs it is not its business"},
	{"workloads/htsimfile", "sim/units schedule",
		"a file format is read into plain values and a schedule; who runs it is not its business"},
	{"workloads", "sim/units sim sim/variate collective schedule workloads/model workloads/hpc fabric/topology/hostlist fabric/topology/hpccfile workloads/flowsize workloads/goal workloads/chakra workloads/astra workloads/htsimfile",
		"what hosts want to do holds for any network and any fidelity of simulation"},
	{"results", "sim/units",
		"results take typed columns and do not know the model that fills them"},
	{"results/plots", "sim/units results",
		"a figure shows columns of results, whatever filled them"},
	{"results/explain", "sim/units results",
		"a run is explained from the files it has left, without the model"},
	{"record", "sim/units pfc fabric/topology fabric rnic/hardware rnic tcp/congestion tcp host collective programs results results/plots storage",
		"what a run has counted becomes what its user reads; neither scenario nor command line has a say in it"},
	{"internal/strictyaml", "sim/units",
		"reading YAML strictly is independent of what is written in it"},
	{"bench/usage", "sim/units",
		"what a process has used, the operating system tells"},
	{"scenarios", "sim/units sim sim/variate wire pfc credit cc dcqcn fabric/topology/hostlist fabric/topology/hpccfile fabric/topology " +
		"fabric rnic/memory rdmacm rnic/pcie rnic/contexts rnic/hardware rnic tcp/congestion tcp host/kernel host storage programs faults workloads results results/plots record internal/strictyaml bench/usage",
		"scenarios build the model out of everything below; the command line is above them"},
	{"verify", "sim/units sim sim/variate wire pfc cc dcqcn fluid fabric/topology/hostlist fabric/topology/hpccfile fabric/topology " +
		"fabric rnic/pcie rnic tcp/congestion tcp host/kernel host collective schedule programs faults workloads/flowsize workloads results record scenarios",
		"checks run scenarios and models; who prints their table is above them"},
	{"verify/hpccns3", "sim/units pfc fabric/topology/hpccfile fabric host record scenarios verify",
		"what one other simulator writes is known in one place"},
	{"verify/htsim", "sim/units fabric/topology fabric host workloads/htsimfile record scenarios verify",
		"what one other simulator writes is known in one place"},
	{"calibrate", "sim/units rnic host programs record scenarios",
		"figures are fitted by running scenarios; who prints what was found is above it"},
	{"bench/calibration", "",
		"how fast a machine is must not depend on how fast our code is"},
	{"bench", "sim/units sim wire dcqcn fabric/topology fabric rnic host workloads results bench/calibration bench/usage",
		"what is measured is built from the model as scenarios build it; nothing but the command line depends on it"},
	{"cmd/rdmasim", "sim/units results results/plots results/explain scenarios verify verify/hpccns3 verify/htsim bench calibrate",
		"the command line is thin: what it can do, a program that imports scenarios can do"},
	{"internal/simtest", "sim/units sim wire cc dcqcn tcp tcp/congestion fabric/topology fabric rnic host",
		"small networks for tests are built from the model, without a scenario"},
	{"internal/jobtest", "sim/units schedule",
		"jobs are run by formulas for tests of those that make them, without a model"},
	{"internal/golden", "",
		"where reference data lies is nobody's business but that of tests"},
	{"internal/archtest", "",
		"the rules are about source text"},
}

// library says which packages may import another module.
type library struct {
	path    string // of the module; all its packages are meant
	users   string // packages of ours, separated by blanks
	because string // why no other package may
}

var libraries = []library{
	{"gopkg.in/yaml.v3", "internal/strictyaml scenarios",
		"nothing below scenarios knows YAML, and all of it is read strictly"},
	{"gonum.org/v1/plot", "results/plots", "figures are drawn from results, not from the model"},
	{"gonum.org/v1/gonum", "results/plots calibrate", "figures are drawn from results and fitted to measurements; the model needs no numerical library"},
	{"golang.org/x/image", "results/plots", "figures are drawn from results, not from the model"},
	{"github.com/jedib0t/go-pretty/v6", "results results/explain verify cmd/rdmasim", "only results and the command line write to a terminal"},
	{"golang.org/x/term", "results cmd/rdmasim", "only results and the command line write to a terminal"},
	{"google.golang.org/protobuf", "workloads/chakra", "one file format is made of protobuf messages; nothing else is"},
	{"github.com/spf13/cobra", "cmd/rdmasim", "everything but the command line can be used without one"},
}

func TestImportsOnlyGoDown(t *testing.T) {
	for _, pkg := range listPackages(t) {
		for _, finding := range forbiddenImports(pkg.ImportPath, pkg.Imports) {
			t.Error(finding)
		}
	}
}

// forbiddenImports returns the imports of one package that the tables do not allow, each with its reason.
func forbiddenImports(path string, imports []string) []string {
	own := relative(path)
	i := slices.IndexFunc(layers, func(l layer) bool { return l.pkg == own })
	if i < 0 {
		return []string{own + " is not in the table of layers: add it to the table with its reason"}
	}
	var findings []string
	for _, imported := range imports {
		if because := layers[i].forbids(imported); because != "" {
			findings = append(findings, own+" imports "+relative(imported)+": "+because)
		}
	}
	return findings
}

// forbids returns why a package of layer l may not import path; it is empty if it may.
func (l layer) forbids(path string) (because string) {
	host, _, _ := strings.Cut(path, "/")
	switch {
	case isOurs(path) && contains(l.imports, relative(path)):
		return ""
	case isOurs(path):
		return l.because
	case !strings.Contains(host, "."):
		return "" // the standard library
	}
	for _, lib := range libraries {
		if path != lib.path && !strings.HasPrefix(path, lib.path+"/") {
			continue
		}
		if contains(lib.users, l.pkg) {
			return ""
		}
		return lib.because
	}
	return "not in the table of libraries: add it to the table with its reason"
}

// contains reports whether word is one of words, which blanks separate.
func contains(words, word string) bool { return slices.Contains(strings.Fields(words), word) }

func isOurs(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

func relative(path string) string { return strings.TrimPrefix(path, module+"/") }

// TestTableOfLayersHasNoArrowUp also rules out cycles: a layer imports only what stands above its row.
func TestTableOfLayersHasNoArrowUp(t *testing.T) {
	var above []string
	for _, l := range layers {
		for _, imported := range strings.Fields(l.imports) {
			if !slices.Contains(above, imported) {
				t.Errorf("%s may import %s, which is not below it", l.pkg, imported)
			}
		}
		above = append(above, l.pkg)
	}
}

func TestForbiddenImportsAreFound(t *testing.T) {
	cases := []struct {
		pkg, imported string
		allowed       bool
	}{
		{"sim/units", "math/big", true},
		{"sim/units", module + "/sim", false},
		{"sim", module + "/sim/units", true},
		{"sim", module + "/wire", false},
		{"fabric", module + "/rnic", false},
		{"results", module + "/fabric", false},
		{"results", "gonum.org/v1/plot/vg", false},
		{"results/plots", "gonum.org/v1/plot/vg", true},
		{"results/plots", "gonum.org/v1/plotters", false},
		{"workloads", "gopkg.in/yaml.v3", false},
		{"host", "gopkg.in/yaml.v3", false},
		{"scenarios", "gopkg.in/yaml.v3", true},
		{"scenarios", module + "/cmd/rdmasim", false},
		{"cmd/rdmasim", module + "/fabric", false},
		{"fabric", "example.org/queues", false},
		{"util", "strings", false}, // not in the table
	}
	for _, c := range cases {
		findings := forbiddenImports(module+"/"+c.pkg, []string{c.imported})
		if c.allowed != (len(findings) == 0) {
			t.Errorf("%s imports %s: findings %q, want allowed = %v", c.pkg, c.imported, findings, c.allowed)
		}
	}
}
