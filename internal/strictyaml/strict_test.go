package strictyaml

import (
	"strings"
	"testing"
)

func TestEachMistakeIsOneLineWithItsPlaceAndARemedy(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"misspelt key", "sede: 1\n", `net.yaml:3:1: sede: unknown key; did you mean "seed"?`},
		{"misspelt nested key", "ecn: {kmin: 1KB, kmx: 2KB}\n", `net.yaml:3:18: ecn.kmx: unknown key; did you mean "kmax"?`},
		{"key like no other", "ecn:\n  colour: red\n", `net.yaml:4:3: ecn.colour: unknown key; want one of enabled, kmin, kmax, pmax`},
		{"key one block too far out", "pmax: 1%\n", `net.yaml:3:1: pmax: unknown key; the key belongs further in: ecn.pmax`},
		{"key given twice", "seed: 1\nseed: 2\n", `net.yaml:4:1: seed: the key is already given on line 3; keep one of them`},
		{"merge key", "ecn: {<<: {kmin: 1KB}}\n", `net.yaml:3:7: ecn.<<: merge keys are not supported; write the keys out`},
		{"tag", "seed: !!int 3\n", `net.yaml:3:7: seed: the tag "!!int" is not understood; write the value alone`},
		{"list as a key", "? [a]\n: 1\n", `net.yaml:3:3: a key is a list; want a word`},
		{"empty key", "ecn: {'': 1}\n", `net.yaml:3:7: ecn: a key of 0 characters; want 1 to 64`},
		{"integer with an exponent", "seed: 1e3\n", `net.yaml:3:7: seed: "1e3" is not a whole number from 0 up; write digits only, such as 1000`},
		{"integer with a fraction", "priorities: [1.0]\n", `net.yaml:3:14: priorities[0]: "1.0" is not a whole number; write digits only, such as 1000`},
		{"integer in quotes", "seed: '1'\n", `net.yaml:3:7: seed: "1" is a text; want a whole number from 0 up, without quotation marks`},
		{"integer below zero", "seed: -1\n", `net.yaml:3:7: seed: "-1" is not a whole number from 0 up; write digits only, such as 1000`},
		{"integer too long", "seed: 99999999999999999999\n", `net.yaml:3:7: seed: "99999999999999999999" is not a whole number from 0 up; write digits only, such as 1000`},
		{"truth value", "ecn: {enabled: yes}\n", `net.yaml:3:16: ecn.enabled: "yes" is not true or false; write it in full and in small letters`},
		{"number", "share: half\n", `net.yaml:3:8: share: "half" is not a number; write a number such as 0.5`},
		{"not a number", "share: NaN\n", `net.yaml:3:8: share: "NaN" is not a number; write a number such as 0.5`},
		{"out of range", "share: 1.5\n", `net.yaml:3:8: share: "1.5" is out of range; want 0 to 1`},
		{"above the maximum", "ecn: {pmax: 120%}\n", `net.yaml:3:13: ecn.pmax: "120%" is too large; want at most 1`},
		{"below the minimum", "limit: 0\n", `net.yaml:3:8: limit: "0" is too small; want at least 1ps`},
		{"entry out of range", "priorities: [3, 8]\n", `net.yaml:3:17: priorities[1]: "8" is out of range; want 0 to 7`},
		{"not one of", "mtu: 4069\n", `net.yaml:3:6: mtu: "4069" is not possible; did you mean "4096"?`},
		{"wrong case of a unit", "links: [{rate: 100gbps, delay: 1us}]\n", `net.yaml:3:16: links[0].rate: "100gbps": unknown unit "gbps"; did you mean "Gbps"? units are case-sensitive`},
		{"unit of another quantity", "links: [{rate: 5us, delay: 1us}]\n", `net.yaml:3:16: links[0].rate: "5us": a time where a rate is wanted; write a rate such as 100Gbps`},
		{"missing key of an entry", "links:\n  - rate: 1Gbps\n", `net.yaml:4:5: links[0].delay: the key is missing`},
		{"no value", "seed:\n", `net.yaml:3:6: seed: has no value; want a single value such as 1`},
		{"list for a value", "seed: [1]\n", `net.yaml:3:7: seed: is a list; want a single value such as 1`},
		{"value for a list", "priorities: 3\n", `net.yaml:3:13: priorities: "3" is a single value; want a list such as [3]`},
		{"value for a block", "ecn: on\n", `net.yaml:3:6: ecn: "on" is a single value; want a block of keys: enabled, kmin, kmax, pmax`},
		{"list for a block", "ecn: [1]\n", `net.yaml:3:6: ecn: is a list; want a block of keys: enabled, kmin, kmax, pmax`},
		{"both of two alternatives", "mtu: 1024\npayload: 1000\n", `net.yaml:3:6: mtu: contradicts payload, given at net.yaml:4:10; keep one of them`},
		{"key of a table", "dscp: {x: 1}\n", `net.yaml:3:8: dscp.x: key "x" is not a whole number; write digits only, such as 1000`},
		{"value of a table", "dscp: {5: 8}\n", `net.yaml:3:11: dscp.5: "8" is too large; want at most 7`},
		{"rule across keys", "ecn: {kmin: 2MB}\n", `net.yaml:3:13: ecn.kmin: "2MB": above kmax; at most 1.6MB`},
		{"unknown kind", "cc: {kind: dcqn}\n", `net.yaml:3:12: cc.kind: unknown kind "dcqn"; did you mean "dcqcn"?`},
		{"unknown profile", "cc: {kind: dcqcn, profile: papers}\n", `net.yaml:3:28: cc.profile: unknown profile "papers" of dcqcn; did you mean "paper"?`},
		{"profile of a kind without", "cc: {kind: none, profile: paper}\n", `net.yaml:3:27: cc.profile: "paper": the kind none has no profiles; leave the key out`},
		{"key of another kind", "cc: {kind: none, g: 1/8}\n", `net.yaml:3:18: cc.g: unknown key; want one of kind, profile`},
		{"a long value is shortened", "seed: " + strings.Repeat("9", 80) + "\n", `net.yaml:3:7: seed: "` + strings.Repeat("9", 60) + `…" is not a whole number from 0 up; write digits only, such as 1000`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, _, problems := read(least + c.text)
			wantProblems(t, problems, c.want)
		})
	}
}

