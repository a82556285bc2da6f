package programs

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// JobOptions are those of a job: ranks on hosts that go through their schedules.
type JobOptions struct {
	Ranks []RankPlace // where each rank is, at least one
	GPUs  int         // of each host; the number of a rank's is less
	Rails int         // NICs of each host that are used, in the order of their ports; 0 for all
	// Channels is in how many parts data of a collective goes at once: on each rail, where messages
	// of a channel all go by one; else between each two ranks. Threads of a host drive those of a NIC. At least 1.
	Channels, Threads int
	// QPs is how many queue pairs, or sockets, a channel has between two ranks, at least 1; Split has each message go over
	// all of them in parts, else messages go over one after the other.
	QPs   int
	Split bool
	// Algorithms says how a collective is done, by its kind; nil: by the one that takes least in theory for its size and group.
	Algorithms map[collective.Kind]*collective.Algorithm
	Chunk      units.Bytes // most data of a message of a collective, at least 1
	Window     int         // messages of a collective on their way to a neighbour, at least 2
	// PXN has a message to a GPU with another NIC go to the GPU near that NIC first, within the host, so that it
	// does not change rails in the network.
	PXN bool
	// NVLink is what a GPU can send to others of its host, and take from them, each message with a delay of NVLinkDelay.
	NVLink      units.Rate
	NVLinkDelay units.Time
	// Staging is the rate at which each NIC's data is copied between GPU and host memory, in either direction at a time; 0 if
	// the adapter reaches the GPU itself.
	Staging units.Rate
	Launch  units.Time // before each collective
	// SendTime and ReceiveTime are what a rank is busy with each message that its schedule sends or takes, on the stream of that
	// operation, and ByteTime for each byte of it after the first: o and O of LogGOPS. InTurn has them wait for that stream to be free
	// even if they take no time of it, as what a single thread does.
	SendTime, ReceiveTime units.Time
	ByteTime              units.Time
	InTurn                bool
	// Gap is the least time between two such messages that a NIC sends, and between two that it receives: g of LogGOPS.
	Gap units.Time
	// Noise is how much longer the next thing takes that a rank computes than it should; nil for no longer. It is called by the rank's host
	// only, and so must depend on what it has returned for that rank alone.
	Noise  func(rank int) units.Time
	Events bool // threads sleep until something has come
	Start  units.Time
	// Where says where its user finds an operation, such as its line in a file; nil if nobody knows.
	Where func(rank, op int) string
	// Channel has the overhead, the class, and of messages that a schedule sends itself, the longest that goes without asking and the credits.
	Channel ChannelOptions
}

// RankPlace is where a rank is.
type RankPlace struct {
	Host int
	// GPU is its number at its host, from 0, and NIC the one that it uses, by its port.
	GPU, NIC int
}

// Job is ranks that go through their schedules: what they compute, send to each other and do together. A rank knows
// what happens at its own host only; of others it hears by messages.
type Job struct {
	JobOptions
	Schedule *schedule.Job
	// Bound is what a step takes by the alpha-beta model; 0 if nobody has worked it out.
	Bound   units.Time
	cluster *host.Cluster
	nodes   []*jobNode
	ranks   []*jobRank
	comms   []*jobComm
	rate    units.Rate // payload of all rails of a host together
	nicRate units.Rate // payload of one
	// crossed says that NICs of one number do not all reach each other, as in a mesh of hosts: then there are no rails, and messages go by
	// whichever NICs of two hosts do.
	crossed bool
}

// jobComm is a communicator, as all its members know it from the start: who they are, and who does what in each collective.
type jobComm struct {
	members []int32 // ranks by position
	shape   collective.Shape
	rails   []int // ports that are near members: those of its channels that have a rail
	plans   map[planKey]*jobPlans
	keys    []planKey              // of all of them, in the order in which the schedule has them
	cuts    map[cutKey]units.Bytes // into how many chunks a collective goes at least
	chosen  map[sizedKind]*collective.Algorithm
	theory  map[sizedKind]units.Time
	total   uint64 // of all members' marks
}

// planKey tells plans of a communicator apart.
type planKey struct {
	kind      collective.Kind
	root      int32
	pieces    int
	algorithm *collective.Algorithm
}

