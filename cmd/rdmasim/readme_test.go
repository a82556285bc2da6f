package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// refused marks a command of the README that is there to show a refusal.
const refused = "# refused, exit 2"

// TestEveryCommandOfTheREADMERuns runs what the README tells its reader to type,
// in a folder that holds only the file it tells them to save.
func TestEveryCommandOfTheREADMERuns(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	saved := fenced(string(text), "yaml")
	if len(saved) != 1 {
		t.Fatalf("the README has %d YAML files, want the one it calls mine.yaml", len(saved))
	}
	if err := os.WriteFile("mine.yaml", []byte(saved[0]), 0o666); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, block := range fenced(string(text), "sh") {
		for line := range strings.Lines(block) {
			command, found := strings.CutPrefix(line, "go run ./cmd/rdmasim ")
			if !found {
				continue
			}
			ran++
			want := 0
			if strings.Contains(command, refused) {
				want = 2
			}
			command, _, _ = strings.Cut(command, "#")
			if code := quietly(t, strings.Fields(command)); code != want {
				t.Errorf("%q: exit %d, want %d", line, code, want)
			}
		}
	}
	if ran < 8 {
		t.Errorf("found only %d commands in the README", ran)
	}
}

// fenced lists the fenced blocks of a language.
func fenced(text, language string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// quietly runs a command line with its output in a file.
func quietly(t *testing.T, args []string) int {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	return execute(args, out, out)
}
