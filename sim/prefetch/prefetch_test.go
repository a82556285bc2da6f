package prefetch_test

import (
	"testing"
	"unsafe"

	"github.com/rdmasim/rdmasim/sim/prefetch"
)

// What is asked for need not exist: neither beyond the end of a slice nor at no address.
func TestAskingForMemoryChangesNothingAndMayGoAstray(t *testing.T) {
	data := []byte{1, 2, 3}
	prefetch.Lines(unsafe.Pointer(&data[0]), 1000)
	prefetch.Lines(nil, 1)
	if data[0] != 1 || data[1] != 2 || data[2] != 3 {
		t.Error("memory has changed")
	}
}