// cutKey is a way to do a kind of collective.
type cutKey struct {
	kind      collective.Kind
	algorithm *collective.Algorithm
}

// sizedKind is a collective, but for its root.
type sizedKind struct {
	kind collective.Kind
	size units.Bytes
}

// jobPlans are those of all members.
type jobPlans struct {
	kind      collective.Kind
	algorithm *collective.Algorithm
	pieces    int
	byMember  []*jobPlan
}

// inTurn tells whether anybody waits for what he has sent to be delivered.
func (p *jobPlans) inTurn() bool {
	for _, member := range p.byMember {
		for s := range member.Strands {
			if member.Strands[s].InTurn {
				return true
			}
		}
	}
	return false
}

// jobPlan is what one member does, and which of its receives is a peer's next message.
type jobPlan struct {
	collective.Plan
	sources  []source // from which it receives
	places   map[source]int
	receives [][]int32 // by source: places in its strand
	total    int       // receives
}

// place is where a source is among sources. Most plans have one or two, so that looking at them is faster than a map.
func (p *jobPlan) place(from source) (int, bool) {
	if len(p.sources) > 4 {
		at, known := p.places[from]
		return at, known
	}
	at := slices.Index(p.sources, from)
	return at, at >= 0
}

// source is a position from which there is something to receive, and the strand to which it goes.
type source struct {
	position int32
	strand   int8
}

// index finds what comes from whom.
func index(p collective.Plan) *jobPlan {
	out := &jobPlan{Plan: p, places: map[source]int{}}
	for s := range p.Strands {
		for i := range p.Strands[s].Receives {
			from := source{p.Strands[s].Receives[i].Peer, int8(s)}
			at, known := out.places[from]
			if !known {
				at = len(out.sources)
				out.places[from] = at
				out.sources, out.receives = append(out.sources, from), append(out.receives, nil)
			}
			out.receives[at] = append(out.receives[at], int32(i))
			out.total++
		}
	}
	return out
}

// mark is what a rank contributes to a collective: sums of marks tell whose contributions are in them, each once.
func mark(rank int32, operation uint64) uint64 {
	h := uint64(rank+1) * 0x9e3779b97f4a7c15
	h ^= h >> 31
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 29
	return h * (2*operation + 1)
}

// NewJob makes the ranks of a job on hosts of a cluster. The schedule must pass its own check. An error about options is a *[units.FieldError].
func NewJob(c *host.Cluster, o JobOptions, s *schedule.Job) (*Job, error) {
	j := &Job{JobOptions: o, Schedule: s, cluster: c}
	if err := j.place(); err != nil {
		return nil, err
	}
	if err := j.plan(); err != nil {
		return nil, err
	}
	if err := j.join(); err != nil {
		return nil, err
	}
	if s.Ops() <= MostBounded {
		if j.Bound = j.theory(); j.Bound == units.Never {
			j.Bound = 0
		}
	}
	for _, r := range j.ranks {
		r.begin(o.Start)
	}
	return j, nil
}

// place makes nodes, their threads and their ranks.
func (j *Job) place() error {
	c := j.cluster
	if j.Rails == 0 {
		j.Rails = len(c.Hosts[j.Ranks[0].Host].NICs())
	}
	at := map[int]*jobNode{}
	for i, place := range j.Ranks {
		node := at[place.Host]
		if node == nil {
			var err error
			if node, err = j.addNode(place.Host); err != nil {
				return err
			}
			at[place.Host] = node
		}
		rank := &jobRank{job: j, node: node, number: int32(i), place: place, graph: j.Schedule.Ranks[i]}
		rank.home = node.threads[place.NIC%j.Rails*j.Threads+i%j.Threads]
		node.ranks, j.ranks = append(node.ranks, rank), append(j.ranks, rank)
		node.left++
	}
	for rail := 0; rail < j.Rails && len(j.nodes) > 1; rail++ {
		if _, err := c.EndsAt(j.nodes[0].at, j.nodes[1].at, rail, rail); err != nil {
			j.crossed = true
		}
	}
	return nil
}

