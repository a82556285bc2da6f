package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
	"github.com/rdmasim/rdmasim/storage"
)

// StorageOptions are those of initiators that read and write blocks of targets.
type StorageOptions struct {
	Initiators []int // hosts, one for each job; several of one host are threads of it
	Targets    []int // at least one, none of the initiators
	Cores      int   // threads of each target, at least 1
	// Events has the targets' threads sleep until a command has come or a device is done; else they poll.
	Events bool
	// InitiatorEvents likewise has the initiators' threads sleep.
	InitiatorEvents bool
	// Depth is how many operations a job has under way at the most, Commands how many it makes, at least 1.
	Depth, Commands int
	// Every is the mean time between operations that a job begins whether or not those before are done (open loop), Poisson whether
	// these times are exponential and not all equal. Where it is 0, each that is done is followed by the next (closed loop).
	Every   float64 // picoseconds
	Poisson bool
	Blocks  []BlockShare // of operations; at least one
	Reads   int          // of a hundred operations; the rest are writes
	Layout  StorageLayout
	// TargetSoftware and InitiatorSoftware are what a command takes a processor at either end
	// beside verbs or system calls, half when it begins and half when it ends.
	TargetSoftware, InitiatorSoftware units.Time
	Protocol                          storage.Framing
	// InCapsule is the most data of a write that travels with its command.
	InCapsule units.Bytes
	// CopyRate is the rate at which an initiator copies data between what came from the network and the memory of who
	// wanted it; 0 if it does not. DigestRate is that at which either end works out a digest of data.
	CopyRate, DigestRate units.Rate
	Device               storage.Device
	Rebuild              *RebuildOptions // nil without
	Start                units.Time
	Channel              ChannelOptions // of it, data classes only: all else follows from the protocol
	// Random is the random stream of a name.
	Random func(name string) variate.Source
}

// BlockShare is the size of some operations, and how many they are in proportion to the others.
type BlockShare struct {
	Size  units.Bytes
	Share int
}

// StorageLayout says where the data of an operation lies. The zero value is one target for each operation.
type StorageLayout struct {
	// Copies is how many targets keep what is written: the first, to which commands go, and those that follow it, to
	// which it passes on what it has got; 0 and 1 for the first alone. Chain has each pass it on to the next.
	Copies int
	Chain  bool
	// Data and Parity are how many parts an operation is cut into, and how many more are worked out of these: each lies
	// on a target of its own. A read asks for all, and is done when any Data of them have come. 0 for no parts.
	Data, Parity int
	// Coding is the rate at which an initiator works out parity, or data from it; 0 if that takes no time.
	Coding units.Rate
}

// parts is how many commands an operation is.
func (l *StorageLayout) parts() int { return max(1, l.Data+l.Parity) }

// part is the data of one of them.
func (l *StorageLayout) part(size units.Bytes) units.Bytes {
	k := units.Bytes(max(1, l.Data))
	return max(1, (size+k-1)/k)
}

// spread is over how many targets an operation goes.
func (l *StorageLayout) spread() int { return max(l.parts(), l.Copies, 1) }

// Storage is initiators that read and write blocks of targets, as NVMe over Fabrics and its like do: a command is a message,
// and so is its answer. By RDMA, data that is read the target writes into the
// initiator's memory before it answers; data that is to be written it reads there, unless it came with the command.
// Over TCP it sends the one before its answer, and asks for the other (R2T) where the protocol has it so.
type Storage struct {
	StorageOptions
	cluster *host.Cluster
	jobs    []*storageJob
	targets [][]*storageTarget // threads of each
	rebuild *storageRebuild
	wake    units.Time // from a device's interrupt until a thread runs that sleeps
	largest units.Bytes
}

