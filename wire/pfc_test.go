package wire_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/wire"
)

var source = [6]byte{2, 0, 0, 0, 0, 1}

// frame is a PFC frame from the source above with 26 bytes of padding, given from
// the class vector on.
func frame(t *testing.T, classesAndTimes string) []byte {
	t.Helper()
	b, err := hex.DecodeString("0180c2000001" + "020000000001" + "8808" + "0101" +
		strings.ReplaceAll(classesAndTimes, " ", "") + strings.Repeat("00", 26))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// IEEE 802.1Qbb: a MAC control frame with opcode 0101, the class vector, and eight
// times in quanta, priority 0 first.
func TestPFCFramesAreThoseOfTheStandard(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    wire.PFC
		want string
	}{
		{"XOFF of priority 3", wire.PFC{Classes: 1 << 3, Quanta: [8]uint16{3: 0xFFFF}},
			"0008 0000 0000 0000 ffff 0000 0000 0000 0000"},
		{"XON of priority 3", wire.PFC{Classes: 1 << 3},
			"0008 0000 0000 0000 0000 0000 0000 0000 0000"},
		{"XOFF of 0 and 7, XON of 4", wire.PFC{Classes: 1<<0 | 1<<4 | 1<<7, Quanta: [8]uint16{0: 1, 7: 0x1234}},
			"0091 0001 0000 0000 0000 0000 0000 0000 1234"},
	} {
		got := tc.f.Append(nil, source)
		if want := frame(t, tc.want); !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x\nwant %x", tc.name, got, want)
		}
		if len(got)+4 != wire.MinFrame {
			t.Errorf("%s: %d bytes with FCS, want a minimum frame", tc.name, len(got)+4)
		}
		if back, err := wire.ParsePFC(got); err != nil || back != tc.f {
			t.Errorf("%s: read back as %+v, %v", tc.name, back, err)
		}
	}
}

func TestPFCFramesAreAppended(t *testing.T) {
	f := wire.PFC{Classes: 1}
	got := f.Append([]byte{0xAA}, source)
	if got[0] != 0xAA || len(got) != 61 {
		t.Errorf("appended to one byte: %x", got)
	}
}

// A time whose class is not enabled is ignored (802.1Qbb), and so is the FCS.
func TestTimesOfClassesNotEnabledAreIgnored(t *testing.T) {
	b := append(frame(t, "0008 ffff ffff ffff 0001 ffff ffff ffff ffff"), 1, 2, 3, 4)
	got, err := wire.ParsePFC(b)
	if want := (wire.PFC{Classes: 1 << 3, Quanta: [8]uint16{3: 1}}); err != nil || got != want {
		t.Errorf("read as %+v, %v; want %+v", got, err, want)
	}
}

func TestOtherFramesAreNotPFC(t *testing.T) {
	good := frame(t, "0008 0000 0000 0000 ffff 0000 0000 0000 0000")
	for name, change := range map[string]func([]byte) []byte{
		"cut short":           func(b []byte) []byte { return b[:59] },
		"another destination": func(b []byte) []byte { b[5] = 2; return b },
		"an IPv4 frame":       func(b []byte) []byte { b[12], b[13] = 0x08, 0x00; return b },
		"the pause of 802.3x": func(b []byte) []byte { b[15] = 1; b[14] = 0; return b },
		"nothing":             func([]byte) []byte { return nil },
		"a unicast MAC frame": func(b []byte) []byte { b[0] = 0; return b },
	} {
		if _, err := wire.ParsePFC(change(bytes.Clone(good))); err == nil {
			t.Errorf("%s was read as PFC", name)
		}
	}
}

// Whatever parses says the same when it is written again.
func FuzzPFC(f *testing.F) {
	pfc := wire.PFC{Classes: 0x91, Quanta: [8]uint16{0: 1, 7: 0x1234}}
	f.Add(pfc.Append(nil, source))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := wire.ParsePFC(b)
		if err != nil {
			return
		}
		again, err := wire.ParsePFC(first.Append(nil, [6]byte(b[6:12])))
		if err != nil || again != first {
			t.Errorf("%+v, written and read again: %+v, %v", first, again, err)
		}
	})
}
