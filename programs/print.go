package programs

import (
	"fmt"
	"io"
	"strings"

	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Headers of perftest's tables, by which scripts know them.
const (
	LatencyHeader    = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] "
	BandwidthHeader  = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]"
	BandwidthHeaderG = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]"
)

const rule = "---------------------------------------------------------------------------------------\n"

var titles = [...]string{
	WriteLat: "RDMA_Write Latency Test", SendLat: "Send Latency Test", ReadLat: "RDMA_Read Latency Test", AtomicLat: "Atomic Latency Test",
	WriteBW: "RDMA_Write BW Test", SendBW: "Send BW Test", ReadBW: "RDMA_Read BW Test",
}

// WriteText writes the results as perftest prints them, with its headers and columns: times in
// microseconds, bandwidth in MiB/s, which it calls MB/sec, or in Gb/s.
func (p *Perftest) WriteText(w io.Writer) error {
	var b strings.Builder
	b.WriteString(rule)
	fmt.Fprintf(&b, "%20s%s\n", "", p.title())
	if p.Events {
		b.WriteString(" Test with events.\n")
	}
	p.writeOptions(&b)
	b.WriteString(rule)
	switch {
	case p.Test.MeasuresLatency():
		b.WriteString(LatencyHeader + "\n")
	case p.Gbits:
		b.WriteString(BandwidthHeaderG + "\n")
	default:
		b.WriteString(BandwidthHeader + "\n")
	}
	for _, r := range p.Results() {
		b.WriteString(r.line(p.Gbits) + "\n")
	}
	b.WriteString(rule)
	_, err := io.WriteString(w, b.String())
	return err
}

// title is that of the test, with what it names of the options.
func (p *Perftest) title() string {
	title := titles[p.Test]
	switch {
	case p.Test == AtomicLat && p.Atomic == rnic.CompareSwap:
		return strings.Replace(title, "Atomic", "Atomic CMP_AND_SWAP", 1)
	case p.Test == AtomicLat:
		return strings.Replace(title, "Atomic", "Atomic FETCH_AND_ADD", 1)
	}
	if p.PostList > 1 {
		title = strings.Replace(title, "BW", "Post List BW", 1)
	}
	if p.Bidirectional {
		title = strings.Replace(title, " ", " Bidirectional ", 1)
	}
	return title
}

// writeOptions writes what perftest says of its options, as far as there is any of it here.
func (p *Perftest) writeOptions(b *strings.Builder) {
	fmt.Fprintf(b, " %-16s: %-16s %s\n", "Client", p.clientName, "simulated by rdmasim")
	fmt.Fprintf(b, " %-16s: %s\n", "Server", p.serverName)
	fmt.Fprintf(b, " %-16s: %-12d Transport type : %s\n", "Number of qps", p.QPs, p.Transport.kind())
	fmt.Fprintf(b, " %-16s: %s\n", "Connection type", p.Connection())
	fmt.Fprintf(b, " %-16s: %d\n", "TX depth", p.TxDepth)
	if p.PostList > 1 {
		fmt.Fprintf(b, " %-16s: %d\n", "Post List", p.PostList)
	}
	if p.Test.sends() && p.Transport != TCP {
		fmt.Fprintf(b, " %-16s: %d\n", "RX depth", p.RxDepth)
	}
	if !p.Test.MeasuresLatency() && p.Transport != TCP {
		fmt.Fprintf(b, " %-16s: %d\n", "CQ Moderation", p.CQMod)
	}
	fmt.Fprintf(b, " %-16s: %d[B]\n", "Mtu", p.mtu)
	fmt.Fprintf(b, " %-16s: %s\n", "Link type", p.Transport.link())
	if !p.Test.roundTrip() && p.Test != ReadBW && p.Transport != TCP {
		fmt.Fprintf(b, " %-16s: %d[B]\n", "Max inline data", int64(*p.Inline))
	}
}

// line is a row of the table.
func (r *Result) line(gbits bool) string {
	if l := r.Latency; l != nil {
		return fmt.Sprintf(" %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f",
			int64(r.Size), r.Iterations, micros(l.Min), micros(l.Max), micros(l.Typical), micros(l.Average), micros(l.Stdev), micros(l.P99), micros(l.P999))
	}
	format := " %-7d    %-10d       %-7.2f            %-7.2f\t\t   %-7.6f"
	if gbits && inUnit(r.Bandwidth.Average, gbits) < 0.1 {
		format = " %-7d    %d           %-7.6f            %-7.6f            %-7.6f"
	}
	return fmt.Sprintf(format,
		int64(r.Size), r.Iterations, inUnit(r.Bandwidth.Peak, gbits), inUnit(r.Bandwidth.Average, gbits), r.Bandwidth.MessageRate/1e6)
}

func micros(t units.Time) float64 { return float64(t) / float64(units.Microsecond) }

// inUnit is a rate in Gb/s or in MiB/s.
func inUnit(r units.Rate, gbits bool) float64 {
	if gbits {
		return float64(r) / 1e9
	}
	return float64(r) / 8 / float64(units.MiB)
}
