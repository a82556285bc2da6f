package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdmasim/rdmasim/scenarios"
)

func TestEveryCheckHasANameOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range All() {
		if seen[c.Name] || strings.Trim(c.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || c.Run == nil {
			t.Errorf("%q is the name of two checks, or no name, or cannot run", c.Name)
		}
		seen[c.Name] = true
	}
}

// meant are warnings about what a scenario is there to show, by its name: parts of their texts.
var meant = map[string][]string{
	"ack-interval":      {"20 packets are more than the window"},
	"dynamic-threshold": {"nothing slows senders but loss"},
	"ecmp-polarisation": {"switches hash alike"},
	"irn-without-pfc":   {"nothing slows senders but loss"}, // of RoCE without PFC
	"unbounded-queue":   {"nothing slows senders but loss"},
	"pause-overshoot":   {"has 6KB of headroom"},
	"perftest-sweep":    {"host.nic.pcie: h0:0 is in a slot"}, // the slot is what bounds the sweep
	"red-marking":       {"nothing slows senders but loss"},
	"credit-ring":       {"can deadlock in priority 3"},
	"ring-deadlock":     {"can deadlock in priority 3", "nothing slows senders but loss"},
}

// unmeant are the warnings about a scenario that it is not there to show; missing are those that did not come.
func unmeant(name string, warnings []string) (others, missing []string) {
	for _, w := range warnings {
		if !slices.ContainsFunc(meant[name], func(part string) bool { return strings.Contains(w, part) }) {
			others = append(others, w)
		}
	}
	for _, part := range meant[name] {
		if !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, part) }) {
			missing = append(missing, part)
		}
	}
	return others, missing
}

// A rule without a source, or a band without a reason, is worth nothing.
func TestEveryExpectationOfAScenarioIsAccountedFor(t *testing.T) {
	for _, name := range scenarios.Verifications() {
		spec, err := scenarios.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		warnings, err := spec.Lint()
		if others, missing := unmeant(spec.Name, warnings); err != nil || len(others)+len(missing) > 0 {
			t.Errorf("%s: %v; warnings %q, and %q are missing", name, err, others, missing)
		}
		if len(spec.Expect) == 0 || !strings.HasSuffix(name, "/"+spec.Name) {
			t.Errorf("%s expects nothing, or has the name %s", name, spec.Name)
		}
		for _, e := range spec.Expect {
			if e.Rule == nil || e.Source == nil || e.Because == nil {
				t.Errorf("%s: %s has no rule, no source or no because", name, e.String())
			}
		}
	}
}

func TestPatternsSelectChecks(t *testing.T) {
	for pattern, want := range map[string]string{"goodput-share": "goodput-share", "put-sh": "goodput-share", "incast-*": "incast-bound", "window-limi?": "window-limit", "no such": ""} {
		var names []string
		for _, c := range Select(pattern, false) {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q selects %q, want %q", pattern, got, want)
		}
	}
	if quick, all := len(Select("", false)), len(Select("", true)); quick > all || all != len(All()) {
		t.Errorf("%d checks without a pattern, %d with those that take long, of %d", quick, all, len(All()))
	}
}

// tell is a check with one row that ends after some time.
func tell(name string, after time.Duration, met bool, err error) Check {
	return Check{Name: name, Run: func(context.Context, int) ([]Row, error) {
		time.Sleep(after)
		return []Row{{Rule: "rule of " + name, Met: met}}, err
	}}
}

// Rows stand in the order of the checks, whichever ends first.
func TestRowsDoNotDependOnWhatEndsFirst(t *testing.T) {
	checks := []Check{tell("a", 20*time.Millisecond, true, nil), tell("b", 0, true, nil), tell("c", 5*time.Millisecond, true, nil)}
	ended := 0
	var names []string
	for _, r := range Run(t.Context(), checks, func(string) { ended++ }) {
		names = append(names, r.Check+": "+r.Rows[0].Rule)
	}
	if got := strings.Join(names, ", "); got != "a: rule of a, b: rule of b, c: rule of c" || ended != 3 {
		t.Errorf("rows are %s after %d ends", got, ended)
	}
}

