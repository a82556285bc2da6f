package scenarios

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// slow are the built-in scenarios that take more than a second on one core.
var slow = map[string]bool{"ecmp-two-podsets": true, "websearch-fat-tree": true, "lossy-roce-cliff": true, "irn-vs-pfc": true, "qp-scaling": true, "connections-10-to-10000": true, "kv-get": true, "rpc-fanout": true, "media-jitter": true,
	"mpi-barrier-1000-ranks": true, "gradient-exchange": true,
	"halo-3d": true, "ddp-64gpu": true, "zero3-256": true, "moe-alltoall": true, "everything-at-once": true}

// reduced are built-in scenarios that take minutes, and what makes something smaller of them for tests.
var reduced = map[string][]string{
	"ring-allreduce-1024": {"topology.k=8", "workloads[0].min_bytes=1MiB", "workloads[0].max_bytes=1MiB"},
}

// small loads a built-in scenario, or something smaller of the same kind.
func small(t *testing.T, name string, sets ...string) *Spec {
	t.Helper()
	return load(t, name, slices.Concat(reduced[name], sets)...)
}

// promised leaves of a scenario's runs those of which something is expected.
func promised(spec *Spec) *Spec {
	spec.Variants = slices.DeleteFunc(spec.Variants, func(v Variant) bool {
		return v.at == "" && !spec.expects(func(e *Expectation) bool {
			return e.run() == v.Name || e.RatioTo != nil && e.RatioTo.Run != nil && *e.RatioTo.Run == v.Name
		})
	})
	return spec
}

func TestTheBuiltInScenariosKeepTheirPromises(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			if (slow[name] || slices.Contains(Claims(), name)) && testing.Short() {
				t.Skip("takes long, as sweeps of claims do")
			}
			t.Parallel()
			session := Session{Spec: promised(small(t, name)), Workers: 1}
			summary, err := session.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range summary.Expectations {
				if !e.Met {
					t.Errorf("%s: measured %s", e.Text, e.Measured)
				}
			}
			if code := session.Spec.ExitCode(summary); code != ExitDone {
				t.Errorf("exit code %d: %s, %v", code, summary.Outcome, summary.Reasons)
			}
		})
	}
}

// deciding are keys that a claim shows in any case: packets, cores and all that makes a kernel wait if something goes over TCP,
// and what an adapter does about loss if nothing does.
func deciding(claim string) []string {
	if strings.Contains(claim, "transport: tcp") || strings.Contains(claim, "transport\": tcp") {
		return []string{"host.cores", "host.mtu", "host.tcp.mtu", "host.tcp.min_rto", "host.kernel.moderation", "host.kernel.idle_exit"}
	}
	return []string{"host.mtu", "host.timeout", "host.retries", "host.recovery"}
}

// A claim is found by its name, which no other scenario has, and with its folder.
func TestAClaimIsFoundByItsName(t *testing.T) {
	if len(Claims()) == 0 {
		t.Fatal("there are none")
	}
	for _, name := range Claims() {
		if slices.Contains(namesIn("library"), name) {
			t.Errorf("%s is the name of another scenario too", name)
		}
		short, err := Open(name)
		if err != nil {
			t.Error(err)
		}
		if long, err := Open("claims/" + name); err != nil || string(long) != string(short) {
			t.Errorf("claims/%s is not %s: %v", name, name, err)
		}
		spec := load(t, name)
		if len(spec.Show) == 0 || len(spec.Sweeps) == 0 || len(spec.Expect) == 0 {
			t.Errorf("%s has %d keys to show, %d sweeps and %d expectations, want some of each", name, len(spec.Show), len(spec.Sweeps), len(spec.Expect))
		}
		if len(spec.Variants) == 0 || len(spec.Description) < 300 {
			t.Errorf("%s has %d variants and a description of %d letters, want what takes its mechanism away, and what that is", name, len(spec.Variants), len(spec.Description))
		}
		for _, key := range deciding(string(short)) {
			shown := func(s string) bool { return key == s || strings.HasPrefix(key, s+".") }
			if !slices.ContainsFunc(spec.Show, shown) {
				t.Errorf("%s does not show %s", name, key)
			}
		}
	}
}
