package flowsize

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// maxPoints bounds the points of a file, so that a file of another sort does not fill the memory.
const maxPoints = 1 << 20

// Read reads a distribution from a file in the form of HPCC's traffic generator: on each line a size in bytes and the
// share of the flows, in percent, that are no larger. Empty lines, and what follows a #, are left out. An error begins with
// the name and the number of the line, "my.cdf:3: …".
func Read(name string, r io.Reader) (*CDF, error) {
	var points []Point
	var lines []int // where each point stands
	scanner := bufio.NewScanner(r)
	line := 1
	for ; scanner.Scan(); line++ {
		text, _, _ := strings.Cut(scanner.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		p, err := parsePoint(words)
		if err == nil && len(points) == maxPoints {
			err = fmt.Errorf("more than %d points", maxPoints)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		points, lines = append(points, p), append(lines, line)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	c, err := New(points)
	if at := new(PointError); errors.As(err, &at) {
		return nil, fmt.Errorf("%s:%d: %s", name, lines[at.Index], at.Problem)
	} else if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, max(line-1, 1), err)
	}
	return c, nil
}

// parsePoint reads the two words of a line.
func parsePoint(words []string) (Point, error) {
	if len(words) != 2 {
		return Point{}, fmt.Errorf("%d words; want a size in bytes and a share in percent, such as 10000 15", len(words))
	}
	size, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return Point{}, fmt.Errorf("%q is not a whole number of bytes", words[0])
	}
	percent, err := strconv.ParseFloat(words[1], 64)
	if err != nil {
		return Point{}, fmt.Errorf("%q is not a number", words[1])
	}
	return Point{units.Bytes(size), percent}, nil
}
