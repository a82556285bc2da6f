package explain_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/results/explain"
)

// What is explained is the directory of a run.
func ExampleLoad() {
	_, err := explain.Load("testdata")
	fmt.Println(err)
	// Output: testdata: there is no manifest.json in it: give the directory that a run has left, such as out/incast
}
