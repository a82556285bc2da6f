package dcqcn

import "github.com/rdmasim/rdmasim/cc"

// Kind is DCQCN with its profiles, as a scenario names them.
var Kind = cc.Kind{
	Name:     "dcqcn",
	Doc:      "DCQCN (SIGCOMM 2015): the sender cuts its rate when congestion notifications come, and recovers by timer and bytes",
	Profiles: names(),
	Params:   params,
	Source:   source,
}

// profile is a named set of values, with the source of each.
type profile struct {
	cc.Profile
	config func() *Config
	source func(key string) string
}

// profiles returns all profiles, the default first.
func profiles() []profile {
	return []profile{
		{cc.Profile{Name: "scaled", Doc: "ConnectX's machine with rates scaled to the line, as published with HPCC (SIGCOMM 2019)"}, Scaled, scaledSource},
		{cc.Profile{Name: "firmware", Doc: "ConnectX's machine with the defaults of its firmware registers"}, Firmware, firmwareSource},
		{cc.Profile{Name: "paper", Doc: "the machine and the values of the DCQCN paper (SIGCOMM 2015)"}, Paper, paperSource},
	}
}

func names() []cc.Profile {
	var all []cc.Profile
	for _, p := range profiles() {
		all = append(all, p.Profile)
	}
	return all
}

// find returns the profile of the given name; "" names the default.
func find(name string) (p profile, ok bool) {
	all := profiles()
	if name == "" {
		return all[0], true
	}
	for _, p := range all {
		if p.Name == name {
			return p, true
		}
	}
	return profile{}, false
}

func params(name string) cc.Params {
	p, ok := find(name)
	if !ok {
		return nil
	}
	return p.config()
}

func source(name, key string) string {
	p, ok := find(name)
	if !ok {
		return ""
	}
	return p.source(key)
}
