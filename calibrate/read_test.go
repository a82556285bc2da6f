package calibrate_test

import (
	"math"
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

// What a lab has in its files: line ends of DOS, the column that --cpu_util adds, MiB/sec, as newer versions call
// what older ones call MB/sec, six digits for what is less than 0.1 Gb/s, tests with lists and with events, and the
// output of a server of READ, which has a header and no row.
func TestVersionsAndOptionsOfPerftestAreRead(t *testing.T) {
	tables := read(t, strings.ReplaceAll(rule+`                    RDMA_Read BW Test
 Number of qps   : 1            Transport type : IB
`+rule+programs.BandwidthHeader+`
`+rule+`                    RDMA_Write Bidirectional Post List BW Test
 Post List       : 16
`+rule+" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]    CPU_Util[%]"+`
 2          5000           0.074789            0.074266            4.641625	    5.02
`+rule+`                    Send BW Test
 Test with events. Using mlx5_0_comp0
`+rule+" #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]"+`
 65536      5000             11700.10           11687.21		   0.186995
`+rule, "\n", "\r\n"))
	if len(tables) != 2 {
		t.Fatalf("%d tables, want 2", len(tables))
	}
	if lists := tables[0]; lists.Test != programs.WriteBW || !lists.Bidirectional || lists.PostList != 16 || len(lists.Rows) != 1 || lists.Rows[0].Average != 4.641625e6*16 {
		t.Errorf("%+v", lists)
	}
	if events := tables[1]; events.Test != programs.SendBW || !events.Events || math.Abs(events.Rows[0].Average/(11687.21*8*(1<<20))-1) > 1e-9 {
		t.Errorf("%+v", events)
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
		{title + programs.BandwidthHeader + "\n", "lab.txt:1: no table with a row; want the output of the client"},
		{title + programs.BandwidthHeader + "\n 64 5000 1.0\n", "lab.txt:3: 3 columns, want at least 5"},
		{title + programs.BandwidthHeader + "\n 64 5000 0.00 inf 0.00\n", `lab.txt:3: "inf": not a positive figure in column 4`},
		{title + programs.BandwidthHeader + "\n 64 5000 0.00 -3 0.00\n", `lab.txt:3: "-3": not a positive figure`},
		{title + programs.BandwidthHeader + "\n 0 5000 0.00 3 0.00\n", `lab.txt:3: "0": not a number of bytes`},
		{title + " Mtu             : big[B]\n", `lab.txt:2: Mtu "big": want 256[B]`},
		{title + " Mtu             : 1500[B]\n", `lab.txt:2: Mtu "1500": want 256[B]`},
		{title + " Number of qps   : 99999999\n", `lab.txt:2: Number of qps "99999999": not a number from 1 to 16384`},
		{title + " CQ Moderation   : 5000\n", `lab.txt:2: CQ Moderation "5000": not a number from 1 to 1024`},
		{title + " Max inline data : 99999[B]\n", `lab.txt:2: max inline data "99999[B]": not a number of bytes, such as 220[B], of 912 at most`},
		{title + programs.BandwidthHeader + "\n 64 5000 0.00 0.0000000001 0.00\n", `lab.txt:3: "0.0000000001": not a positive figure`},
		{title + " Connection type : DC\n", `lab.txt:2: connection type "DC": want RC, UC or UD`},
		{"                    Atomic FETCH_AND_ADD BW Test\n", "lab.txt:1: \"Atomic FETCH_AND_ADD BW Test\": not a test that can be fitted"},
		{title + " #bytes #iterations BW\n", "lab.txt:2: a table with other columns"},
		{title + " #bytes    #sl      #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n", "lab.txt:2: a table of service levels"},
		{"                    RDMA_Write Latency Test\n #bytes        #iterations       t_avg[usec]    tps average\n", "lab.txt:2: a table of a test that ran for a time"},
	} {
		_, err := calibrate.Read("lab.txt", strings.NewReader(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}
