// Package golden finds the reference data that tests compare with: outputs of
// other simulators, which are laid beside a developer's checkout and are not part
// of the project.
package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// Required is the environment variable that makes missing reference data a
// failure instead of a skip; continuous integration sets it.
const Required = "RDMASIM_GOLDEN"

// Dir is a folder of the reference data, such as "hpcc-ns3". Without the data the
// test is skipped, with a message that says so.
func Dir(t testing.TB, name string) string {
	t.Helper()
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		dir := filepath.Join(at, "shared", "golden", name)
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	if os.Getenv(Required) != "" {
		t.Fatalf("the reference data shared/golden/%s is required here (%s is set) and missing", name, Required)
	}
	t.Skipf("the reference data shared/golden/%s is not beside this checkout", name)
	return ""
}
