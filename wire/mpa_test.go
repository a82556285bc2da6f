package wire_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/wire"
	"pgregory.net/rapid"
)

// octets reads hexadecimal digits; blanks count for nothing.
func octets(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// count is the payload 0, 1, 2 and so on.
func count(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// Frames whose CRC32C a protocol analyser has found to be right: a SEND of 32 bytes, a
// WRITE of 8, and a READ request of 64.
func TestFPDUsAreThoseOfTheStandards(t *testing.T) {
	read := wire.RDMAPRead{Sink: 0x1111, SinkAt: 0x7F0000000000, Bytes: 64, Source: 0xABCDEF, SourceAt: 0x7F0012345000}
	for _, tc := range []struct {
		name    string
		h       wire.DDP
		payload []byte
		want    string
	}{
		{"SEND", wire.DDP{Op: wire.RDMAPSend, Last: true, Queue: wire.SendQueue, Message: 1}, count(32),
			"0032 4143 00000000 00000000 00000001 00000000 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f e373ac92"},
		{"WRITE", wire.DDP{Op: wire.RDMAPWrite, Last: true, STag: 0xABCDEF, Offset: 0x7F0012345000}, count(8),
			"0016 c140 00abcdef 00007f0012345000 0001020304050607 fd51ee5f"},
		{"READ request", wire.DDP{Op: wire.RDMAPReadRequest, Last: true, Queue: wire.ReadRequestQueue, Message: 1}, read.Append(nil),
			"002e 4141 00000000 00000001 00000001 00000000 00001111 00007f0000000000 00000040 00abcdef 00007f0012345000 c429a430"},
	} {
		segment := append(tc.h.Append(nil), tc.payload...)
		want := octets(t, tc.want)
		if got := wire.AppendFPDU(nil, segment); !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x\nwant %x", tc.name, got, want)
		}
		if got := wire.FPDUBytes(len(segment)); got != len(want) {
			t.Errorf("%s: reckoned to %d bytes, want %d", tc.name, got, len(want))
		}
		back, rest, err := wire.ParseFPDU(append(want, 0xEE))
		if err != nil || !bytes.Equal(back, segment) || !bytes.Equal(rest, []byte{0xEE}) {
			t.Fatalf("%s: read as %x with %x left, %v", tc.name, back, rest, err)
		}
		h, payload, err := wire.ParseDDP(back)
		if err != nil || h != tc.h || !bytes.Equal(payload, tc.payload) {
			t.Errorf("%s: the segment is read as %+v with %x, %v", tc.name, h, payload, err)
		}
	}
	if back, err := wire.ParseRDMAPRead(read.Append(nil)); err != nil || back != read {
		t.Errorf("the READ request is read as %+v, %v", back, err)
	}
	if _, err := wire.ParseRDMAPRead(count(27)); err == nil {
		t.Error("27 bytes were read as a READ request")
	}
}

func TestMPAStartsWithAKeyAndFlags(t *testing.T) {
	request := wire.MPAStart{CRC: true, Revision: 1}
	want := octets(t, "4d504120494420526571204672616d65 40 01 0000")
	if got := request.Append(nil); !bytes.Equal(got, want) {
		t.Errorf("the request is %x, want %x", got, want)
	}
	for _, s := range []wire.MPAStart{
		request,
		{Reply: true, CRC: true, Markers: true, Revision: 1, PrivateData: []byte("hello")},
		{Reply: true, Rejected: true, Revision: 2},
	} {
		b := s.Append(nil)
		for cut := range len(b) {
			if _, _, err := wire.ParseMPAStart(b[:cut]); !errors.Is(err, wire.ErrIncomplete) {
				t.Errorf("%d of %d bytes: %v, want that it is incomplete", cut, len(b), err)
			}
		}
		back, rest, err := wire.ParseMPAStart(append(b, 7))
		if err != nil || back.Reply != s.Reply || back.CRC != s.CRC || back.Markers != s.Markers || back.Rejected != s.Rejected ||
			back.Revision != s.Revision || !bytes.Equal(back.PrivateData, s.PrivateData) || len(rest) != 1 {
			t.Errorf("%+v is read as %+v with %x left, %v", s, back, rest, err)
		}
	}
	if _, _, err := wire.ParseMPAStart([]byte("GET / HTTP/1.1 and more")); err == nil || errors.Is(err, wire.ErrIncomplete) {
		t.Errorf("a request of another protocol: %v", err)
	}
	long := (&wire.MPAStart{PrivateData: make([]byte, 513)}).Append(nil)
	if _, _, err := wire.ParseMPAStart(long); err == nil || errors.Is(err, wire.ErrIncomplete) {
		t.Errorf("513 bytes of private data: %v", err)
	}
}

// With a segment size of TCP of m, an FPDU has length 2, headers, payload, padding to a
// multiple of four and CRC 4: floor4(m-4)-2-headers of payload fit.
func TestAFullSegmentFillsATCPSegment(t *testing.T) {
	for _, tc := range []struct {
		mss    int
		op     wire.RDMAP
		most   int
		onWire int // of the FPDU
	}{
		{1460, wire.RDMAPWrite, 1440, 1460},
		{1460, wire.RDMAPReadResponse, 1440, 1460},
		{1460, wire.RDMAPSend, 1436, 1460},
		{8960, wire.RDMAPWrite, 8940, 8960},
		{1461, wire.RDMAPWrite, 1440, 1460}, // of 1461 bytes one cannot be used
		{20, wire.RDMAPSend, 0, 24},
	} {
		got := wire.SegmentPayload(tc.mss, tc.op.Headers())
		if got != tc.most {
			t.Errorf("%v, MSS %d: %d bytes of payload, want %d", tc.op, tc.mss, got, tc.most)
		}
		if size := wire.FPDUBytes(tc.op.Headers() + got); size != tc.onWire {
			t.Errorf("%v, MSS %d: an FPDU of %d bytes, want %d", tc.op, tc.mss, size, tc.onWire)
		}
	}
}

// Whatever the sizes, the largest payload fits into a TCP segment, and one more byte does not.
func TestOneMoreByteWouldNotFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mss := rapid.IntRange(64, 9000).Draw(t, "MSS")
		op := rapid.SampledFrom([]wire.RDMAP{wire.RDMAPWrite, wire.RDMAPSend}).Draw(t, "opcode")
		most := wire.SegmentPayload(mss, op.Headers())
		if fits := wire.FPDUBytes(op.Headers() + most); fits > mss {
			t.Fatalf("%d bytes make an FPDU of %d", most, fits)
		}
		if over := wire.FPDUBytes(op.Headers() + most + 1); over <= mss {
			t.Fatalf("%d bytes would still make an FPDU of %d", most+1, over)
		}
	})
}