func TestTheExitCodeOfVerification(t *testing.T) {
	met, unmet := Row{Met: true}, Row{}
	for _, c := range []struct {
		name string
		all  []Result
		want int
	}{
		{"all met", []Result{{Rows: []Row{met}}, {Rows: []Row{met}}}, 0},
		{"nothing judged", []Result{{Rows: []Row{{Told: true}}}}, 3},
		{"one not met", []Result{{Rows: []Row{met, unmet}}, {Rows: []Row{met}}}, 4},
		{"one not met, one not ended", []Result{{Rows: []Row{unmet}}, {Rows: []Row{met}, Err: &Unended{"stalled"}}}, 3},
		{"interrupted", []Result{{Err: context.Canceled}}, 3},
		{"bad input", []Result{{Err: &scenarios.InputError{Err: errors.New("half a file")}}, {Err: &Unended{"stalled"}}, {Rows: []Row{unmet}}}, 2},
		{"a fault", []Result{{Err: &Unended{"stalled"}}, {Err: errors.New("a fault")}, {Rows: []Row{met}}}, 1},
	} {
		if got := ExitCode(c.all); got != c.want {
			t.Errorf("%s: exit code %d, want %d", c.name, got, c.want)
		}
	}
}

// A check whose run does not end as told says how it ended, and still has its rows.
func TestARunThatDoesNotEndSaysSo(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	rows, err := runScenario(ctx, "verify/incast-bound", 1)
	var unended *Unended
	if !errors.As(err, &unended) || unended.Reason != "the run ended as interrupted" || len(rows) != 2 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	all := Run(ctx, []Check{tell("late", 0, true, nil)}, func(string) {})
	if ExitCode(all) != scenarios.ExitIncomplete || len(all[0].Rows) > 0 {
		t.Errorf("a check begun too late has the result %+v", all[0])
	}
}

func TestTheTableFitsItsTerminal(t *testing.T) {
	long := Row{
		Rule: strings.Repeat("a rule of many words ", 6), Source: "a paper, section 3", Expected: "1449.677us to 1464.174us",
		Found: "98.031248244Gbps", Deviation: "-8.75Mbps (-0.0089%)", Band: "between", Met: true,
	}
	for _, columns := range []int{72, 80, 100} {
		var out strings.Builder
		all := []Result{{Check: "a-check", Rows: []Row{long, {Rule: "short"}}}, {Check: "another", Err: errors.New("a fault of\ntwo lines")}}
		if err := WriteText(&out, all, columns); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > columns {
				t.Errorf("a line of %d characters for %d: %s", n, columns, line)
			}
		}
		for _, word := range []string{"a-check", "met ", "NOT short", "NOT a fault", "1 of 2 rules met, in 2 checks."} {
			if !strings.Contains(out.String(), word) {
				t.Errorf("%q is not in\n%s", word, out.String())
			}
		}
	}
}

func TestTheTableIsPutBetweenItsMarkers(t *testing.T) {
	all := []Result{{Check: "a", Rows: []Row{{Rule: "x | y", Met: true}}}}
	page, err := Insert("before\n"+string(OfRules)+"\nold\n"+end+"\nafter\n", OfRules, all)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("before\n%s\n\n| %s |\n|%s\n| `a` | x \\| y |  |  |  |  |  |  | met |\n\n%s\nafter\n",
		OfRules, strings.Join(heads, " | "), strings.Repeat(" --- |", len(heads)), end)
	if page != want {
		t.Errorf("the page is\n%s\nwant\n%s", page, want)
	}
	if again, err := Insert(page, OfRules, all); err != nil || again != page {
		t.Errorf("put there again it is\n%s, %v", again, err)
	}
	if _, err := Insert("no place", OfRules, all); err == nil {
		t.Error("a page without markers was accepted")
	}
}

// The page lists the checks that there are, and of those that are scenarios the rules, in their order.
func TestThePageListsTheRulesThatExist(t *testing.T) {
	const file = "../docs/validation.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), string(OfRules))
	table, _, _ = strings.Cut(table, end)
	var got []string
	inGo := map[string]bool{}
	for _, c := range Checks {
		inGo[c.Name] = true
	}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		name := strings.Trim(strings.TrimPrefix(cells[0], "| "), "`")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		if rule := name + ": " + cells[1]; !inGo[name] {
			got = append(got, rule)
		} else if len(got) == 0 || got[len(got)-1] != name {
			got = append(got, name)
		}
	}
	var want []string
	for _, c := range All() {
		if inGo[c.Name] {
			want = append(want, c.Name)
			continue
		}
		want = append(want, rulesOf(t, c)...)
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("%s is out of date; rdmasim verify --full --into docs/validation.md renews it. It lists\n%s\nthere are\n%s", file, a, b)
	}
}

// rulesOf are the rules of a check that is a scenario, as the page has them.
func rulesOf(t *testing.T, c Check) (rules []string) {
	t.Helper()
	folder := "verify/"
	if c.Full {
		folder += "full/"
	}
	spec, err := scenarios.Load(folder + c.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range spec.Expect {
		rules = append(rules, c.Name+": "+strings.ReplaceAll(*e.Rule, "|", `\|`))
	}
	return rules
}
