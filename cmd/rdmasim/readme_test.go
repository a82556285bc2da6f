package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryCommandOfTheREADMERuns runs what the README tells its reader to type,
// in a folder that holds only the files it tells them to save, and looks for what it says that a comparison prints.
func TestEveryCommandOfTheREADMERuns(t *testing.T) {
	if testing.Short() {
		t.Skip("all checks and large networks are among them")
	}
	text := readREADME(t)
	t.Chdir(t.TempDir())
	save(t, fenced(text, "yaml"))
	ran, compared := 0, 0
	for _, block := range fenced(text, "sh") {
		for line := range strings.Lines(block) {
			command, found := strings.CutPrefix(line, "./rdmasim ")
			if !found {
				continue
			}
			ran++
			code, output := quietly(t, strings.Fields(command))
			if code != 0 {
				t.Errorf("%q: exit %d\n%s", line, code, output)
			}
			if strings.HasPrefix(command, "compare ") {
				compared++
				shown := fenced(text, "text")[compared]
				for row := range strings.Lines(shown) {
					if !strings.Contains(output, row) {
						t.Errorf("%q: the README shows\n%s\nit prints\n%s", line, row, output)
					}
				}
			}
		}
	}
	if ran < 8 {
		t.Errorf("found only %d commands in the README", ran)
	}
}

// TestTheMistakeInTheREADMEIsToldAsItSays makes the mistake.
func TestTheMistakeInTheREADMEIsToldAsItSays(t *testing.T) {
	text := readREADME(t)
	t.Chdir(t.TempDir())
	wrong := fenced(text, "yaml")[:1]
	wrong[0] = strings.Replace(wrong[0], "size: 1MB", "size: 1Mb", 1)
	save(t, wrong)
	want := fenced(text, "text")[0]
	if code, output := quietly(t, []string{"validate", "mine.yaml"}); code != 2 || output != want {
		t.Errorf("exit %d\n%s\nthe README says exit 2\n%s", code, output, want)
	}
}

// TestThePageOnApplicationsCanBeRun runs the scenarios of docs/programs.md by RDMA and over TCP.
func TestThePageOnApplicationsCanBeRun(t *testing.T) {
	text := readPage(t, "../../docs/programs.md")
	t.Chdir(t.TempDir())
	for _, scenario := range fenced(text, "yml") {
		save(t, []string{scenario})
		for _, transport := range []string{"rocev2", "tcp"} {
			if code, output := quietly(t, []string{"run", "mine.yaml", "--set", "host.transport=" + transport}); code != 0 {
				t.Errorf("over %s: exit %d\n%s", transport, code, output)
			}
		}
	}
}

// TestThePageOnReplayCanBeRun saves what docs/replay.md has its reader save, in a folder where the repository's own traces are, and runs
// what it says to run.
func TestThePageOnReplayCanBeRun(t *testing.T) {
	text := readPage(t, "../../docs/replay.md")
	traces, err := filepath.Abs("../../scenarios")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(traces, "scenarios"); err != nil {
		t.Skip(err)
	}
	ran := 0
	for _, block := range fenced(text, "sh") {
		for _, m := range regexp.MustCompile("(?s)cat > (\\S+) <<'END'\n(.*?)END\n").FindAllStringSubmatch(block, -1) {
			if err := os.WriteFile(m[1], []byte(m[2]), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range regexp.MustCompile(`(?m)^rdmasim (.*)$`).FindAllStringSubmatch(block, -1) {
			ran++
			if code, output := quietly(t, strings.Fields(m[1])); code != 0 {
				t.Errorf("%q: exit %d\n%s", m[1], code, output)
			}
		}
	}
	if ran < 5 {
		t.Errorf("%d commands, want one of each format", ran)
	}
}

// TestThePageOnPerftestShowsWhatIsPrinted runs the scenarios of docs/perftest.md, and fits what it says it has fitted.
func TestThePageOnPerftestShowsWhatIsPrinted(t *testing.T) {
	text := readPage(t, "../../docs/perftest.md")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	shown := fenced(text, "text")
	for i, scenario := range fenced(text, "yml") {
		save(t, []string{scenario})
		code, output := quietly(t, []string{"run", "mine.yaml"})
		if code != 0 || i == 0 && !strings.Contains(output, shown[0]) {
			t.Errorf("exit %d\n%s\nthe page shows\n%s", code, output, shown[0])
		}
	}
	if testing.Short() {
		return // seconds of search
	}
	code, output := quietly(t, []string{"calibrate", filepath.Join(root, "calibrate/testdata/write_bw-one-qp.txt")})
	if code != 0 || !strings.Contains(output, shown[1]) {
		t.Errorf("exit %d\n%s\nthe page shows\n%s", code, output, shown[1])
	}
}

// TestThePageOnComparisonsShowsWhatIsPrinted runs the commands of docs/compare.md in their order, on the scenario that it shows.
func TestThePageOnComparisonsShowsWhatIsPrinted(t *testing.T) {
	text := readPage(t, "../../docs/compare.md")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("transfer.yaml", []byte(fenced(text, "yaml")[0]), 0o666); err != nil {
		t.Fatal(err)
	}
	last, ran := "", 0
	for _, block := range fenced(text, "sh") {
		for line := range strings.Lines(block) {
			command, _, _ := strings.Cut(line, "#")
			code, output := quietly(t, strings.Fields(command)[1:])
			if code != 0 {
				t.Errorf("%q: exit %d\n%s", line, code, output)
			}
			last = output
			ran++
		}
	}
	if shown := fenced(text, "text")[0]; ran < 6 || !strings.Contains(last, shown) {
		t.Errorf("%d commands; the last printed\n%s\nthe page shows\n%s", ran, last, shown)
	}
}

func readREADME(t *testing.T) string { return readPage(t, "../../README.md") }

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// save saves the YAML files that a page shows: the first as mine.yaml, the others by the names of their scenarios.
func save(t *testing.T, files []string) {
	t.Helper()
	if len(files) == 0 {
		t.Fatal("no YAML file, want the one called mine.yaml")
	}
	for i, file := range files {
		name := "mine.yaml"
		if i > 0 {
			first, _, _ := strings.Cut(file, "\n")
			name = strings.TrimPrefix(first, "name: ") + ".yaml"
		}
		if err := os.WriteFile(name, []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// fenced lists the fenced blocks of a language.
func fenced(text, language string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// quietly runs a command line and returns its exit code and what it printed.
func quietly(t *testing.T, args []string) (code int, output string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "output")
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	code = execute(args, out, out)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return code, string(text)
}
