package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// What random scenarios are made of. A small network and some work, for a start; CABLE
// stands for the length of cables.
var (
	drawnNetworks = []string{
		`{kind: pair, link: CABLE}`,
		`{kind: star, hosts: 5, link: CABLE}`,
		`{kind: star, hosts: 4, nics_per_host: 2, link: CABLE}`,
		`{kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, host_link: CABLE, fabric_link: CABLE}`,
		`{kind: fat-tree, k: 4, host_link: CABLE, fabric_link: CABLE}`,
		`{kind: three-tier, pods: 2, racks_per_pod: 2, hosts_per_rack: 2, leaves_per_pod: 1, cores: 2, host_link: CABLE, leaf_link: CABLE, core_link: CABLE}`,
		`{kind: dual-tor, racks: 2, hosts_per_rack: 2, host_link: CABLE, fabric_link: CABLE}`,
		`{kind: rail-optimised, hosts_per_pod: 2, rails: 2, host_link: CABLE, fabric_link: CABLE}`,
		`{kind: dumbbell, left: 2, right: 2, host_link: CABLE, bottleneck: CABLE}`,
		`{kind: parking-lot, senders: [2, 1], host_link: CABLE, switch_link: CABLE}`,
		`{kind: ring, switches: 4, routes: clockwise, host_link: CABLE, switch_link: CABLE}`,
		`{kind: ring, switches: 4, hosts_per_switch: 2, routes: up-down, host_link: CABLE, switch_link: CABLE}`,
		`{kind: full-mesh, hosts: 4, link: CABLE}`,
		`{kind: custom, hosts: ["h[0-3]"], switches: [a, b], links: [{a: "h[0-1]", b: a, delay: 1ns}, {a: "h[2-3]", b: b, length: 3m}, {a: a, b: b, count: 2, delay: 300ns}]}`,
	}
	drawnWork = []string{
		`{kind: incast, to: FIRST, size: 100KB}`,
		`{kind: incast, to: FIRST, size: 20KB, messages: 5, qps: 2, jitter: 2us}`,
		`{kind: permutation, size: 200KB}`,
		`{kind: all-to-all, size: 10KB}`,
		`{kind: staggered, flows: 3, to: [FIRST], size: 300KB, gap: 5us}`,
		`{kind: open-loop, load: 50%, duration: 100us, sizes: google-rpc2008}`,
		`{kind: open-loop, load: 80%, duration: 50us, arrivals: on-off, on: 10us, off: 5us}`,
		`{kind: periodic-incast, fan_in: 3, size: 30KB, period: 20us, duration: 60us}`,
		`{kind: flows, flows: [{from: LAST, to: FIRST, size: 150KB, qp: a}, {from: LAST, to: FIRST, size: 1B, qp: a, messages: 9}, {from: FIRST, to: LAST, size: 50001B, priority: 2, start: 3us}]}`,
	}
	// Programs, whose messages are few enough for any network. Names other than FIRST and LAST are not known.
	drawnPrograms = []string{
		`{kind: ib_write_lat, client: LAST, server: FIRST, sizes: [1B, 221B, 5000B], iterations: 6}`,
		`{kind: ib_send_lat, client: FIRST, server: LAST, size: 64B, iterations: 9, rx_depth: 1, events: true}`,
		`{kind: ib_send_lat, client: FIRST, server: LAST, size: 200B, iterations: 9, connection: UD}`,
		`{kind: ib_read_lat, client: LAST, server: FIRST, size: 20KB, iterations: 5}`,
		`{kind: ib_atomic_lat, client: LAST, server: FIRST, iterations: 9, atomic: CMP_AND_SWAP}`,
		`{kind: ib_write_bw, client: LAST, server: FIRST, size: 3000B, iterations: 20, qps: 3, tx_depth: 4, bidirectional: true}`,
		`{kind: ib_write_bw, client: LAST, server: FIRST, size: 64KiB, iterations: 9, connection: UC}`,
		`{kind: ib_send_bw, client: LAST, server: FIRST, size: 8B, iterations: 50, rx_depth: 3, post_list: 5}`,
		`{kind: ib_send_bw, client: FIRST, server: LAST, size: 100B, iterations: 40, qps: 2, connection: UD, cq_mod: 7}`,
		`{kind: ib_read_bw, client: FIRST, server: LAST, sizes: [1B, 30KB], iterations: 12, tx_depth: 20}`,
		`{kind: rpc, server: FIRST, calls: 5, connections: 2, outstanding: 3, request: 0B, reply: 9000B, think: 2us, threads: 2}`,
		`{kind: rpc, server: FIRST, calls: 8, via: write-imm, outstanding: 4, receives: 1, min_rnr_timer: 1, events: true}`,
		`{kind: rpc, server: LAST, calls: 6, shared_receives: true, receives: 2, min_rnr_timer: 1, rnr_retry: 1}`,
		`{kind: rpc, server: LAST, calls: 5, via: read, outstanding: 5, reply: 3000B}`,
		`{kind: short-connections, server: FIRST, sessions: 2, requests: 3, request_size: 5000B}`,
		`{kind: short-connections, server: FIRST, sessions: 3, reuse: queue-pairs, pool: 1, threads: 2, register: 64KiB}`,
		`{kind: short-connections, server: LAST, sessions: 3, reuse: connections, open: 3us}`,
		`{kind: distributed-lock, server: FIRST, acquisitions: 2, hold: 1us, guard: true}`,
		`{kind: ib_send_lat, client: FIRST, server: LAST, sizes: [1B, 5000B], iterations: 9, transport: tcp}`,
		`{kind: ib_write_bw, client: LAST, server: FIRST, size: 20000B, iterations: 20, qps: 3, tx_depth: 4, bidirectional: true, transport: tcp}`,
		`{kind: ib_read_bw, client: FIRST, server: LAST, sizes: [1B, 30KB], iterations: 12, post_list: 3, transport: tcp}`,
		`{kind: rpc, server: FIRST, calls: 5, connections: 2, outstanding: 3, request: 0B, reply: 9000B, think: 2us, threads: 2, transport: tcp}`,
		`{kind: short-connections, server: FIRST, sessions: 2, requests: 3, request_size: 5000B, beside: tcp}`,
		`{kind: short-connections, server: LAST, sessions: 3, threads: 2, transport: tcp}`,
		`{kind: distributed-lock, server: FIRST, acquisitions: 2, hold: 1us, guard: true, transport: tcp}`,
		`{kind: distributed-lock, server: LAST, acquisitions: 3, counter: fetch-and-add, release: compare-and-swap, backoff: 0s}`,
		`{kind: mpi-allreduce, iterations: 3, warmup: 1, compute: 1us, noise: 2us, noise_probability: 1/2, noise_shape: exponential}`,
		`{kind: mpi-allreduce, size: 50001B, algorithm: ring, iterations: 1, warmup: 1, eager: 1KB, credits: 2, reduce_rate: 50Gbps}`,
		`{kind: mpi-barrier, iterations: 3, warmup: 1, events: true}`,
		`{kind: key-value, servers: [FIRST], queries: 3, gets: 2, outstanding: 2, value: 20KB, server_threads: 2}`,
		`{kind: key-value, servers: [FIRST, LAST], queries: 3, via: read, credits: 2}`,
		`{kind: key-value, servers: [FIRST], queries: 4, mix: ycsb-a, put_via: write-imm, value_sizes: facebook-etc, interval: 3us, keys: 10}`,
		`{kind: fan-out, roots: [FIRST], queries: 4, reply: 9000B, need: 1, service: 1us, outstanding: 2}`,
		`{kind: fan-out, roots: [LAST], queries: 4, fan: 1, interval: 5us, service: 1us, service_shape: log-normal, slow_share: 1/4, slow: 10us, events: true}`,
		`{kind: media, from: [FIRST], to: [LAST], streams: 2, frames_per_second: 10000, frames: 4, frame: 20KB, sigma: 1/2, key_every: 2, slices: 3, spread: 1/2, credits: 2, deadline: 90us}`,
		`{kind: storage, target: FIRST, commands: 6, depth: 3, reads: 50, jobs: 2, cores: 2, device_channels: 2, read_time: 5us, write_time: 3us}`,
		`{kind: storage, target: LAST, commands: 5, reads: 30, block: 16KiB, software: events, initiator_software: events, device_rate: 10Gbps}`,
		`{kind: storage, targets: [FIRST, LAST], commands: 5, reads: 50, copies: 2, iops: 100000, protocol: iscsi, blocks: [{size: 1KiB}, {size: 9KiB, share: 2}], device_times: log-normal}`,
		`{kind: storage, targets: [FIRST, LAST], commands: 5, reads: 50, data: 1, parity: 1, protocol: nfs, software: events, write_rate: 1Gbps, write_cache: 8KiB, stall_chance: 0.1, stall: 20us}`,
		`{kind: storage, target: FIRST, spare: LAST, commands: 5, rebuild_chunk: 20KiB, rebuild_depth: 2, rebuild_rate: 20Gbps, protocol: rados, header_digest: true, data_digest: true}`,
		`{kind: all_reduce_perf, gpus: 2, min_bytes: 50KB, max_bytes: 100KB, iterations: 1, channels: 3, proxies: 2, chunk: 4KiB, window: 2}`,
		`{kind: training, gpus: 3, algorithm: hierarchical, gradients: 100KB, bucket: 30KB, compute: 20us, steps: 2, overlap: 50, gpudirect: false}`,
	}
	drawnCables = []string{"{rate: 100Gbps, delay: 500ns}", "{rate: 25Gbps, delay: 5ns}", "{rate: 400Gbps, length: 100m}", "{rate: 10Gbps, delay: 2us}", "{rate: 37Gbps, delay: 1ps}"}

	// What makes mechanisms act, and lists of blocks, which single keys do not reach.
	drawnSettings = []string{
		"switch.pfc.xoff=30KB", "switch.pfc={alpha: 1/64, xon_offset: 0B}", "switch.pfc.enabled=false", "switch.pfc.priorities=[3, 4]", "switch.buffer=2MB",
		"switch.pfc={headroom: 5KB, headroom_check: warn, xoff: 20KB}", "switch.pfc={quanta: 100, refresh: 1/4, xoff: 20KB}",
		"switch.pfc.watchdog={enabled: true, poll: 10us, detection: 20us, restoration: 20us}",
		"switch.ecn={kmin: 5KB, kmax: 40KB}", "switch.ecn={kmin: 5KB, kmax: 40KB, at: enqueue, averaging: 2}",
		"switch.ecn.classes=[{priorities: [2, 3], kmin: 1KB, kmax: 2KB, pmax: 1}]", "switch.forwarding=cut-through", "switch.release=last-bit",
		"switch.preset=tomahawk", "switch.preset=spectrum2", "switch.egress.limit=30KB", "switch.lossy.limit=30KB", "switch.qos_map=pcp",
		"switch.scheduler={weights: {3: 5, 2: 1}, per_flow: [3]}", "switch.scheduler={weights: {3: 2, 6: 1}, quantum: 300B, per_flow: [2, 3]}",
		"switch.scheduler.shapers=[{priorities: [3], rate: 9Gbps}, {rate: 20Gbps}]",
		`switch_overrides=[{switches: ["*"], forwarding: cut-through, header: 100B}]`,
		"host.congestion_control=none", "host.congestion_control={kind: dcqcn, profile: paper}", "host.congestion_control={kind: fixed, rate: 7Gbps}",
		"host.mtu=1024", "host.mtu=256", "host.window=20KB", "host.recovery=go-back-0", "host={timeout: 3, retries: 2}", "host.dscp={data: 16, ack: 48}", "host.ack_every=1",
		"host.nic.profile=connectx5", "host.nic={profile: connectx6, memory: far, contexts: {entries: 2}}", "host.nic.port_gap=50ns",
		`host={nic: {profile: connectx5, tx_buffer: 0B}, slots: [{hosts: [FIRST], generation: 1, width: 4}]}`,
		"host.nic={profile: connectx7, memory: bounce, translations: {entries: 1}}", "host.nic={pcie: {generation: 1, width: 1, tags: 1}}",
		"host.nic={qp_gap: 300ns, poll: 1us, event: 5us, tx_buffer: 20KB}", "host.cores=1",
		"host.transport=tcp", "host.kernel.profile=ideal", "host={kernel: {profile: busy-poll}, transport: tcp}", "host.kernel={steering: other, ring: 20}",
		"host.tcp={ecn: true, congestion_control: dctcp}", "host.tcp={min_rto: 1ms, receive_buffer: 100KB}", "host.kernel={backlog: 1, ports: 2}",
		"host.transport=infiniband", "host={transport: infiniband, vl_buffer: 8KiB, credit_delay: 1us, mtu: 1024}",
		"host.recovery=selective-repeat", "host={recovery: selective-repeat, selective_repeat: {window: 3, timer_low: 20us, timer_high: 50us}}",
		"host={recovery: adaptive, adaptive: {start: 5us, limit: 80us, tries: 2}, retries: 7}", "host={nak_rearm: 10us, timer_factor: 4, timeout: 2}",
		"host.connections={command: 3us, processing: 1us, timeout: 200us, retries: 3, resolve_timeout: 100us, timewait: 20us}",
		"host.connections={command: 0s, processing: 0s, arp: 0s, timeout: 10us, retries: 0, resolve_timeout: 3us, timewait: 0s}",
		"host={initial_psn: 16777210, dscp: {management: 26}}",
		"host.receive={drain_rate: 5Gbps, buffer: 200KB}", `host.receive.slow=[{hosts: [FIRST], drain_rate: 2Gbps}]`,
		`link_ends=[{at: [FIRST], to: ["*"], pfc_response: 3us}]`,
		"measure={series: [queue_depth, pg_occupancy, qp_rate, pause], every: 3us}", "measure={series: [link_utilisation], every: 1us, warmup: 5us}",
		"stop.when=time", "seed=7",
	}
)

