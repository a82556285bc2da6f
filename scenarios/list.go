package scenarios

import (
	"fmt"
	"io"
	"strings"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/faults"
	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/tcp/congestion"
	"github.com/rdmasim/rdmasim/workloads"
)

// WriteList writes the built-in scenarios with the first sentence of their
// descriptions, and the kinds that a scenario can choose from.
func WriteList(w io.Writer) error {
	var b strings.Builder
	for _, part := range []struct {
		title string
		names []string
	}{
		{"Scenarios (rdmasim run NAME):\n", namesIn("library")},
		{"\nClaims about RDMA beside TCP, measured (rdmasim run NAME; docs/claims.md):\n", Claims()},
	} {
		b.WriteString(part.title)
		for _, name := range part.names {
			spec, err := Load(name)
			if err != nil {
				return err
			}
			listed(&b, name, firstSentence(spec.Description))
		}
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
	b.WriteString("\nTransports (host.transport):\n")
	for _, t := range transports {
		listed(&b, t.name, t.doc)
	}
	b.WriteString("\nRecovery from loss (host.recovery):\n")
	for _, r := range recoveries {
		listed(&b, r.name, r.doc)
	}
	b.WriteString("\nMachines (switch.preset):\n")
	for _, m := range machines {
		listed(&b, m.name, m.doc)
	}
	b.WriteString("\nAdapters (host.nic.profile):\n")
	for _, p := range hardware.Profiles {
		listed(&b, p.Name, p.Doc)
	}
	b.WriteString("\nOperating systems (host.kernel.profile):\n")
	for _, p := range kernel.Profiles {
		listed(&b, p.Name, p.Doc)
	}
	b.WriteString("\nCongestion controls of TCP (host.tcp.congestion_control: {kind: …}):\n")
	for _, k := range congestion.Kinds {
		listed(&b, k.Name, k.Doc)
	}
	b.WriteString("\nEvery key is explained in docs/scenario.md; rdmasim show NAME --resolved writes all of them out.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// choice is a value of a key and what it stands for.
type choice struct{ name, doc string }

// transports are the values of host.transport.
var transports = []choice{
	{rocev2, "RDMA reliable connections over UDP and Ethernet"},
	{infiniband, "the same on InfiniBand links, with credits for each virtual lane"},
	{iwarp, "RDMA over a TCP that the adapter runs: MPA, DDP and RDMAP"},
	{overTCP, "sockets, over the TCP of the hosts' kernels"},
}

// recoveries are the values of host.recovery.
var recoveries = []choice{
	{"go-back-n", "back to the packet that is missing, as most adapters do"},
	{"go-back-0", "back to the first packet of its message, as early adapters did"},
	{"selective-repeat", "what is missing and no more: IRN (SIGCOMM 2018)"},
	{"adaptive", "go-back-n with a timer that begins short and doubles, as NVIDIA's adaptive retransmission"},
}

func listed(b *strings.Builder, name, doc string) { fmt.Fprintf(b, "  %-23s %s\n", name, doc) }

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

// firstSentence is a text up to its first full stop or colon, without it, or up to its first question mark.
func firstSentence(text string) string {
	for i := range len(text) {
		switch {
		case i+1 < len(text) && text[i+1] != ' ': // a version, a number
		case text[i] == '.' || text[i] == ':':
			return text[:i]
		case text[i] == '?':
			return text[:i+1]
		}
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
