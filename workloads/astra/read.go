package astra

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Policy is how a job is divided among ranks, and with it the order of its passes.
type Policy uint8

// The policies, by their words in the first line.
const (
	Data                  Policy = iota // DATA: every rank has the whole model
	Model                               // MODEL: each has a part of every layer
	DistributedInference                // DISTRIBUTED_INFERENCE: forward passes alone
	HybridDataModel                     // HYBRID_DATA_MODEL: model-parallel within a node, data-parallel between nodes
	HybridModelData                     // HYBRID_MODEL_DATA: the other way about
	HybridCustomized                    // HYBRID_CUSTOMIZED: each layer says which, in a column of its own
	Transformer                         // HYBRID_TRANSFORMER: model-parallel in groups of so many ranks
	TransformerCheckpoint               // HYBRID_TRANSFORMER_FWD_IN_BCKWD: with forward passes again from checkpoints on
	DLRM                                // HYBRID_DLRM: data-parallel but for the embedding, layer 0
	DLRMEnhanced                        // HYBRID_DLRM_ENHANCED: without waiting for the embedding's gradient
	Micro                               // MICRO: the collectives alone
	policyCount
)

var policies = [policyCount]string{"DATA", "MODEL", "DISTRIBUTED_INFERENCE", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_CUSTOMIZED",
	"HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_DLRM", "HYBRID_DLRM_ENHANCED", "MICRO"}

// String is its word.
func (p Policy) String() string { return policies[p] }

// Table is a workload.
type Table struct {
	Policy Policy
	// Tensor, Expert, Pipeline, Virtual, Accumulation and GPUs are the numbers after model_parallel_NPU_group:, ep:, pp:, vpp:,
	// ga: and all_gpus:; 0 where there is none.
	Tensor, Expert, Pipeline, Virtual, Accumulation, GPUs int
	// StageBytes is what a stage of a pipeline sends to the next one for each part of a batch, and back (pp_comm).
	StageBytes units.Bytes
	LastBottom int // of DLRM: the last layer that does not need the embedding
	Layers     []Layer

	name string
}

// Layer is a line of the table.
type Layer struct {
	Line int
	Name string
	// Passes are the forward pass, the gradient of the inputs and the gradient of the weights.
	Passes [3]Pass
	Update int64 // delay after each collective, cycles
	// Policy is that of the layer: the table's, except in one that is HYBRID_CUSTOMIZED.
	Policy Policy
	// Checkpoint keeps what the layer got, and Again has the forward pass run again from the last checkpoint up to the layer
	// before its gradients are computed.
	Checkpoint, Again bool
}

// Pass is what a layer does in one of its passes.
type Pass struct {
	Compute int64 // cycles
	// Collective follows, unless None; it is among the ranks of Group.
	None       bool
	Collective collective.Kind
	Group      Group
	Size       units.Bytes
}

// Group is which ranks take part in a collective.
type Group uint8

const (
	Usual        Group = iota // of a tensor-parallel group, or of a data-parallel one for weights
	Experts                   // _EP: those that share the experts of a layer
	SameExperts               // _DP_EP: those that have the same experts
	TensorRanks               // _TP
	DataParallel              // _DP
)

var suffixes = [...]struct {
	text  string
	group Group
}{{"_DP_EP", SameExperts}, {"_EP", Experts}, {"_TP", TensorRanks}, {"_DP", DataParallel}, {"", Usual}}

var collectives = [...]struct {
	word string
	kind collective.Kind
}{{"ALLREDUCE", collective.AllReduce}, {"ALLGATHER", collective.AllGather}, {"REDUCESCATTER", collective.ReduceScatter}, {"ALLTOALL", collective.AllToAll}}

// Bounds of what is read, so that a slip does not fill the memory.
const (
	maxLayers = 1 << 20
	maxRanks  = 1 << 20
	maxCycles = 1e15 // 11 days of nanoseconds
	maxSize   = 1 << 42
	maxLine   = 1 << 20
)

// IsSimAI reports whether the first line has the keys that SimAI added. Sizes of all-gathers are then of all that is gathered;
// to ASTRA-sim they are what each rank has.
func (t *Table) IsSimAI() bool { return t.GPUs > 0 }

// Read reads a table. Name is what errors call it; each of them is one line that begins with the name and the line.
func Read(name string, from io.Reader) (*Table, error) {
	r := &reader{Table: Table{name: name}, lines: bufio.NewScanner(from)}
	r.lines.Buffer(nil, maxLine)
	if !r.next() {
		r.fail("the file ends where the parallelism should stand, such as DATA")
	}
	checkpoints, again := r.header()
	header := r.line
	layers := 0
	switch {
	case !r.next():
		r.fail("the file ends where the number of layers should stand")
	case len(r.words) != 1:
		r.fail("%d words where the number of layers should stand", len(r.words))
	default:
		layers = int(r.number("the number of layers", r.words[0], 1, maxLayers))
	}
	for len(r.Layers) < layers && r.err == nil {
		if !r.next() {
			r.fail("the file ends after %d of the %d layers that it announces", len(r.Layers), layers)
			break
		}
		r.layer()
	}
	if r.err == nil && r.next() {
		r.fail("more than the %d layers that the file announces", layers)
	}
	if r.err == nil {
		r.marks(header, checkpoints, again)
	}
	if r.err != nil {
		return nil, r.err
	}
	return &r.Table, nil
}