// drawScenario draws a scenario in which any key of the language may have any value that
// the parser and the network let pass: a network, work, some settings, faults, and single
// keys at random. Its runs are as long as its work.
func drawScenario(t *rapid.T) *Spec {
	cable := rapid.SampledFrom(drawnCables).Draw(t, "cable")
	network := strings.ReplaceAll(rapid.SampledFrom(drawnNetworks).Draw(t, "network"), "CABLE", cable)
	first, last := endsOf(network)
	names := strings.NewReplacer("FIRST", first, "LAST", last)
	text := "name: drawn\nstop: {limit: 20ms}\ntopology: " + network + "\nworkloads: [{kind: permutation, size: 100KB}]\n"
	spec := buildable(text, nil)
	var sets []string
	add := func(set string) {
		if with := buildable(text, append(slices.Clip(sets), set)); with != nil {
			spec, sets = with, append(sets, set)
		}
	}
	work := rapid.SampledFrom([][]string{drawnWork, drawnPrograms, slices.Concat(drawnWork, drawnPrograms)}).Draw(t, "kind of work")
	add(names.Replace("workloads=[" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(work), 1, 2).Draw(t, "work"), ", ") + "]"))
	for _, setting := range rapid.SliceOfN(rapid.SampledFrom(drawnSettings), 0, 5).Draw(t, "settings") {
		add(names.Replace(setting))
	}
	for range rapid.IntRange(0, 8).Draw(t, "keys") {
		add(drawKey(t, spec))
	}
	if rapid.Bool().Draw(t, "something is wrong") {
		add(drawFaults(t, spec))
	}
	return spec
}

