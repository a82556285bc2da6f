package topology

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/rdmasim/rdmasim/sim/units"
)

// LeafSpine is a Clos network of two tiers: every leaf is cabled to every spine once, and h0, h1 … fill the leaves in
// order. A leaf's ports are those to its hosts, then those to spine0, spine1 …
type LeafSpine struct {
	Leaves           int         `key:"leaves" default:"4" min:"1" max:"4096" doc:"number of leaves, leaf0 and up" source:"assumed"`
	Spines           int         `key:"spines" min:"0" max:"4096" doc:"number of spines, spine0 and up; 0 for what oversubscription asks, or else 2" source:"assumed"`
	HostsPerLeaf     int         `key:"hosts_per_leaf" default:"8" min:"1" max:"4096" doc:"hosts at each leaf" source:"assumed"`
	NICsPerHost      int         `key:"nics_per_host" default:"1" min:"1" max:"64" doc:"cables from each host to its leaf" source:"assumed"`
	Oversubscription units.Ratio `key:"oversubscription" doc:"rate of a leaf's host links over rate of its spine links, 2 for 2:1; sets the number of spines"`
	HostLink         HostCable   `key:"host_link" doc:"the cables between hosts and leaves"`
	FabricLink       FabricCable `key:"fabric_link" doc:"the cables between leaves and spines"`
	Routing          `key:",inline"`
}

// defaultSpines is the number of spines where neither it nor the oversubscription is given.
const defaultSpines = 2

// Validate checks that the number of spines and the oversubscription, if both are given, say the same, and that the
// network fits into memory.
func (l *LeafSpine) Validate() error {
	spines, err := l.spines()
	if links := l.Leaves * spines; links > maxLinks {
		err = errors.Join(err, tooManyLinks("spines", spines, links))
	}
	if ports := l.Leaves * l.HostsPerLeaf * l.NICsPerHost; ports > maxEndpoints {
		err = errors.Join(err, tooManyPorts("hosts_per_leaf", l.HostsPerLeaf, ports))
	}
	return err
}

// Build returns the graph.
func (l *LeafSpine) Build() (*Graph, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	spines, err := l.spines()
	if err != nil {
		return nil, err
	}
	net := plan{routing: l.Routes}
	hosts := l.Leaves * l.HostsPerLeaf
	for i := range hosts {
		net.add(Host, fmt.Sprint("h", i))
	}
	for i := range l.Leaves {
		net.add(Switch, fmt.Sprint("leaf", i))
	}
	for i := range hosts {
		net.cable(i, hosts+i/l.HostsPerLeaf, l.HostLink, l.NICsPerHost)
	}
	for i := range spines {
		spine := net.add(Switch, fmt.Sprint("spine", i))
		for leaf := range l.Leaves {
			net.cable(hosts+leaf, spine, HostCable(l.FabricLink), 1)
		}
	}
	return net.graph()
}

// spines returns the number of spines that was given or follows from the oversubscription.
func (l *LeafSpine) spines() (int, error) {
	if l.Oversubscription.IsZero() {
		if l.Spines == 0 {
			return defaultSpines, nil
		}
		return l.Spines, nil
	}
	if l.FabricLink.Rate <= 0 {
		return 0, units.Field("fabric_link.rate", l.FabricLink.Rate, "no rate to derive the number of spines from", "a positive rate")
	}
	wanted := l.spinesFor(l.Oversubscription)
	if !wanted.IsInt() || wanted.Sign() == 0 || !wanted.Num().IsInt64() {
		return 0, units.Field("oversubscription", l.Oversubscription, "would take "+wanted.RatString()+" spines", l.nearWhole(wanted))
	}
	if spines := int(wanted.Num().Int64()); l.Spines == 0 || l.Spines == spines {
		return spines, nil
	}
	return 0, units.Field("spines", l.Spines, fmt.Sprintf("gives an oversubscription of %s, not %s",
		l.ratioOf(int64(l.Spines)), colon(l.Oversubscription)), "leave one of them out, or write spines: "+wanted.RatString())
}

// hostRate returns what all host links of a leaf carry.
func (l *LeafSpine) hostRate() *big.Rat {
	links := big.NewRat(int64(l.HostsPerLeaf)*int64(l.NICsPerHost), 1)
	return links.Mul(links, big.NewRat(int64(l.HostLink.Rate), 1))
}

// spinesFor returns the number of spines that makes the ratio: host rate / (ratio · rate of one spine link).
func (l *LeafSpine) spinesFor(ratio units.Ratio) *big.Rat {
	perSpine := new(big.Rat).Mul(big.NewRat(ratio.Num, ratio.Den), big.NewRat(int64(l.FabricLink.Rate), 1))
	return perSpine.Quo(l.hostRate(), perSpine)
}

// ratioOf returns the oversubscription that a number of spines makes, as "3:1".
func (l *LeafSpine) ratioOf(spines int64) string {
	uplinks := new(big.Rat).Mul(big.NewRat(spines, 1), big.NewRat(int64(l.FabricLink.Rate), 1))
	ratio := uplinks.Quo(l.hostRate(), uplinks)
	return ratio.Num().String() + ":" + ratio.Denom().String()
}

// nearWhole tells which oversubscriptions the whole numbers of spines next to wanted make.
func (l *LeafSpine) nearWhole(wanted *big.Rat) string {
	below := new(big.Int).Quo(wanted.Num(), wanted.Denom()).Int64()
	want := fmt.Sprintf("%s would make it %s", counted(int(below+1), "spine"), l.ratioOf(below+1))
	if below > 0 {
		want = fmt.Sprintf("%s would make it %s, ", counted(int(below), "spine"), l.ratioOf(below)) + want
	}
	return want
}

// colon writes a ratio the way oversubscription is spoken of: "2:1".
func colon(r units.Ratio) string {
	ratio := big.NewRat(r.Num, r.Den)
	return ratio.Num().String() + ":" + ratio.Denom().String()
}