// NewStorage makes the programs on hosts of a cluster. It is an error if they cannot reach each
// other.
func NewStorage(c *host.Cluster, o StorageOptions) (*Storage, error) {
	s := &Storage{StorageOptions: o, cluster: c, wake: c.Rouse()}
	for _, b := range o.Blocks {
		s.largest = max(s.largest, o.Layout.part(b.Size))
	}
	if o.Rebuild != nil {
		s.largest = max(s.largest, o.Rebuild.Chunk)
	}
	s.Channel.Header, s.Channel.Memory, s.Channel.Framing = 0, s.largest, &s.Protocol
	s.Channel.Eager = LeastMessage
	for _, write := range []bool{false, true} {
		s.Channel.Eager = max(s.Channel.Eager, s.commandSize(write, s.inline(write, min(s.largest, o.InCapsule))), s.answerSize(write))
	}
	// Never more than Depth commands are under way at a target, and each answer brings their credits back.
	s.Channel.Credits = 2*o.Depth + 4
	if o.Layout.Parity > 0 {
		s.Channel.Credits *= 2 // some answers are late
	}
	for i, at := range o.Targets {
		s.addTarget(i, at)
	}
	if err := s.joinTargets(); err != nil {
		return nil, err
	}
	for i, at := range o.Initiators {
		if err := s.addJob(i, at); err != nil {
			return nil, err
		}
	}
	return s, s.addRebuild()
}

// addTarget makes the threads of a target.
func (s *Storage) addTarget(number, at int) {
	disk := storage.NewDisk(&s.Device, s.Random("device/"+nameOf(s.cluster, at)))
	var threads []*storageTarget
	for i := range s.Cores {
		t := &storageTarget{of: s, number: number, disk: disk}
		t.thread = s.cluster.AddThread(at, t, mailboxThread(s.cluster, &s.Channel, fmt.Sprintf("storage target %d", i), s.Start, s.Events))
		t.box = NewMailbox(s.cluster, at, t.thread)
		threads = append(threads, t)
	}
	s.targets = append(s.targets, threads)
}

// joinTargets joins targets that pass on to each other what is written.
func (s *Storage) joinTargets() error {
	if s.Layout.Copies < 2 {
		return nil
	}
	// Writes of many initiators pass by here.
	o := s.Channel
	o.Credits = min(256, 2*s.Depth*len(s.Initiators)+4)
	for i, a := range s.targets {
		for k, t := range a {
			t.peers = append(t.peers, nil)
			for _, b := range s.targets[i+1:] {
				near, far, err := Open(t.box, b[k].box, k, o)
				if err != nil {
					return err
				}
				t.peers, b[k].peers = append(t.peers, near), append(b[k].peers, far)
			}
		}
	}
	first := s.targets[0][0]
	first.probes = s.pings()
	return nil
}

// addJob makes the program of an initiator.
func (s *Storage) addJob(number, at int) error {
	j := &storageJob{of: s, number: number}
	j.thread = s.cluster.AddThread(at, j, mailboxThread(s.cluster, &s.Channel, "storage initiator", s.Start, s.InitiatorEvents))
	j.box = NewMailbox(s.cluster, at, j.thread)
	if number == 0 {
		j.probes = s.pings()
		if s.Layout.Copies > 1 && s.Reads < 100 {
			j.bare = s.pings()
		}
	}
	if s.Every > 0 {
		j.random = s.Random(fmt.Sprintf("arrivals/%s/%d", nameOf(s.cluster, at), number))
	}
	for _, threads := range s.targets {
		if _, _, err := Open(j.box, threads[number%s.Cores].box, number, s.Channel); err != nil {
			return err
		}
		threads[number%s.Cores].users++
	}
	s.jobs = append(s.jobs, j)
	return nil
}

// TargetNames are the names of the targets' hosts.
func (s *Storage) TargetNames() (names []string) {
	for _, at := range s.Targets {
		names = append(names, nameOf(s.cluster, at))
	}
	return names
}

// What a message is. Above it, its tag has the place of what it belongs to at the end that gave the command.
const (
	storageRead uint32 = iota
	storageWrite
	storageOpen
	storageBye
	storageKinds = storageBye

	storageAnswer uint32 = 4  // of a command
	storageBare   uint32 = 8  // the target does all but what its device and other targets would have to
	storageProbe  uint32 = 16 // it comes before what is measured
	storageCopied uint32 = 32 // from a target that passes on what it has got

	storageSlot = 6 // bits below the place
)

