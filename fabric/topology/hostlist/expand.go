package hostlist

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxNames bounds what one list may stand for, so that a slip such as "h[0-99999999]" is an error and not an empty memory.
const MaxNames = 1 << 20

// Expand returns the names that text stands for, in the order in which they are written. Text is a list of names with
// commas between them; within a name, "[0-3,8]" stands for each of these numbers. Spaces around names are ignored. An
// error says which part cannot be read, or which name stands there twice.
func Expand(text string) ([]string, error) {
	var names []string
	for _, pattern := range splitList(text) {
		expanded, err := expandName(strings.TrimSpace(pattern))
		if err != nil {
			return nil, err
		}
		if len(names)+len(expanded) > MaxNames {
			return nil, tooMany(text)
		}
		names = append(names, expanded...)
	}
	return names, refuseRepetition(names)
}

// splitList cuts text at the commas that stand outside brackets.
func splitList(text string) []string {
	var parts []string
	start, depth := 0, 0
	for i, c := range text {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// expandName returns what one name with any number of bracketed ranges stands for; the last range counts fastest.
func expandName(pattern string) ([]string, error) {
	if pattern == "" {
		return nil, fmt.Errorf("a name is missing")
	}
	names := []string{""}
	for rest := pattern; rest != ""; {
		plain, ranges, after, err := cutBracket(rest)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", pattern, err)
		}
		numbers, err := expandRanges(ranges)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", pattern, err)
		}
		if len(names)*len(numbers) > MaxNames {
			return nil, tooMany(pattern)
		}
		names = combine(names, plain, numbers)
		rest = after
	}
	return names, nil
}

// cutBracket splits text into what stands before its first bracket, what stands in it, and what follows. Text without
// a bracket is all plain.
func cutBracket(text string) (plain, ranges, after string, err error) {
	plain, rest, found := strings.Cut(text, "[")
	if strings.Contains(plain, "]") {
		return "", "", "", fmt.Errorf("] without [")
	}
	if !found {
		return plain, "", "", nil
	}
	ranges, after, closed := strings.Cut(rest, "]")
	switch {
	case !closed:
		return "", "", "", fmt.Errorf("[ without ]")
	case ranges == "":
		return "", "", "", fmt.Errorf("nothing between [ and ]")
	}
	return plain, ranges, after, nil
}

// expandRanges returns the numbers of "0-3,8" as text; of no text, one empty number.
func expandRanges(text string) ([]string, error) {
	if text == "" {
		return []string{""}, nil
	}
	var numbers []string
	for _, part := range strings.Split(text, ",") {
		more, err := expandRange(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, more...)
	}
	return numbers, nil
}

// expandRange returns the numbers of "8" or of "0-3".
func expandRange(text string) ([]string, error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	first, err1 := strconv.ParseUint(low, 10, 32)
	last, err2 := strconv.ParseUint(high, 10, 32)
	switch {
	case err1 != nil || err2 != nil:
		return nil, fmt.Errorf("%q is no number and no range such as 0-3", text)
	case last < first:
		return nil, fmt.Errorf("the range %q runs downwards", text)
	case last-first >= MaxNames:
		return nil, tooMany(text)
	}
	width := 0
	if strings.HasPrefix(low, "0") {
		width = len(low)
	}
	numbers := make([]string, 0, last-first+1)
	for n := first; n <= last; n++ {
		numbers = append(numbers, fmt.Sprintf("%0*d", width, n))
	}
	return numbers, nil
}

// combine returns each of the names, continued with plain and each of the numbers.
func combine(names []string, plain string, numbers []string) []string {
	combined := make([]string, 0, len(names)*len(numbers))
	for _, name := range names {
		for _, number := range numbers {
			combined = append(combined, name+plain+number)
		}
	}
	return combined
}

func refuseRepetition(names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return fmt.Errorf("%q stands there twice", name)
		}
		seen[name] = true
	}
	return nil
}

func tooMany(pattern string) error {
	return fmt.Errorf("%q stands for more than %d names", pattern, MaxNames)
}