// reader goes through a file line by line and keeps the first error.
type reader struct {
	Table
	lines *bufio.Scanner
	line  int
	words []string
	err   error
}

func (r *reader) fail(format string, args ...any) { r.failAt(r.line, format, args...) }

func (r *reader) failAt(line int, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s:%d: %s", r.name, max(line, 1), fmt.Sprintf(format, args...))
	}
}

// next moves to the next line that is not blank; it is false at the end of the file and after an error.
func (r *reader) next() bool {
	for r.err == nil && r.lines.Scan() {
		r.line++
		if r.words = strings.Fields(r.lines.Text()); len(r.words) > 0 {
			return true
		}
	}
	r.words = nil
	if err := r.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		r.failAt(r.line+1, "a line of more than %d bytes", maxLine)
	} else if err != nil {
		r.fail("%v", err)
	}
	return false
}

// number reads a whole number.
func (r *reader) number(what, word string, least, most int64) int64 {
	n, err := strconv.ParseInt(word, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		r.fail("%s %s is out of range: %d to %d", what, word, least, most)
	case err != nil || strings.HasPrefix(word, "+"):
		r.fail("%s %q is not a whole number", what, word)
	case n < least || n > most:
		r.fail("%s %d is out of range: %d to %d", what, n, least, most)
	default:
		return n
	}
	return 0
}

// policy reads the word of one.
func (r *reader) policy(word string) Policy {
	p := slices.Index(policies[:], word)
	if p < 0 {
		r.fail("unknown parallelism %q; one of %s", word, strings.Join(policies[:], ", "))
		return Data
	}
	return Policy(p)
}

// header reads the first line.
func (r *reader) header() (checkpoints, again []int64) {
	if r.err != nil {
		return nil, nil
	}
	r.Policy = r.policy(r.words[0])
	words := r.words[1:]
	seen := map[string]bool{}
	for i := 0; i < len(words) && r.err == nil; {
		key := strings.TrimSuffix(words[i], ":")
		if seen[key] {
			r.fail("%s twice", key)
		}
		seen[key] = true
		var values []string
		for i++; i < len(words) && isNumber(words[i]); i++ {
			values = append(values, words[i])
		}
		if key == "checkpoints" || key == "checkpoint_initiates" {
			list := r.list(key, values)
			if key == "checkpoints" {
				checkpoints = list
			} else {
				again = list
			}
			continue
		}
		if isNumber(key) && len(values) == 0 && len(words) == 1 && (r.Policy == DLRM || r.Policy == DLRMEnhanced) {
			r.LastBottom = int(r.number("the last bottom layer", key, 0, maxLayers)) // as the first files had it
			break
		}
		if len(values) != 1 {
			r.fail("%d numbers after %q; want one", len(values), key)
			break
		}
		r.key(key, values[0])
	}
	r.checkHeader(seen)
	return checkpoints, again
}

func isNumber(word string) bool {
	return strings.Trim(word, "0123456789.-+") == ""
}

// key reads a key of the first line.
func (r *reader) key(key, value string) {
	for _, k := range [...]struct {
		key   string
		into  *int
		least int64
	}{
		{"model_parallel_NPU_group", &r.Tensor, 1}, {"ep", &r.Expert, 1}, {"pp", &r.Pipeline, 1}, {"vpp", &r.Virtual, 0},
		{"ga", &r.Accumulation, 0}, {"all_gpus", &r.GPUs, 1}, {"DLRM_LAST_BOTTOM_LAYER", &r.LastBottom, 0},
	} {
		if k.key == key {
			*k.into = int(r.number(key, value, k.least, maxRanks))
			return
		}
	}
	if key != "pp_comm" {
		r.fail("unknown key %q; one of model_parallel_NPU_group, ep, pp, vpp, ga, all_gpus, checkpoints, checkpoint_initiates, pp_comm, DLRM_LAST_BOTTOM_LAYER", key)
		return
	}
	// AICB divides, and so writes 8388608.0.
	whole, fraction, _ := strings.Cut(value, ".")
	if strings.Trim(fraction, "0") != "" {
		r.fail("pp_comm %s is not a whole number of bytes", value)
	}
	r.StageBytes = units.Bytes(r.number(key, whole, 0, maxSize))
}

