package topology

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// maxProblems is how many problems of one sort are told; there may be as many as nodes.
const maxProblems = 100

// checkParts looks at each node and each link by itself.
func (g *Graph) checkParts() error {
	var problems []error
	seen := make(map[string]bool, len(g.Nodes))
	for _, node := range g.Nodes {
		if problem := nameProblem(node.Name, seen); problem != "" {
			problems = append(problems, units.Field(keyOf(node.Kind), node.Name, problem,
				"give every node a name of its own, such as h0"))
		}
		seen[node.Name] = true
	}
	for i, link := range g.Links {
		if err := g.checkLink(i, link); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// keyOf returns the key under which nodes of a kind are listed.
func keyOf(kind NodeKind) string {
	if kind == Switch {
		return "switches"
	}
	return "hosts"
}

// reserved are the characters that mean something in lists of names, in names of ports and in tables of results.
const reserved = " \t\r\n,:[]*\"'"

func nameProblem(name string, seen map[string]bool) string {
	switch {
	case name == "":
		return "a node without a name"
	case strings.ContainsAny(name, reserved):
		return "a name with a space, a quote or one of , : [ ] * in it"
	case seen[name]:
		return "two nodes of this name"
	}
	return ""
}

func (g *Graph) checkLink(i int, link Link) error {
	if link.A < 0 || link.A >= len(g.Nodes) || link.B < 0 || link.B >= len(g.Nodes) {
		return units.Field("links", fmt.Sprint(link.A, "-", link.B), fmt.Sprintf("link %d ends at a node that does not exist", i),
			fmt.Sprintf("nodes are numbered from 0 to %d", len(g.Nodes)-1))
	}
	if problem, want := link.problem(); problem != "" {
		return units.Field("links", g.Nodes[link.A].Name+"-"+g.Nodes[link.B].Name, problem, want)
	}
	return nil
}

// problem says what is wrong with a link and what would be right; both are empty if nothing is.
func (l Link) problem() (problem, want string) {
	switch {
	case l.A == l.B:
		return "a link from a node to itself", "join two different nodes"
	case l.Rate < MinRate:
		return "a rate of " + l.Rate.String() + " is too low", "at least " + MinRate.String()
	case l.Delay <= 0 || l.Delay == units.Never:
		return "a delay of " + l.Delay.String() + " is impossible: nodes are simulated ahead of each other by as much as a signal " +
			"needs between them", "a positive delay, such as 5ns for a metre of cable"
	}
	return "", ""
}

// checkPorts looks at the number of ports of each node.
func (g *Graph) checkPorts() error {
	var problems []error
	if n := len(g.hosts); n < 2 {
		problems = append(problems, &units.FieldError{
			Key: "hosts", Problem: "a network of " + counted(n, "host"), Want: "at least two",
		})
	}
	for i, node := range g.Nodes {
		if len(problems) >= maxProblems {
			break
		}
		switch n := len(g.ports[i]); {
		case n == 0 && node.Kind == Host:
			problems = append(problems, units.Field("links", node.Name, "a host without a link",
				"link it to a switch or to another host"))
		case n > MaxPorts:
			problems = append(problems, units.Field("links", node.Name, fmt.Sprintf("a node with %d ports", n),
				fmt.Sprintf("at most %d", MaxPorts)))
		}
	}
	return errors.Join(problems...)
}
