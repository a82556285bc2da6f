package hpccns3

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/verify"
)

// seeds is over how many seeds of our own the spread is measured. The reference has
// seed 1; ours are those that follow.
const seeds = 10

// wide is half the width of a band in which one more run lies in 999 of 1000 cases, in
// standard deviations over ten: Student's t for nine degrees of freedom, 4.781, times
// the root of 1+1/10.
const wide = 5.014

// bucket is flows up to a size, and above that of the bucket before.
type bucket struct {
	upTo units.Bytes
	name string
}

var buckets = [...]bucket{{10 * units.KB, "up to 10 KB"}, {100 * units.KB, "up to 100 KB"}, {units.MB, "up to 1 MB"}, {math.MaxInt64, "above 1 MB"}}

var percentiles = [...]int{50, 95, 99}

// few is how many flows are too few for percentiles of all buckets.
const few = 400

// isRandom tells whether coins decide anything in the case, with flows enough for percentiles.
func (c *Case) isRandom(flows int) bool {
	kmin, kmax := c.byRate("KMIN_MAP"), c.byRate("KMAX_MAP")
	for _, rate := range switchRates(c.topology) {
		if a, b := kmin[int64(rate)], kmax[int64(rate)]; a != nil && b != nil && a.Cmp(b) < 0 {
			return flows >= few && c.word("CC_MODE", "1") == "1" && c.Unsupported() == ""
		}
	}
	return false
}

// distribution is the percentiles of completion times, in microseconds, by bucket.
type distribution [len(buckets)][len(percentiles)]float64

// distribute makes one of sizes and times.
func distribute(n int, flow func(i int) (units.Bytes, units.Time)) (d distribution) {
	var times [len(buckets)][]float64
	for i := range n {
		size, took := flow(i)
		b := slices.IndexFunc(buckets[:], func(b bucket) bool { return size <= b.upTo })
		times[b] = append(times[b], took.Microseconds())
	}
	for b := range times {
		slices.Sort(times[b])
		for k, p := range percentiles {
			if len(times[b]) > 0 {
				d[b][k] = times[b][(len(times[b])-1)*p/100]
			}
		}
	}
	return d
}

func distributionOf(c *host.Cluster) distribution {
	return distribute(len(c.Flows), func(i int) (units.Bytes, units.Time) {
		return c.Flows[i].Payload(), c.Transfer(i).End - c.Flows[i].Start
	})
}

// spread holds the percentiles of the reference against those of runs with coins of
// our own.
func (c *Case) spread(ctx context.Context, there []finish) ([]verify.Row, error) {
	reference := distribute(len(there), func(i int) (units.Bytes, units.Time) { return units.Bytes(there[i].size), there[i].took })
	ours, err := c.distributions(ctx)
	if err != nil {
		return nil, err
	}
	var rows []verify.Row
	for b := range buckets {
		for k, p := range percentiles {
			rows = append(rows, spreadRow(buckets[b].name, p, reference[b][k], column(ours, b, k)))
		}
	}
	return rows, nil
}

// distributions are those of runs with the seeds after the reference's. They outlast all
// other checks, so that they share the cores among themselves.
func (c *Case) distributions(ctx context.Context) ([]distribution, error) {
	if _, err := c.Scenario(Profile); err != nil {
		return nil, err
	}
	all, faults := make([]distribution, seeds), make([]error, seeds)
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var running sync.WaitGroup
	for i := range all {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			run, err := c.Run(ctx, Profile, 2+i)
			switch {
			case err != nil:
				faults[i] = err
			case run.Report.Outcome != host.Done:
				faults[i] = &verify.Unended{Reason: fmt.Sprintf("seed %d: the run ended as %v", 2+i, run.Report.Outcome)}
			default:
				all[i] = distributionOf(run.Cluster)
			}
		})
	}
	running.Wait()
	return all, errors.Join(faults...)
}

func column(all []distribution, b, k int) (values []float64) {
	for _, d := range all {
		values = append(values, d[b][k])
	}
	return values
}

func spreadRow(name string, percentile int, want float64, found []float64) verify.Row {
	mean, deviation := moments(found)
	// Where no coin reaches, all seeds agree; then so must the reference, to the last digit.
	band := wide*deviation + 1e-9*mean
	return verify.Row{
		Rule: fmt.Sprintf("%dth percentile of the completion times of flows %s, over %d seeds", percentile, name, seeds), Source: source,
		Expected: fmt.Sprintf("%.4gus", want), Found: fmt.Sprintf("%.4gus", mean), Deviation: fmt.Sprintf("%+.2g%%", 100*(mean/want-1)),
		Band:    fmt.Sprintf("%.2g%%", 100*band/want),
		Because: "in 999 of 1000 cases one more run, the reference, lies within 5.014 standard deviations of the mean of ten",
		Met:     math.Abs(mean-want) <= band,
	}
}

// moments are the mean and the standard deviation of a sample.
func moments(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(deviation)
}