// list reads a count and as many layers.
func (r *reader) list(key string, values []string) (list []int64) {
	if len(values) == 0 {
		r.fail("nothing after %s; want the number of layers, and which", key)
		return nil
	}
	if count := r.number(key, values[0], 0, maxLayers); r.err == nil && count != int64(len(values)-1) {
		r.fail("%s announces %d layers, and %d follow", key, count, len(values)-1)
	}
	for _, v := range values[1:] {
		list = append(list, r.number(key, v, 0, maxLayers))
	}
	return list
}

// checkHeader compares the keys with the policy.
func (r *reader) checkHeader(seen map[string]bool) {
	transformer := r.Policy == Transformer || r.Policy == TransformerCheckpoint
	switch {
	case transformer && r.Tensor == 0:
		r.fail("%v needs model_parallel_NPU_group: and a number of ranks", r.Policy)
	case !transformer && (r.Tensor > 0 || r.Expert > 0 || r.Pipeline > 1):
		r.fail("%v has no groups of a number of its own; model_parallel_NPU_group, ep and pp belong to HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD", r.Policy)
	case r.Policy != TransformerCheckpoint && r.Policy != Transformer && (seen["checkpoints"] || seen["checkpoint_initiates"]):
		r.fail("%v has no checkpoints; HYBRID_TRANSFORMER_FWD_IN_BCKWD has", r.Policy)
	case r.Pipeline > 1 && r.GPUs == 0:
		r.fail("pp: %d without all_gpus:", r.Pipeline)
	}
}

// layer reads a line of the table.
func (r *reader) layer() {
	want := 12
	if r.Policy == HybridCustomized {
		want = 13
	}
	if len(r.words) != want {
		r.fail("%d columns where a layer has %d: name, -1, three times time, collective and bytes, update time%s", len(r.words), want, map[bool]string{true: ", parallelism"}[want == 13])
		return
	}
	l := Layer{Line: r.line, Name: r.words[0], Policy: r.Policy}
	r.number("the reserved column", r.words[1], -1, maxLayers)
	for i, pass := range [...]string{"forward", "input-gradient", "weight-gradient"} {
		words := r.words[2+3*i:]
		p := &l.Passes[i]
		p.Compute = r.number("the time of the "+pass+" pass,", words[0], 0, maxCycles)
		r.collective(p, words[1])
		p.Size = units.Bytes(r.number("the size of the "+pass+" collective,", words[2], 0, maxSize))
		p.None = p.None || p.Size == 0
	}
	l.Update = r.number("the update time", r.words[11], 0, maxCycles)
	if r.Policy == HybridCustomized {
		if l.Policy = r.policy(r.words[12]); r.err == nil && l.Policy != Data && l.Policy != Model && l.Policy != HybridDataModel && l.Policy != HybridModelData {
			r.fail("a layer is DATA, MODEL, HYBRID_DATA_MODEL or HYBRID_MODEL_DATA, not %v", l.Policy)
		}
	}
	r.Layers = append(r.Layers, l)
}

// collective reads the word of one, with the end that names its group.
func (r *reader) collective(p *Pass, word string) {
	if word == "NONE" {
		p.None = true
		return
	}
	for _, c := range collectives {
		rest, is := strings.CutPrefix(word, c.word)
		if !is {
			continue
		}
		for _, s := range suffixes {
			if rest == s.text {
				p.Collective, p.Group = c.kind, s.group
				if s.group != Usual && r.Tensor == 0 {
					r.fail("%s: groups that a word names belong to HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD", word)
				}
				return
			}
		}
	}
	r.fail("unknown collective %q; NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, which may end in _TP, _DP, _EP or _DP_EP", word)
}

// marks notes which layers are checkpoints, and which need what lies behind one again.
func (r *reader) marks(header int, checkpoints, again []int64) {
	for _, list := range [...]struct {
		key    string
		layers []int64
	}{{"checkpoints", checkpoints}, {"checkpoint_initiates", again}} {
		for _, at := range list.layers {
			if at >= int64(len(r.Layers)) {
				r.failAt(header, "%s has layer %d; there are layers 0 to %d", list.key, at, len(r.Layers)-1)
				return
			}
			l := &r.Layers[at]
			if list.key == "checkpoints" {
				l.Checkpoint = true
			} else {
				l.Again = true
			}
		}
	}
	kept := false
	for i := range r.Layers {
		l := &r.Layers[i]
		if kept = kept || l.Checkpoint; l.Again && !kept {
			r.failAt(header, "checkpoint_initiates has layer %d, and no layer up to it is a checkpoint", i)
		}
	}
	if r.Policy == DLRM || r.Policy == DLRMEnhanced {
		if r.LastBottom >= len(r.Layers) {
			r.failAt(header, "the last bottom layer is %d; there are layers 0 to %d", r.LastBottom, len(r.Layers)-1)
		}
	}
}
