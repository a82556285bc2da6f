package calibrate_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/calibrate"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

func read(t *testing.T, text string) []calibrate.Table {
	t.Helper()
	tables, err := calibrate.Read("lab.txt", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

const rule = "---------------------------------------------------------------------------------------\n"

// What perftest prints is read, with all that it says around its tables: several tests in
// one file, MB/sec, which is MiB/s, beside Gb/sec, and latency.
func TestOutputOfPerftestIsRead(t *testing.T) {
	tables := read(t, `
************************************
* Waiting for client to connect... *
************************************
`+rule+`                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_0
 Number of qps   : 2		Transport type : IB
 Connection type : UC		Using SRQ      : OFF
 PCIe relax order: ON
 TX depth        : 64
 CQ Moderation   : 1
 Mtu             : 1024[B]
 Link type       : Ethernet
 GID index       : 3
 Max inline data : 0[B]
 rdma_cm QPs	 : OFF
 Data ex. method : Ethernet
`+rule+` local address: LID 0000 QPN 0x0127 PSN 0x9a9dd3 RKey 0x1c0ff2 VAddr 0x007f1a2b3c4000
 GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:01
`+rule+programs.BandwidthHeader+`
Conflicting CPU frequency values detected: 1200.000000 != 3400.000000. CPU Frequency is not max.
 65536      10000            11700.10           11687.21		   0.186995
`+rule+`
                    Send Latency Test
 TX depth        : 1
`+rule+programs.LatencyHeader+`
 2       1000          1.01           5.02         1.05     	       1.06        	0.05   		1.10    		2.30   
 4       1000          1.02           5.02         1.06     	       1.06        	0.05   		1.10    		2.30   
`+rule)
	if len(tables) != 2 {
		t.Fatalf("%d tables, want 2", len(tables))
	}
	bw, lat := tables[0], tables[1]
	if bw.Test != programs.WriteBW || bw.Service != rnic.UC || bw.QPs != 2 || bw.TxDepth != 64 || bw.CQMod != 1 || bw.MTU != 1024 || bw.Inline == nil || bw.Iterations != 5000 {
		t.Errorf("options %+v", bw.Options)
	}
	// 0.186995 million messages of 65536 B a second are 11687.19 MiB/s.
	if got, want := bw.Rows[0].Average, 0.186995e6*8*65536; len(bw.Rows) != 1 || got < 0.9999*want || got > 1.0001*want {
		t.Errorf("rows %+v, want %.0f bit/s", bw.Rows, want)
	}
	if lat.Test != programs.SendLat || len(lat.Rows) != 2 || lat.Rows[1].Size != 4 || lat.Rows[1].Typical != 1060*units.Nanosecond {
		t.Errorf("%v: rows %+v", lat.Test, lat.Rows)
	}
}

// A small bandwidth is printed with two digits, which the message rate beside it completes.
func TestMessageRatesCompleteSmallBandwidths(t *testing.T) {
	file, err := os.Open("testdata/write_bw-one-qp.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tables, err := calibrate.Read("testdata/write_bw-one-qp.txt", file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tables[0].Rows[0].Average, 8.26e6*32; len(tables[0].Rows) != 9 || got != want {
		t.Errorf("%d rows, the first of %v bit/s, want 9 and %v", len(tables[0].Rows), got, want)
	}
}

// What is no output of perftest is told in a line, with where it stands.
func TestBadOutputIsToldWithItsLine(t *testing.T) {
	title := "                    RDMA_Write BW Test\n"
	for _, c := range []struct{ text, want string }{
		{"", "lab.txt:1: no table of perftest; want"},
		{programs.BandwidthHeader + "\n", "lab.txt:1: a table without a title; want"},
		{title + programs.LatencyHeader + "\n", "lab.txt:2: not the columns of ib_write_bw"},
		{title + programs.BandwidthHeader + "\n", "lab.txt:1: a table of ib_write_bw without a row"},
		{title + programs.BandwidthHeader + "\n 64 5000 1.0\n", "lab.txt:3: 3 columns, want at least 5"},
		{title + programs.BandwidthHeader + "\n 64 5000 0.00 inf 0.00\n", `lab.txt:3: "inf": not a positive figure in column 4`},
		{title + programs.BandwidthHeader + "\n 64 5000 0.00 -3 0.00\n", `lab.txt:3: "-3": not a positive figure`},
		{title + programs.BandwidthHeader + "\n 0 5000 0.00 3 0.00\n", `lab.txt:3: "0": not a number of bytes`},
		{title + " Mtu             : big[B]\n", `lab.txt:2: Mtu "big": not a number`},
		{title + " Connection type : DC\n", `lab.txt:2: connection type "DC": want RC, UC or UD`},
		{"                    Atomic FETCH_AND_ADD BW Test\n", "lab.txt:1: \"Atomic FETCH_AND_ADD BW Test\": not a test that can be fitted"},
		{title + " #bytes #sl #iterations BW\n", "lab.txt:2: a table with other columns"},
	} {
		_, err := calibrate.Read("lab.txt", strings.NewReader(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}