// overRDMA tells whether messages are SENDs.
func (s *Storage) overRDMA() bool { return s.Channel.Transport != TCP }

// inline is how much of the data of a command goes with it.
func (s *Storage) inline(write bool, size units.Bytes) units.Bytes {
	if write && (size <= s.InCapsule || !s.overRDMA() && s.Protocol.Ask == 0) {
		return size
	}
	return 0
}

// commandSize is the length of a command with so much data in it.
func (s *Storage) commandSize(write bool, inline units.Bytes) units.Bytes {
	if s.overRDMA() {
		return s.Protocol.ByRDMA[0][btoi(write)] + inline
	}
	return s.Protocol.CommandSize(write, inline)
}

// answerSize is the length of an answer.
func (s *Storage) answerSize(write bool) units.Bytes {
	if s.overRDMA() {
		return s.Protocol.ByRDMA[1][btoi(write)]
	}
	return s.Protocol.AnswerSize(write)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// operation is what an operation of a job is, and on how much.
func (s *Storage) operation(job, number int) (write bool, size units.Bytes) {
	key := uint64(job)<<32 | uint64(number)
	write = int(mixed(key)%100) >= s.Reads
	if len(s.Blocks) == 1 {
		return write, s.Blocks[0].Size
	}
	var all int
	for _, b := range s.Blocks {
		all += b.Share
	}
	at := int(mixed(key^blockSalt) % uint64(all))
	for _, b := range s.Blocks {
		if at -= b.Share; at < 0 {
			size = b.Size
			break
		}
	}
	return write, size
}

// place is the first target of an operation.
func (s *Storage) place(job, number int) int {
	if len(s.targets) == 1 {
		return 0
	}
	return int(mixed(uint64(job)<<32|uint64(number)^placeSalt) % uint64(len(s.targets)))
}

// What makes the numbers of operations ones that say nothing about each other.
const blockSalt, placeSalt = 0x5bd1e995 << 20, 0x1b873593 << 20

// longest is the size of the largest operation.
func (s *Storage) longest() (size units.Bytes) {
	for _, b := range s.Blocks {
		size = max(size, b.Size)
	}
	return size
}

// pings is how many operations go before the others: fewer of them if they are long.
func (s *Storage) pings() int {
	return max(1, min(pings, int(pings*units.MiB/s.longest())))
}

// settle is how long jobs wait while one of them measures what an operation takes when nothing else goes on.
func (s *Storage) settle() units.Time {
	mean := units.Time(max(s.Device.Mean(false), s.Device.Mean(true)))
	for _, n := range s.nics(s.Targets[:1]) {
		mean += n.Rate().Serialise(int(s.longest()))
		break
	}
	return settling + 2*units.Time(s.pings())*mean
}

// digest is what either end takes for the digest of data, where there is any.
func (s *Storage) digest(size units.Bytes) units.Time {
	if s.overRDMA() || !s.Protocol.DataDigest || s.DigestRate == 0 {
		return 0
	}
	return s.DigestRate.Serialise(int(size))
}

// give gives a command of so much data to a target, and tells how much of that went with it.
func (s *Storage) give(t *host.Thread, to OneSided, tag uint32, size units.Bytes, hops int) error {
	write := tag&storageKinds == storageWrite
	if write {
		t.Work(s.digest(size))
	}
	return to.Send(t, host.Message{
		Size: s.commandSize(write, s.inline(write, size)), Tag: tag, A: uint64(hops), B: uint64(size),
	})
}

// answer answers a command.
func (s *Storage) answer(t *host.Thread, to OneSided, tag uint32, size units.Bytes) error {
	write := tag&storageKinds == storageWrite
	if !write {
		t.Work(s.digest(size))
		if err := to.Put(size); err != nil {
			return err
		}
	}
	return to.Send(t, host.Message{Size: s.answerSize(write), Tag: tag | storageAnswer, A: mixed(uint64(tag))})
}

// leave tells the other end of a channel that no more commands will come.
func (s *Storage) leave(t *host.Thread, to OneSided) error {
	size := s.commandSize(false, 0)
	return to.Send(t, host.Message{Size: size, Tag: storageBye})
}
