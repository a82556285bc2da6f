package strictyaml

import "testing"

// Of words that are equally near all are named: none of them is more likely to have been meant.
func TestEquallyNearWordsAreAllNamed(t *testing.T) {
	adapters := []string{"ideal", "connectx5", "connectx6", "connectx7"}
	for word, want := range map[string]string{
		"connectx8": `did you mean "connectx5" or "connectx6" or "connectx7"?`,
		"conectx6":  `did you mean "connectx6"?`,
		"realtek":   "want one of ideal, connectx5, connectx6, connectx7",
	} {
		if got := meant(word, adapters); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}
