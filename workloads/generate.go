package workloads

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Generate returns the flows of all workloads, numbered in their order, with queue pairs numbered likewise. Labels
// name the workloads, one each and different from each other: they mark the flows, and they name the random streams.
// Problems come as *units.FieldError with keys relative to the list of workloads: "[2].to".
func Generate(workloads []Workload, labels []string, env Env) ([]Flow, error) {
	var all []Flow
	var problems []error
	var qps numbering
	var posted messages
	for i, w := range workloads {
		own := env
		own.Rand = func(stream string) Rand { return env.Rand(labels[i] + "/" + stream) }
		transport, wrong := w.Over(own)
		if _, is := w.(Programmer); is {
			wrong = nil // GeneratePrograms tells of it
		}
		flows, err := w.Flows(own)
		err = errors.Join(wrong, err)
		if err == nil && len(all)+len(flows) > MaxFlows {
			err = &units.FieldError{Problem: "too many flows in all workloads together", Want: fmt.Sprintf("at most %d", MaxFlows)}
		}
		if err != nil {
			problems = append(problems, prefixed(fmt.Sprintf("[%d]", i), err))
			continue
		}
		if err := errors.Join(posted.add(flows), onAStream(flows, transport)); err != nil {
			problems = append(problems, prefixed(fmt.Sprintf("[%d]", i), err))
			continue
		}
		qps.begin()
		for _, f := range flows {
			f.ID, f.Workload, f.QP, f.Transport = len(all), labels[i], qps.number(f), transport
			all = append(all, f)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return all, nil
}

// onAStream refuses messages over TCP of which nothing would ever come: a stream is its bytes.
func onAStream(flows []Flow, transport string) error {
	empty := func(f Flow) bool { return f.Size == 0 }
	if transport != TCP || !slices.ContainsFunc(flows, empty) {
		return nil
	}
	return &units.FieldError{Problem: "a message without payload, of which nothing would come over tcp", Want: "a size of at least 1B, or another transport"}
}

// messages counts what flows post, in pieces.
type messages int

// add refuses flows that post more than NICs can hold.
func (m *messages) add(flows []Flow) error {
	for i := range flows {
		f := &flows[i]
		if f.Size > MaxPayload || f.Messages > MaxMessages/pieces(f.Size) {
			return &units.FieldError{Problem: fmt.Sprintf("a flow of %d messages of %v is too much", f.Messages, f.Size), Want: fmt.Sprintf("at most %d messages, of 1GiB at most", MaxMessages)}
		}
		*m += messages(f.Messages * pieces(f.Size))
	}
	if *m > 4*MaxMessages {
		return &units.FieldError{Problem: "too many messages in all workloads together", Want: fmt.Sprintf("at most %d, of 1GiB at most", 4*MaxMessages)}
	}
	return nil
}

// numbering gives queue pairs their numbers.
type numbering struct {
	next   int
	shared map[sharing]int
}

// sharing is what flows of one workload on one queue pair have in common.
type sharing struct{ src, dst, qp int }

// begin forgets what the last workload shared.
func (n *numbering) begin() { n.shared = map[sharing]int{} }

func (n *numbering) number(f Flow) int {
	key := sharing{f.Src, f.Dst, f.QP}
	if number, known := n.shared[key]; known {
		return number
	}
	number := n.next
	n.next++
	if f.QP != OwnQP {
		n.shared[key] = number
	}
	return number
}

// prefixed returns err with prefix before the key of every *units.FieldError in it.
func prefixed(prefix string, err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range joined.Unwrap() {
			all = append(all, prefixed(prefix, one))
		}
		return errors.Join(all...)
	}
	var field *units.FieldError
	if !errors.As(err, &field) {
		return fmt.Errorf("%s: %w", prefix, err)
	}
	moved := *field
	if moved.Key != "" && moved.Key[0] != '[' {
		moved.Key = "." + moved.Key
	}
	moved.Key = prefix + moved.Key
	return &moved
}
