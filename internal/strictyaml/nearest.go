package strictyaml

import "strings"

// longestWord bounds the work of a spelling suggestion; nobody misspells a key of this length.
const longestWord = 64

// Nearest returns the candidate whose spelling is closest to word, or "" if none is close enough to be what was
// meant. Of equally close ones the first is returned. Case, hyphens, underscores and blanks do not count.
func Nearest(word string, candidates []string) string {
	if all := nearest(word, candidates); len(all) > 0 {
		return all[0]
	}
	return ""
}

// nearest returns all candidates that are as close as the closest.
func nearest(word string, candidates []string) (all []string) {
	best := 1 + longestWord
	for _, c := range candidates {
		if len(word) > longestWord || len(c) > longestWord {
			continue
		}
		switch d := distance(fold(word), fold(c)); {
		case d > (max(len(word), len(c))+1)/3 || d > best:
		case d < best:
			best, all = d, []string{c}
		default:
			all = append(all, c)
		}
	}
	return all
}

func fold(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

// distance is the optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours,
// one each.
func distance(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range cur {
		cur[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, prev, cur = prev, cur, before
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
	}
	return cur[len(b)]
}

// meant turns a suggestion into the second half of a problem: the nearest spelling, several if they are equally near, or else
// all the possibilities.
func meant(word string, candidates []string) string {
	if near := nearest(word, candidates); len(near) > 0 {
		return `did you mean "` + strings.Join(near, `" or "`) + `"?`
	}
	return "want " + oneOf(candidates)
}

// oneOf lists possibilities as a sentence does.
func oneOf(words []string) string {
	switch len(words) {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	}
	return "one of " + strings.Join(words, ", ")
}