// buildable is a scenario with some keys set, nil if it is refused.
func buildable(text string, sets []string) *Spec {
	spec, err := Parse("drawn.yaml", []byte(text), sets...)
	if err != nil {
		return nil
	}
	if _, err := spec.Build(); err != nil {
		return nil
	}
	return spec
}

// endsOf are the first and the last host of a network.
func endsOf(network string) (first, last string) {
	spec, err := Parse("drawn.yaml", []byte("name: drawn\ntopology: "+network+"\nworkloads: [{kind: permutation, size: 1KB}]\n"))
	if err != nil {
		panic(err)
	}
	graph, err := spec.Network()
	if err != nil {
		panic(err)
	}
	hosts := graph.Hosts()
	return graph.Nodes[hosts[0]].Name, graph.Nodes[hosts[len(hosts)-1]].Name
}

// undrawn are keys that are left alone: texts, the time that a run may take, and profiles
// with the order of events of another simulator, which are not run by several workers.
var undrawn = []string{"name", "description", "stop.limit", "profile"}

// drawKey draws one key of a scenario and a value for it, of its type and in its range.
func drawKey(t *rapid.T, spec *Spec) string {
	var all []strictyaml.Value
	strictyaml.Walk(spec, func(v strictyaml.Value) {
		if !strings.HasPrefix(v.Path, "expect") && !slices.Contains(undrawn, v.Path) {
			all = append(all, v)
		}
	})
	v := rapid.SampledFrom(all).Draw(t, "key")
	return v.Path + "=" + drawValue(t, v.Field.Type, v.Field)
}

