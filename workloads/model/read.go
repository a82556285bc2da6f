package model

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// column is a column of a table.
type column struct {
	name string
	set  func(l *Layer, text string) error
}

// number is a column of whole numbers.
func number(name string, field func(l *Layer) *int64) column {
	return column{name, func(l *Layer, text string) (err error) {
		*field(l), err = parseNumber(text)
		return err
	}}
}

// small is a column of small whole numbers.
func small(name string, field func(l *Layer) *int) column {
	return column{name, func(l *Layer, text string) error {
		n, err := parseNumber(text)
		*field(l) = int(min(n, 1<<31-1))
		return err
	}}
}

// duration is a column of times.
func duration(name string, field func(l *Layer) *units.Time) column {
	return column{name, func(l *Layer, text string) (err error) {
		*field(l), err = units.ParseTime(text)
		return err
	}}
}

// columns are those that a table may have.
var columns = []column{
	{"name", func(l *Layer, text string) error { l.Name = text; return nil }},
	small("count", func(l *Layer) *int { return &l.Count }),
	number("params", func(l *Layer) *int64 { return &l.Params }),
	number("flops", func(l *Layer) *int64 { return &l.FLOPs }),
	number("output", func(l *Layer) *int64 { return &l.Output }),
	small("forward_all_reduces", func(l *Layer) *int { return &l.ForwardSums }),
	small("backward_all_reduces", func(l *Layer) *int { return &l.BackwardSums }),
	small("experts", func(l *Layer) *int { return &l.Experts }),
	small("top_k", func(l *Layer) *int { return &l.TopK }),
	number("expert_params", func(l *Layer) *int64 { return &l.ExpertParams }),
	number("expert_flops", func(l *Layer) *int64 { return &l.ExpertFLOPs }),
	duration("forward", func(l *Layer) *units.Time { return &l.Forward }),
	duration("backward", func(l *Layer) *units.Time { return &l.Backward }),
}

// suffixes of numbers.
var suffixes = []struct {
	letter string
	digits int
}{{"K", 3}, {"M", 6}, {"G", 9}, {"T", 12}}

// parseNumber reads a whole number that is not negative, such as 25557032, 25.5M or 4G.
func parseNumber(text string) (int64, error) {
	digits, zeros := text, 0
	for _, s := range suffixes {
		if before, has := strings.CutSuffix(text, s.letter); has {
			digits, zeros = before, s.digits
		}
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	fraction = strings.TrimRight(fraction, "0")
	n := int64(-1)
	var err error
	if len(fraction) <= zeros && len(whole) > 0 {
		n, err = strconv.ParseInt(whole+fraction+strings.Repeat("0", zeros-len(fraction)), 10, 64)
	}
	if err != nil || n < 0 {
		return 0, &units.FieldError{Value: text, Problem: "not a whole number that an int64 holds", Want: "write a number such as 25557032, 25.5M or 4G"}
	}
	return n, nil
}

// Read reads the layers of a model from a table of comma-separated values. Its first line names the columns: name, count, params, flops, output,
// forward_all_reduces, backward_all_reduces, experts, top_k, expert_params, expert_flops, forward, backward; [Layer] says what they are.
// Each further line is a layer. Columns that are not there are 0, counts 1. Lines that begin with # are left out. An error
// begins with the name and the number of the line, "my.csv:3: …". The model's samples have so many positions each, at least 1.
func Read(name string, length int, r io.Reader) (*Model, error) {
	layers, err := readLayers(name, r)
	if err != nil {
		return nil, err
	}
	return &Model{Name: name, Doc: "the layers of " + name, Length: length, Layers: layers}, nil
}

// readLayers reads a table.
func readLayers(name string, r io.Reader) ([]Layer, error) {
	table := csv.NewReader(r)
	table.Comment, table.TrimLeadingSpace, table.ReuseRecord = '#', true, true
	var of []column
	var layers []Layer
	depth := 0
	for {
		cells, err := table.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		line, _ := table.FieldPos(0)
		switch {
		case err != nil:
			if wrong := new(csv.ParseError); errors.As(err, &wrong) {
				line, err = wrong.Line, wrong.Err
			}
		case of == nil:
			of, err = header(cells)
		default:
			var l Layer
			l, err = parseLayer(of, cells)
			layers = append(layers, l)
			if depth += l.Count; err == nil && depth > MaxLayers {
				err = fmt.Errorf("%d layers up to here; at most %d", depth, MaxLayers)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, max(line, 1), err)
		}
	}
	if len(layers) == 0 {
		return nil, fmt.Errorf("%s:1: a table without layers; want a line of columns such as name,params,flops,output and a line for each layer", name)
	}
	return layers, nil
}

// header finds the columns that the first line names.
func header(cells []string) (of []column, err error) {
	var known []string
	for _, c := range columns {
		known = append(known, c.name)
	}
	var seen []string
	for _, cell := range cells {
		cell = strings.TrimSpace(cell)
		i := slices.Index(known, cell)
		switch {
		case i < 0:
			return nil, fmt.Errorf("there is no column %q; the columns are %s", cell, strings.Join(known, ", "))
		case slices.Contains(seen, cell):
			return nil, fmt.Errorf("column %s is there twice", cell)
		}
		seen, of = append(seen, cell), append(of, columns[i])
	}
	return of, nil
}

// parseLayer reads a row.
func parseLayer(of []column, cells []string) (l Layer, err error) {
	l.Count = 1
	for i, c := range of {
		text := strings.TrimSpace(cells[i])
		if text == "" {
			continue
		}
		if err := c.set(&l, text); err != nil {
			return l, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return l, l.check()
}
