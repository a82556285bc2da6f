package scenarios

import (
	"fmt"
	"io"
	"strings"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/faults"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/workloads"
)

// WriteList writes the built-in scenarios with the first sentence of their
// descriptions, and the kinds that a scenario can choose from.
func WriteList(w io.Writer) error {
	var b strings.Builder
	b.WriteString("Scenarios (rdmasim run NAME):\n")
	for _, name := range Names() {
		spec, err := Load(name)
		if err != nil {
			return err
		}
		listed(&b, name, firstSentence(spec.Description))
	}
	b.WriteString("\nTopologies (topology: {kind: …}):\n")
	for _, k := range topology.Kinds {
		listed(&b, k.Name, k.Doc)
	}
	b.WriteString("\nWorkloads (workloads: [{kind: …}]):\n")
	for _, k := range workloads.Kinds {
		listed(&b, k.Name, k.Doc)
	}
	b.WriteString("\nFaults (faults: [{kind: …}]):\n")
	for _, k := range faults.Kinds {
		listed(&b, k.Name, k.Doc)
	}
	b.WriteString("\nCongestion controls (host.congestion_control: {kind: …}):\n")
	for _, k := range rnic.CongestionControls {
		listed(&b, k.Name, k.Doc+profilesOf(k))
	}
	b.WriteString("\nMachines (switch.preset):\n")
	for _, m := range machines {
		listed(&b, m.name, m.doc)
	}
	b.WriteString("\nAdapters (host.nic.profile):\n")
	for _, p := range hardware.Profiles {
		listed(&b, p.Name, p.Doc)
	}
	b.WriteString("\nEvery key is explained in docs/scenario.md; rdmasim show NAME --resolved writes all of them out.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func listed(b *strings.Builder, name, doc string) { fmt.Fprintf(b, "  %-22s %s\n", name, doc) }

func profilesOf(k cc.Kind) string {
	if len(k.Profiles) == 0 {
		return ""
	}
	var names []string
	for _, p := range k.Profiles {
		names = append(names, p.Name)
	}
	return "; profiles " + commas(names)
}

// firstSentence is a text up to its first full stop or colon.
func firstSentence(text string) string {
	if i := strings.IndexAny(text, ".:"); i > 0 {
		return text[:i]
	}
	return text
}

// Text is a scenario as it is written, a built-in one by its name or a file.
func Text(nameOrPath string) ([]byte, error) {
	if text, err := Open(nameOrPath); err == nil {
		return text, nil
	}
	return readFile(nameOrPath)
}
