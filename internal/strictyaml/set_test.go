package strictyaml

import "testing"

func TestAnOverrideReplacesWhatTheFileSays(t *testing.T) {
	n, _ := mustRead(t, least+"links: [{delay: 1us}, {delay: 2us}]\n",
		"seed=7", "ecn.kmin=200KB", "flows[0].size=2MB", "links[1].rate=400Gbps", "priorities=[3, 4]", "name=other name", "names={a: b}")
	if n.Seed != 7 || n.ECN.Kmin.String() != "200KB" || n.Flows[0].Params.(*burst).Size.String() != "2MB" {
		t.Errorf("single values were not overridden: %+v", n)
	}
	if n.Links[0].Rate.String() != "100Gbps" || n.Links[1].Rate.String() != "400Gbps" {
		t.Errorf("links are %v, want only the second at 400Gbps", n.Links)
	}
	if len(n.Prios) != 2 || n.Name != "other name" || n.Names["a"] != "b" {
		t.Errorf("priorities %v, name %q, names %v", n.Prios, n.Name, n.Names)
	}
}

func TestTheLastOverrideOfAKeyHolds(t *testing.T) {
	if n, _ := mustRead(t, least, "seed=7", "seed=8"); n.Seed != 8 {
		t.Errorf("seed is %d, want 8", n.Seed)
	}
}

func TestOverridingTheKindDropsTheKeysOfTheOldOne(t *testing.T) {
	n, _ := mustRead(t, least+"cc: {kind: dcqcn, profile: paper, g: 1/16}\n", "cc.kind=none")
	if n.CC.Kind != "none" {
		t.Errorf("kind is %q, want none", n.CC.Kind)
	}
	n, _ = mustRead(t, least+"cc: {kind: dcqcn, profile: paper, g: 1/16}\n", "cc.kind=dcqcn")
	if n.CC.Profile != "paper" {
		t.Errorf("profile is %q, want paper: the kind did not change", n.CC.Profile)
	}
	if n, _ = mustRead(t, least, "cc=none"); n.CC.Kind != "none" {
		t.Errorf("kind is %q, want none", n.CC.Kind)
	}
}

func TestAnOverrideThatFitsNowhereIsRefused(t *testing.T) {
	cases := []struct{ set, want string }{
		{"ecn.kmni=1KB", `--set ecn.kmni: unknown key; did you mean "kmin"?`},
		{"enc.kmin=1KB", `--set enc.kmin: enc: unknown key; did you mean "ecn"?`},
		{"seed", `--set seed: not an override; want key=value, such as switch.ecn.kmin=200KB or workloads[0].size=1MB`},
		{"a..b=1", `--set a..b=1: not an override; want key=value, such as switch.ecn.kmin=200KB or workloads[0].size=1MB`},
		{"flows[1].size=1MB", `--set flows[1].size: there is no entry [1] in the file`},
		{"links[0].rate=1Gbps", `--set links[0].rate: there is no entry [0] in the file`},
		{"name[0]=1", `--set name[0]: there is no entry [0] in the file`},
		{"name.first=1", `--set name.first: first is not a key here: the file has a single value`},
		{"priorities=[3", `--set priorities: "[3" is not YAML; did not find expected ',' or ']'`},
		{"seed=", `--set seed: "" is a text; want a whole number from 0 up, without quotation marks`},
		{"priorities=[9]", `--set priorities: priorities[0]: "9" is out of range; want 0 to 7`},
	}
	for _, c := range cases {
		_, _, problems := read(least, c.set)
		wantProblems(t, problems, c.want)
	}
}