// drawValue draws a value of a type as a scenario has it; small ones, so that networks
// stay small and runs short.
func drawValue(t *rapid.T, of reflect.Type, f strictyaml.Field) string {
	if f.OneOf != nil && of.Kind() != reflect.Slice {
		return rapid.SampledFrom(f.OneOf).Draw(t, "word")
	}
	if a, ok := reflect.Zero(of).Interface().(alternative); ok {
		inner, word := a.either()
		if rapid.IntRange(0, 3).Draw(t, "or a word") == 0 {
			return word
		}
		return drawValue(t, inner, f)
	}
	from := func(values ...string) string {
		return rapid.SampledFrom(append(values, orZero(f.Min), orZero(f.Max))).Draw(t, "value")
	}
	switch of {
	case reflect.TypeFor[units.Time]():
		return from("0s", "1ps", "1ns", "64ns", "1us", "3us", "20us", "1ms")
	case reflect.TypeFor[units.Rate]():
		return from("1Gbps", "10Gbps", "30Gbps", "100Gbps", "400Gbps")
	case reflect.TypeFor[units.Bytes]():
		return from("1B", "64B", "1000B", "4KB", "30KB", "100KB", "1MB")
	case reflect.TypeFor[units.Length]():
		return from("1m", "30m", "2km")
	case reflect.TypeFor[units.Ratio]():
		return from("0", "1/1000", "1/8", "50%", "1", "4")
	}
	return drawOfKind(t, of, f, from)
}