func TestTextThatIsNotYAMLIsPointedAt(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"empty", "", `net.yaml:1:1: the file is empty`},
		{"only a comment", "# nothing\n", `net.yaml:1:1: the file is empty`},
		{"empty document", "---\n", `net.yaml:1:1: the file is empty`},
		{"two documents", least + "---\nname: b\n", `net.yaml:3:1: a second document begins here; one file holds one document`},
		{"second document broken", least + "---\nname: [\n", `net.yaml:5:1: did not find expected node content; want a value here`},
		{"tab", "name: a\necn:\n\tkmin: 1KB\n", `net.yaml:3:1: a tab in the indentation; indent with spaces`},
		{"tab after spaces", "ecn:\n  enabled: true\n \tkmin: 1KB\n", `net.yaml:3:2: a tab in the indentation; indent with spaces`},
		{"open brace", "name: a\necn: {kmin: 1KB,\n  kmax: 2KB\nseed: 3\n", `net.yaml:2:1: did not find expected ',' or '}'; close the { or put a comma between its keys`},
		{"open bracket", "name: a\npriorities: [3\nseed: 3\n", `net.yaml:2:1: did not find expected ',' or ']'; close the [ or put a comma between its values`},
		{"open quote", "name: a\nnames: 'b\n", `net.yaml:2:1: found unexpected end of stream; close the quotation mark`},
		{"colon in a text", "name: a: b\n", `net.yaml:1:1: mapping values are not allowed in this context; put quotation marks around a text with a colon, or check the indentation`},
		{"ragged block", "name: a\necn:\n    kmin: 1KB\n  kmax: 1KB\n", `net.yaml:4:1: did not find expected key; check the indentation: keys of one block begin in one column`},
		{"unknown anchor", "name: a\nseed: *s\n", `net.yaml:2:7: the alias *s has no anchor &s before it; write the value out`},
		{"control character", "name: a\x01\n", `net.yaml:1:8: a control character (U+0001); want UTF-8 text`},
		{"not UTF-8", "name: a\nseed: é\xff\n", `net.yaml:2:8: a byte that is not UTF-8; want UTF-8 text`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, _, problems := read(c.text)
			if len(problems) == 0 {
				t.Fatal("no problem found")
			}
			wantProblems(t, problems[:1], c.want)
		})
	}
}

