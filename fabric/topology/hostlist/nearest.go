package hostlist

import (
	"fmt"
	"strings"
)

// mostCompared bounds the work of a suggestion.
const mostCompared = 10_000

// Nearest returns the candidate that takes the fewest changes of a letter to become name (Levenshtein), the first of
// several. It is empty if none is near, that is, if more than a third of the name would have to change. A name that
// differs in its numbers only is not near: whoever writes h16 where the last host is h15 did not mean h1. Of very many
// candidates the first are looked at.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", 1+max(1, len(name)/3)
	for _, candidate := range candidates[:min(len(candidates), mostCompared)] {
		if unlike := len(name) - len(candidate); max(unlike, -unlike) >= bestDistance {
			continue
		}
		if d := distance(name, candidate); d < bestDistance && letters(name) != letters(candidate) {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// letters returns name without its digits.
func letters(name string) string {
	return strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return -1
		}
		return c
	}, name)
}

// distance is the number of letters to insert, to delete or to replace to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distance from the part of a seen so far to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// DidYouMean returns a hint at what could stand in place of an unknown name: `did you mean "leaf0"?`, or else what
// there is: "one of h0, h1, h2 … h31".
func DidYouMean(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	const shown = 4
	if n := len(candidates); n > shown {
		return "one of " + strings.Join(candidates[:shown-1], ", ") + " … " + candidates[n-1]
	}
	return "one of " + strings.Join(candidates, ", ")
}