// ports are those by which messages go from one host to another that would go by two given ones.
func (j *Job) ports(a, b *jobNode, portA, portB, turn int) (int, int, error) {
	if !j.crossed || a == b {
		return portA, portB, nil
	}
	portA, portB, err := j.cluster.PortsBetween(a.at, b.at, turn)
	if err == nil && max(portA, portB) >= j.Rails {
		return 0, 0, units.Field("rails", j.Rails, fmt.Sprintf("%s and %s reach each other by NICs %d and %d", a.name, b.name, portA, portB), "0, for all NICs")
	}
	return portA, portB, err
}

// addNode makes a host's threads.
func (j *Job) addNode(at int) (*jobNode, error) {
	c := j.cluster
	if n := len(c.Hosts[at].NICs()); n < j.Rails {
		return nil, units.Field("rails", j.Rails, fmt.Sprintf("%s has %d NICs", nameOf(c, at), n), fmt.Sprintf("at most %d", n))
	}
	node := &jobNode{job: j, at: at, name: nameOf(c, at)}
	node.stagedOut, node.stagedIn = make([]units.Time, j.Rails), make([]units.Time, j.Rails)
	node.spacedOut, node.spacedIn = make([]units.Time, j.Rails), make([]units.Time, j.Rails)
	node.nvOut, node.nvIn = make([]units.Time, j.GPUs), make([]units.Time, j.GPUs)
	for k := range j.Rails * j.Threads {
		t := &jobThread{node: node, nic: k / j.Threads}
		t.thread = c.AddThread(at, t, mailboxThread(c, &j.Channel, fmt.Sprintf("ranks' proxy %d at NIC %d", k%j.Threads, t.nic), j.Start, j.Events))
		t.box = NewMailbox(c, at, t.thread)
		node.threads = append(node.threads, t)
	}
	j.nodes = append(j.nodes, node)
	return node, nil
}

// commOf is the communicator of a group, with its shape.
func (j *Job) commOf(group []int32) *jobComm {
	comm := &jobComm{
		members: group, shape: collective.ShapeOf(len(group), func(i int) int { return j.ranks[group[i]].node.at }), plans: map[planKey]*jobPlans{},
		cuts: map[cutKey]units.Bytes{}, chosen: map[sizedKind]*collective.Algorithm{}, theory: map[sizedKind]units.Time{},
	}
	near := make([]bool, j.Rails)
	for _, rank := range group {
		comm.total += mark(rank, 0)
		for _, rail := range j.railsNear(j.ranks[rank].place) {
			near[rail] = true
		}
	}
	for rail, is := range near {
		if is {
			comm.rails = append(comm.rails, rail)
		}
	}
	return comm
}

// railsNear are the rails that are near a GPU: its own NIC's, and where a host has more NICs than GPUs, those up to the next GPU's.
func (j *Job) railsNear(p RankPlace) (all []int) {
	for i := range max(1, j.Rails/j.GPUs) {
		all = append(all, (p.NIC+i)%j.Rails)
	}
	return all
}

// eachCollective calls f for each collective of a rank's graph.
func eachCollective(g *schedule.Graph, f func(i int, op *schedule.Op)) {
	for i := range g.Ops() {
		if op := g.Op(i); op.Kind == schedule.Collective {
			f(i, op)
		}
	}
}

// plan makes the communicators and all plans that their members need.
func (j *Job) plan() error {
	for _, group := range j.Schedule.Groups {
		j.comms = append(j.comms, j.commOf(group))
	}
	for _, r := range j.ranks {
		var wrong error
		eachCollective(r.graph, func(_ int, op *schedule.Op) {
			if wrong == nil {
				_, wrong = j.plansOf(j.comms[op.Group], op)
			}
		})
		if wrong != nil {
			return wrong
		}
	}
	return nil
}

// keyOf is that of an operation's plans.
func (j *Job) keyOf(comm *jobComm, op *schedule.Op) planKey {
	a := j.algorithmOf(comm, op.What, op.Size)
	return planKey{op.What, op.Root, j.piecesOf(comm, a, op.What, op.Size), a}
}