// A stream cut anywhere is incomplete; a bit that is wrong anywhere but in the length is found.
func TestAStreamIsReadFrameByFrame(t *testing.T) {
	h := wire.DDP{Op: wire.RDMAPSend, Message: 3, At: 1436}
	var stream []byte
	for _, n := range []int{0, 1, 2, 3, 5, 1436} {
		stream = wire.AppendFPDU(stream, append(h.Append(nil), count(n)...))
	}
	rest := stream
	for _, n := range []int{0, 1, 2, 3, 5, 1436} {
		size := wire.FPDUBytes(wire.UntaggedBytes + n)
		for _, cut := range []int{0, 1, size / 2, size - 1} {
			if _, _, err := wire.ParseFPDU(rest[:cut]); !errors.Is(err, wire.ErrIncomplete) {
				t.Errorf("%d of %d bytes: %v", cut, size, err)
			}
		}
		broken := bytes.Clone(rest[:size])
		broken[size/2] ^= 4
		if _, _, err := wire.ParseFPDU(broken); err == nil || errors.Is(err, wire.ErrIncomplete) {
			t.Errorf("a wrong bit in an FPDU of %d bytes: %v", size, err)
		}
		segment, after, err := wire.ParseFPDU(rest)
		if err != nil || len(segment) != wire.UntaggedBytes+n {
			t.Fatalf("a segment of %d bytes, want %d; %v", len(segment), wire.UntaggedBytes+n, err)
		}
		rest = after
	}
	if len(rest) != 0 {
		t.Errorf("%d bytes are left", len(rest))
	}
}

func TestWhatIsNoSegmentIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                    "",
		"DDP version 0":              "4043 00000000 00000000 00000001 00000000",
		"RDMAP version 2":            "4183 00000000 00000000 00000001 00000000",
		"an unknown opcode":          "414c 00000000 00000000 00000001 00000000",
		"a SEND that is tagged":      "c143 00abcdef 00007f0012345000",
		"a WRITE that is not tagged": "4140 00000000 00000000 00000001 00000000",
		"a header that is cut":       "4143 00000000 00000000 00000001 000000",
	} {
		if h, _, err := wire.ParseDDP(octets(t, text)); err == nil {
			t.Errorf("%s was read as %+v", name, h)
		}
	}
}

// Whatever parses says the same when it is written again.
func FuzzFPDU(f *testing.F) {
	f.Add(wire.AppendFPDU(nil, (&wire.DDP{Op: wire.RDMAPWrite, STag: 1, Offset: 2}).Append(nil)))
	f.Add([]byte{0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		segment, rest, err := wire.ParseFPDU(b)
		if err != nil {
			return
		}
		again := wire.AppendFPDU(nil, segment)
		if back, _, err := wire.ParseFPDU(again); err != nil || !bytes.Equal(back, segment) || len(again) != len(b)-len(rest) {
			t.Errorf("%x, written and read again: %x, %v", segment, back, err)
		}
	})
}