// drawOfKind draws a value of a type without a unit.
func drawOfKind(t *rapid.T, of reflect.Type, f strictyaml.Field, from func(values ...string) string) string {
	switch of.Kind() {
	case reflect.Pointer:
		return drawValue(t, of.Elem(), f)
	case reflect.Slice:
		var entries []string
		for range rapid.IntRange(0, 3).Draw(t, "entries") {
			entries = append(entries, drawValue(t, of.Elem(), f))
		}
		return "[" + strings.Join(entries, ", ") + "]"
	case reflect.Map:
		return fmt.Sprintf("{%d: %s}", rapid.IntRange(0, 63).Draw(t, "of"), drawValue(t, of.Elem(), f))
	case reflect.Bool:
		return fmt.Sprint(rapid.Bool().Draw(t, "yes"))
	case reflect.String:
		return rapid.SampledFrom([]string{"h0", `"*"`, "rack0/*", "s*"}).Draw(t, "name")
	case reflect.Float64:
		return from("0", "0.5", "1")
	}
	return from("0", "1", "2", "3", "5", "8", "26", "60")
}

func orZero(text string) string {
	if text == "" || len(text) > 2 { // thousands of hosts or messages
		return "0"
	}
	return text
}

// drawFaults draws up to two of the things that can go wrong.
func drawFaults(t *rapid.T, spec *Spec) string {
	graph, err := spec.Network()
	if err != nil {
		t.Fatal(err)
	}
	var faults []string
	for range rapid.IntRange(1, 2).Draw(t, "faults") {
		fault := rapid.SampledFrom(everyFault).Draw(t, "fault")[1]
		if len(spec.Switch.PFC.Priorities) > 0 {
			faults = append(faults, forNetwork(fault, spec, graph))
		}
	}
	return "faults=[" + strings.Join(faults, ", ") + "]"
}