func TestAllProblemsAreReportedInTheOrderOfTheFile(t *testing.T) {
	_, _, problems := read("nam: a\nseed: x\necn: {kmin: 1kb, pmax: 2}\nseed: 1\ncc: {kind: dcqcn, timer: 0}\n", "limit=5")
	wantProblems(t, problems,
		`net.yaml:1:1: nam: unknown key; did you mean "name"?`,
		`net.yaml:1:1: name: the key is missing; want a word for the network`,
		`net.yaml:1:1: flows: the key is missing`,
		`net.yaml:2:7: seed: "x" is not a whole number from 0 up; write digits only, such as 1000`,
		`net.yaml:3:13: ecn.kmin: "1kb": unknown unit "kb"; did you mean "KB"? units are case-sensitive (b is a bit, B a byte)`,
		`net.yaml:3:24: ecn.pmax: "2" is too large; want at most 1`,
		`net.yaml:4:1: seed: the key is already given on line 2; keep one of them`,
		`net.yaml:5:26: cc.timer: "0" is too small; want at least 1ns`,
		`--set limit: "5": no unit; write a time such as 1.5us, in one of ps, ns, us, ms, s`,
	)
}

func TestAnEmptyRequiredListIsRefused(t *testing.T) {
	_, _, problems := read("name: a\nflows: []\n")
	wantProblems(t, problems, `net.yaml:2:8: flows: the list is empty; want at least one entry`)
}

func TestAliasesStandForTheirValueAndAreBounded(t *testing.T) {
	n, _ := mustRead(t, least+"links: [&a {rate: 1Gbps, delay: 1us}, *a]\n")
	if len(n.Links) != 2 || n.Links[0] != n.Links[1] {
		t.Errorf("links are %v, want the first one twice", n.Links)
	}

	_, _, problems := read(least + "links: &l [*l]\n")
	wantProblems(t, problems, `net.yaml:3:12: links[0]: the alias *l stands inside what it stands for; write the value out`)

	bomb := "a: &a [0,0,0,0,0,0,0,0,0,0]\n"
	for c := 'b'; c <= 'i'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 10) + "]\n"
	}
	_, _, problems = read(least + bomb)
	if !strings.Contains(problems.Error(), "aliases expand to more than 100000 values; write the values out") {
		t.Errorf("ten to the ninth values were not refused:\n%s", problems)
	}
}

func TestNestingIsBounded(t *testing.T) {
	_, _, problems := read(least + "links: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n")
	if !strings.Contains(problems.Error(), "blocks are nested more than 32 deep") {
		t.Errorf("forty lists in each other were not refused:\n%s", problems)
	}
}

func TestNobodyReadsMoreThanTwoHundredProblems(t *testing.T) {
	_, _, problems := read(least + "priorities: [" + strings.Repeat("9,", 1000) + "]\n")
	if len(problems) != maxProblems {
		t.Errorf("%d problems, want %d", len(problems), maxProblems)
	}
}

func TestNearestFindsWhatWasMeantAndNothingElse(t *testing.T) {
	keys := []string{"kmin", "kmax", "pmax", "congestion_control", "to"}
	for word, want := range map[string]string{
		"kmni": "kmin", "KMAX": "kmax", "congestion-control": "congestion_control", "congestioncontrl": "congestion_control",
		"of": "", "headroom": "", "": "", strings.Repeat("k", 100): "",
	} {
		if got := Nearest(word, keys); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
