package goal

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAnIndexTellsWhereOperationsStand(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "some.goal")
	text := "num_ranks 2\nrank 0 {\n/* two\nlines */\nl7: calc 1\nsend 8b to 1\n}\nrank 1 {\nlast: recv 8b from 0\nlast2: calc 3\nlast2 requires last\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := Locate(path)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[place]string{{0, 0}: "line 5 (l7)", {0, 1}: "line 6", {1, 0}: "line 9 (last)", {1, 1}: "line 10 (last2)", {1, 2}: "", {2, 0}: ""} {
		if got := x.Where(at.rank, at.op); got != want {
			t.Errorf("rank %d, operation %d: %q, want %q", at.rank, at.op, got, want)
		}
	}
	if err := os.WriteFile(path, []byte("\x7f\x10\x00\x00\x00\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if x, err = Locate(path); err != nil || x.Where(0, 3) != "record 3" {
		t.Errorf("%q, %v", x.Where(0, 3), err)
	}
}
