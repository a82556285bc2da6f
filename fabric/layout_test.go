package fabric

import (
	"testing"
	"unsafe"
)

// What every frame needs of a port, a queue and a priority group fills whole cache lines,
// so that slices of them can lie on the lines' borders.
func TestWhatAFrameNeedsFillsWholeCacheLines(t *testing.T) {
	const line = 64
	var p Port
	for what, size := range map[string]uintptr{
		"a port's transmitter": unsafe.Offsetof(p.out),
		"a link":               unsafe.Sizeof(p.out),
		"an inbox":             unsafe.Sizeof(p.in),
		"a queue":              unsafe.Sizeof(egress{}),
		"a priority group":     unsafe.Sizeof(group{}),
		"a class's counters":   unsafe.Sizeof(ClassCounters{}),
	} {
		if size != line {
			t.Errorf("%s takes %d bytes, want %d", what, size, line)
		}
	}
	if size := unsafe.Sizeof(PortCounters{}); size%line != 0 {
		t.Errorf("a port's counters take %d bytes, want a multiple of %d", size, line)
	}
}