// algorithmOf is how a collective is done: as the user says, or as theory says that it takes least, of those that take as long by the first.
func (j *Job) algorithmOf(comm *jobComm, kind collective.Kind, size units.Bytes) *collective.Algorithm {
	if a := j.Algorithms[kind]; a != nil {
		return a
	}
	key := sizedKind{kind, size}
	if a := comm.chosen[key]; a != nil {
		return a
	}
	best, least := collective.Default(kind), units.Never
	for _, name := range collective.Names(kind) {
		a, known := collective.ByName(name)
		if !known || a.Fits(kind, comm.shape) != nil {
			continue
		}
		if t := j.theoryBy(a, comm, kind, size); t < least {
			best, least = a, t
		}
	}
	comm.chosen[key] = best
	return best
}

// theoryBy is the time of a collective that is done in a certain way by the alpha-beta model, without the launch.
func (j *Job) theoryBy(a *collective.Algorithm, comm *jobComm, kind collective.Kind, size units.Bytes) units.Time {
	pieces := j.piecesOf(comm, a, kind, size)
	if !a.Whole {
		pieces *= j.Channels
	}
	return a.Theory(kind, comm.shape, size, pieces, j.cost(a, comm))
}

// piecesOf is in how many pieces each rank's part goes: as many as it takes for a message to be no longer than a chunk.
func (j *Job) piecesOf(comm *jobComm, a *collective.Algorithm, kind collective.Kind, size units.Bytes) int {
	return max(1, int((j.partOf(comm, a, kind, size)+j.Chunk-1)/j.Chunk))
}

// partOf is how long the parts are into which an algorithm cuts what goes by a lane.
func (j *Job) partOf(comm *jobComm, a *collective.Algorithm, kind collective.Kind, size units.Bytes) units.Bytes {
	cut, known := comm.cuts[cutKey{kind, a}]
	if !known && a.Fits(kind, comm.shape) == nil {
		whole := a.Plan(kind, comm.shape, 0, 0, 1)
		cut = units.Bytes(whole.Chunks)
		comm.cuts[cutKey{kind, a}] = cut
	}
	return size / units.Bytes(j.lanesOf(comm, a)) / max(1, cut)
}

// mostMessages is how many messages a collective can be in each lane, of all ranks together: their plans are kept, at some 50 bytes a message.
const mostMessages = 1 << 26

// messagesOf is how many messages a rank sends or receives, whichever are more; 1 at least.
func messagesOf(p *collective.Plan) int {
	sends, receives := 0, 0
	for i := range p.Strands {
		sends += len(p.Strands[i].Sends)
		receives += len(p.Strands[i].Receives)
	}
	return max(1, sends, receives)
}

// lanesOf is among how many lanes a collective is divided.
func (j *Job) lanesOf(comm *jobComm, a *collective.Algorithm) int {
	if a.Railed && !j.crossed {
		return len(comm.rails) * j.Channels
	}
	return j.Channels
}

// plansOf are the plans of a collective.
func (j *Job) plansOf(comm *jobComm, op *schedule.Op) (*jobPlans, error) {
	key := j.keyOf(comm, op)
	if p := comm.plans[key]; p != nil {
		return p, nil
	}
	algorithm := key.algorithm
	if err := algorithm.Fits(op.What, comm.shape); err != nil {
		return nil, units.Field("algorithm", algorithm.Name, err.Error(), "another algorithm for "+op.What.String())
	}
	if whole := algorithm.Plan(op.What, comm.shape, 0, int(op.Root), 1); messagesOf(&whole)*len(comm.members) > mostMessages/key.pieces {
		return nil, units.Field("chunk", j.Chunk, fmt.Sprintf("an operation, %v of %v among %d ranks, is more than %d messages", op.What, op.Size, len(comm.members), mostMessages), "a longer one, or less data")
	}
	p := &jobPlans{kind: op.What, algorithm: algorithm, pieces: key.pieces}
	for position := range comm.members {
		p.byMember = append(p.byMember, index(algorithm.Plan(op.What, comm.shape, position, int(op.Root), key.pieces)))
	}
	comm.plans[key] = p
	comm.keys = append(comm.keys, key)
	return p, nil
}

// Hosts is how many hosts the ranks are on.
func (j *Job) Hosts() int { return len(j.nodes) }
