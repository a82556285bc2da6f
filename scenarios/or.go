package scenarios

import (
	"encoding"
	"errors"
	"fmt"
	"strconv"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Word is the word that may stand for a quantity; see [Or].
type Word interface{ word() string }

// Or is a quantity, or a word that leaves it to the simulator. The zero value is the word.
type Or[T any, W Word] struct {
	Value T    // the quantity, if one is given
	Given bool // whether a quantity is given
}

// Auto is a quantity that follows from others unless it is given.
type Auto[T any] = Or[T, auto]

// Standard is a quantity that a standard prescribes unless it is given.
type Standard[T any] = Or[T, standard]

// Line is a rate that is that of the wire unless it is given.
type Line[T any] = Or[T, line]

type (
	auto     struct{}
	standard struct{}
	line     struct{}
)

func (auto) word() string     { return "auto" }
func (standard) word() string { return "standard" }
func (line) word() string     { return "line" }

func (Or[T, W]) word() string {
	var w W
	return w.word()
}

// Held returns the quantity, or nil if the word stands.
func (o Or[T, W]) Held() any {
	if !o.Given {
		return nil
	}
	return o.Value
}

// Else returns the quantity, or another one if the word stands.
func (o Or[T, W]) Else(other T) T {
	if o.Given {
		return o.Value
	}
	return other
}

// String returns the quantity or the word, as a scenario says it.
func (o Or[T, W]) String() string {
	if !o.Given {
		return o.word()
	}
	return fmt.Sprint(o.Value)
}

// MarshalText returns what String returns; it never fails.
func (o Or[T, W]) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the word or the quantity. Its error is a *units.FieldError.
func (o *Or[T, W]) UnmarshalText(text []byte) error {
	if string(text) == o.word() {
		*o = Or[T, W]{}
		return nil
	}
	read := Or[T, W]{Given: true}
	if err := parse(string(text), &read.Value); err != nil {
		err.Want += ", or " + o.word()
		return err
	}
	*o = read
	return nil
}

// parse reads a quantity or a whole number.
func parse(text string, value any) *units.FieldError {
	var err error
	switch v := value.(type) {
	case encoding.TextUnmarshaler:
		err = v.UnmarshalText([]byte(text))
	case *uint64:
		if *v, err = strconv.ParseUint(text, 10, 64); err != nil {
			return &units.FieldError{Value: text, Problem: "not a whole number from 0 up", Want: "write digits only"}
		}
	default:
		panic(fmt.Sprintf("scenarios: no quantity of type %T", value))
	}
	var field *units.FieldError
	if err != nil && !errors.As(err, &field) {
		field = &units.FieldError{Value: text, Problem: err.Error()}
	}
	return field
}
