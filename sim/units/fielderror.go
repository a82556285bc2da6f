package units

import (
	"fmt"
	"strconv"
	"strings"
)

// FieldError tells which key of a set of parameters is wrong, and what would be right. The Validate methods of parameter
// structs and the parsers of this package return it (several of them by errors.Join), so that whoever knows where the
// value was written can add the place.
type FieldError struct {
	Key     string // dotted path of the key, relative to the struct that is validated; empty if not known (yet)
	Value   string // the value as its user wrote it; empty if there is none
	Problem string // what is wrong: "must not be negative"
	Want    string // what would be right: `did you mean "Gbps"?`; may be empty
}

// Field returns a FieldError about key, with value in its text form.
func Field(key string, value any, problem, want string) *FieldError {
	return &FieldError{Key: key, Value: fmt.Sprint(value), Problem: problem, Want: want}
}

// Error returns `key: "value": problem; want` without the parts that are empty.
func (e *FieldError) Error() string {
	var text strings.Builder
	if e.Key != "" {
		text.WriteString(e.Key + ": ")
	}
	if e.Value != "" {
		text.WriteString(strconv.Quote(e.Value) + ": ")
	}
	text.WriteString(e.Problem)
	if e.Want != "" {
		text.WriteString("; " + e.Want)
	}
	return text.String()
}
