package workloads

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/fabric/topology/hostlist"
	"github.com/rdmasim/rdmasim/sim/units"
)

// everyone is the selector of all hosts.
const everyone = "*"

const selectorWant = `a name, a pattern such as h[0-15], a place such as rack1/*, or * for all hosts`

// directory finds hosts by name and by place.
type directory struct {
	names      []string
	index      map[string]int
	zoneNames  []string
	zoneMember map[string][]int // hosts in order, by name of the zone
}

func newDirectory(env Env) *directory {
	d := &directory{names: env.Hosts, index: make(map[string]int, len(env.Hosts)), zoneMember: map[string][]int{}}
	for i, name := range env.Hosts {
		d.index[name] = i
	}
	d.addZones("rack", env.Racks)
	d.addZones("pod", env.Pods)
	return d
}

// addZones makes zones known as rack0, rack1 …
func (d *directory) addZones(prefix string, zones Zones) {
	for host, number := range zones.Of {
		name := prefix + strconv.Itoa(number)
		if d.zoneMember[name] == nil {
			d.zoneNames = append(d.zoneNames, name)
		}
		d.zoneMember[name] = append(d.zoneMember[name], host)
	}
}

// all returns the indices of all hosts.
func (d *directory) all() []int {
	hosts := make([]int, len(d.names))
	for i := range hosts {
		hosts[i] = i
	}
	return hosts
}

// find returns the hosts that the selectors name, in the order in which they name them; no host may be named twice.
// Errors carry the key "key[i]".
func (d *directory) find(key string, selectors []string) ([]int, error) {
	var hosts []int
	seen := map[int]bool{}
	var problems []error
	for i, selector := range selectors {
		some, err := d.findOne(fmt.Sprintf("%s[%d]", key, i), selector)
		if err != nil {
			problems = append(problems, err)
		}
		for _, host := range some {
			if seen[host] {
				problems = append(problems, units.Field(fmt.Sprintf("%s[%d]", key, i), selector,
					fmt.Sprintf("names %s a second time", d.names[host]), "name every host once"))
				break
			}
			seen[host] = true
			hosts = append(hosts, host)
		}
	}
	return hosts, errors.Join(problems...)
}

// findOrAll is find, with all hosts where there is no selector.
func (d *directory) findOrAll(key string, selectors []string) ([]int, error) {
	if len(selectors) == 0 {
		return d.all(), nil
	}
	return d.find(key, selectors)
}

// Find returns the hosts that one selector names, by their places in Hosts. Errors carry the key.
func (e Env) Find(key, selector string) ([]int, error) { return newDirectory(e).findOne(key, selector) }

// findOne returns the hosts that one selector names.
func (d *directory) findOne(key, selector string) ([]int, error) {
	names, err := hostlist.Expand(selector)
	if err != nil {
		return nil, units.Field(key, selector, err.Error(), selectorWant)
	}
	var hosts []int
	for _, name := range names {
		host, known := d.index[name]
		zone, member, isPlace := strings.Cut(name, "/")
		switch {
		case known:
			hosts = append(hosts, host)
		case name == everyone:
			hosts = append(hosts, d.all()...)
		case isPlace:
			some, err := d.inZone(key, zone, member)
			if err != nil {
				return nil, err
			}
			hosts = append(hosts, some...)
		default:
			return nil, units.Field(key, name, "no host of this name", hostlist.DidYouMean(name, d.names))
		}
	}
	return hosts, nil
}

// inZone returns the hosts of a rack or a pod: all of them, one by its name, or one by its number within the zone.
func (d *directory) inZone(key, zone, member string) ([]int, error) {
	hosts := d.zoneMember[zone]
	if hosts == nil {
		return nil, units.Field(key, zone, "no rack or pod of this name", hostlist.DidYouMean(zone, d.zoneNames))
	}
	if member == everyone {
		return hosts, nil
	}
	host, known := d.index[member]
	number, err := strconv.Atoi(member)
	switch {
	case known && slices.Contains(hosts, host):
		return []int{host}, nil
	case !known && err == nil && number >= 0 && number < len(hosts):
		return []int{hosts[number]}, nil
	}
	return nil, units.Field(key, zone+"/"+member, "no such host there",
		fmt.Sprintf("%s/* for all, %s/0 to %s/%d by number, or a name from %s to %s", zone, zone, zone, len(hosts)-1, d.names[hosts[0]], d.names[hosts[len(hosts)-1]]))
}

// single returns the one host that a selector names.
func (d *directory) single(key, selector string) (int, error) {
	hosts, err := d.findOne(key, selector)
	if err == nil && len(hosts) != 1 {
		err = units.Field(key, selector, fmt.Sprintf("stands for %d hosts", len(hosts)), "exactly one")
	}
	if err != nil {
		return 0, err
	}
	return hosts[0], nil
}

// others returns the hosts after the given one in order, around the end of the list and back to just before it.
func (d *directory) others(host int) []int {
	n := len(d.names)
	hosts := make([]int, 0, n-1)
	for i := 1; i < n; i++ {
		hosts = append(hosts, (host+i)%n)
	}
	return hosts
}
