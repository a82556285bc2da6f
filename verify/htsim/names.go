package htsim

import (
	"fmt"
	"strconv"
	"strings"
)

// fatTree is a k-ary fat-tree, as htsim numbers its parts and as rdmasim names them.
type fatTree struct{ k int }

// fatTreeOf is the one of so many hosts, k^3/4.
func fatTreeOf(hosts int) (fatTree, error) {
	for k := 2; k*k*k/4 <= hosts; k += 2 {
		if k*k*k/4 == hosts {
			return fatTree{k}, nil
		}
	}
	return fatTree{}, fmt.Errorf("no fat-tree has %d hosts", hosts)
}

// node translates the name of an end of a link: SRC3 or DST3 is host 3, LS3 the fourth top-of-rack switch, US3 the
// fourth aggregation switch, CS3 the fourth core. Core c is cabled to aggregation switch c mod k/2 of every pod; in
// rdmasim it is those of one aggregation switch that stand together.
func (f fatTree) node(name string) (string, error) {
	half := f.k / 2
	kind := strings.TrimRight(name, "0123456789")
	i, err := strconv.Atoi(name[len(kind):])
	if err != nil {
		return "", fmt.Errorf("%q names no node", name)
	}
	switch strings.TrimSuffix(kind, "_") {
	case "SRC", "DST":
		return fmt.Sprint("h", i), nil
	case "LS":
		return fmt.Sprintf("pod%d-tor%d", i/half, i%half), nil
	case "US":
		return fmt.Sprintf("pod%d-agg%d", i/half, i%half), nil
	case "CS":
		return fmt.Sprint("core", i%half*half+i/half), nil
	}
	return "", fmt.Errorf("%q names no node", name)
}

// ends translates the name of a link, such as SRC0->LS0(0).
func (f fatTree) ends(link string) (from, to string, err error) {
	name, _, _ := strings.Cut(link, "(")
	a, b, isLink := strings.Cut(name, "->")
	if !isLink {
		return "", "", fmt.Errorf("%q names no link", link)
	}
	if from, err = f.node(a); err != nil {
		return "", "", err
	}
	to, err = f.node(b)
	return from, to, err
}

// switches are those that a way over some links passes.
func (f fatTree) switches(links []string) ([]string, error) {
	var names []string
	for _, link := range links[:len(links)-1] {
		_, to, err := f.ends(link)
		if err != nil {
			return nil, err
		}
		names = append(names, to)
	}
	return names, nil
}
