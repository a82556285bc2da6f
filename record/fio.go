package record

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// fioOutput is what fio writes with --output-format=json --group_reporting, as far as there is something to say: names, units and
// definitions are fio's (HOWTO, and stat.c of fio 3). Times are in nanoseconds, those of a job in milliseconds.
type fioOutput struct {
	Version string   `json:"fio version"`
	Jobs    []fioJob `json:"jobs"`
}

type fioJob struct {
	Name    string            `json:"jobname"`
	Group   int               `json:"groupid"`
	Error   int               `json:"error"`
	Options map[string]string `json:"job options"`
	Read    fioSide           `json:"read"`
	Write   fioSide           `json:"write"`
	Trim    fioSide           `json:"trim"`
	Runtime int64             `json:"job_runtime"`
}

// fioSide is what either reads or writes came to.
type fioSide struct {
	Bytes   int64     `json:"io_bytes"`
	KiB     int64     `json:"io_kbytes"`
	BWBytes int64     `json:"bw_bytes"`
	BW      int64     `json:"bw"` // KiB/s
	IOPS    float64   `json:"iops"`
	Runtime int64     `json:"runtime"`
	Total   int       `json:"total_ios"`
	Short   int       `json:"short_ios"`
	Dropped int       `json:"drop_ios"`
	Slat    fioTimes  `json:"slat_ns"`
	Clat    fioSpread `json:"clat_ns"`
	Lat     fioTimes  `json:"lat_ns"`
}

type fioTimes struct {
	Min    int64   `json:"min"`
	Max    int64   `json:"max"`
	Mean   float64 `json:"mean"`
	Stddev float64 `json:"stddev"`
	N      int     `json:"N"`
}

type fioSpread struct {
	fioTimes
	// Percentile has those that fio reports unless it is told otherwise, in its spelling; each is the time that was measured at
	// the rank ceil(p·N/100), where fio has the middle of a bin of its histogram.
	Percentile fioPercentiles `json:"percentile"`
}

// fioDefaults are the percentiles that fio reports by default, in hundredths of a percent.
var fioDefaults = []int{100, 500, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 9500, 9900, 9950, 9990, 9995, 9999}

// fioPercentiles are the values, in the order of fioDefaults.
type fioPercentiles []int64

// MarshalJSON implements [json.Marshaler].
func (p fioPercentiles) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, v := range p {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '"')
		text = appendDecimal(text, fioDefaults[i])
		text = append(text, "0000\":"...)
		text = append(text, mustJSON(v)...)
	}
	return append(text, '}'), nil
}

// appendDecimal writes hundredths with two digits after the point.
func appendDecimal(text []byte, hundredths int) []byte {
	text = append(text, mustJSON(hundredths/100)...)
	return append(text, '.', byte('0'+hundredths/10%10), byte('0'+hundredths%10))
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and structs of them
	}
	return text
}

// fio is the output of a workload as fio writes it.
func (s *Storage) fio() string {
	m := s.Result()
	span := max(0, m.Ended-m.Begun)
	if m.IOs == 0 {
		span = 0
	}
	job := fioJob{Name: s.Workload, Options: s.fioOptions(), Runtime: int64(span / units.Millisecond)}
	var sides [2][]programs.StorageSample
	for _, sample := range s.Samples() {
		i := 0
		if sample.Write {
			i = 1
		}
		sides[i] = append(sides[i], sample)
	}
	job.Read, job.Write, job.Trim = newFioSide(sides[0], span), newFioSide(sides[1], span), newFioSide(nil, span)
	text, err := json.MarshalIndent(fioOutput{Version: "fio-3 (layout)", Jobs: []fioJob{job}}, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

// fioOptions are the options of a job of fio that would do the same.
func (s *Storage) fioOptions() map[string]string {
	number := func(v int) string { return string(mustJSON(v)) }
	all := map[string]string{
		"rw": "randrw", "rwmixread": number(s.Reads), "iodepth": number(s.Depth), "numjobs": number(len(s.Initiators)), "number_ios": number(s.Commands),
	}
	switch {
	case s.Reads == 100:
		all["rw"] = "randread"
	case s.Reads == 0:
		all["rw"] = "randwrite"
	}
	if len(s.Blocks) == 1 {
		all["bs"] = number(int(s.Blocks[0].Size))
	} else {
		split := ""
		for i, b := range s.Blocks {
			if i > 0 {
				split += ":"
			}
			split += number(int(b.Size)) + "/" + number(b.Share)
		}
		all["bssplit"] = split
	}
	if s.Every > 0 {
		all["rate_iops"] = number(int(math.Round(float64(units.Second) / s.Every)))
		if s.Poisson {
			all["rate_process"] = "poisson"
		}
	}
	return all
}

// newFioSide is what some operations came to in a time.
func newFioSide(samples []programs.StorageSample, span units.Time) (f fioSide) {
	var waited, took, total []units.Time
	for _, sample := range samples {
		f.Bytes += int64(sample.Size)
		waited, took, total = append(waited, sample.Waited), append(took, sample.Took-sample.Waited), append(total, sample.Took)
	}
	f.KiB, f.Total = f.Bytes>>10, len(samples)
	if len(samples) > 0 && span > 0 {
		f.Runtime = int64(span / units.Millisecond)
		f.BWBytes = int64(float64(f.Bytes) / span.Seconds())
		f.BW, f.IOPS = f.BWBytes>>10, float64(len(samples))/span.Seconds()
	}
	f.Slat, f.Lat = newFioTimes(waited), newFioTimes(total)
	f.Clat = fioSpread{newFioTimes(took), make(fioPercentiles, len(fioDefaults))}
	slices.Sort(took)
	for i, p := range fioDefaults {
		if n := len(took); n > 0 {
			f.Clat.Percentile[i] = nanoseconds(took[(n*p+9999)/10000-1])
		}
	}
	return f
}

func nanoseconds(t units.Time) int64 { return int64((t + units.Nanosecond/2) / units.Nanosecond) }

// newFioTimes is the spread of some times; the deviation is that of a sample, as fio's.
func newFioTimes(all []units.Time) (f fioTimes) {
	f.N = len(all)
	if f.N == 0 {
		return f
	}
	var sum units.Time
	for _, t := range all {
		sum += t
	}
	mean := float64(sum) / float64(f.N)
	var squares float64
	for _, t := range all {
		squares += float64((float64(t) - mean) * (float64(t) - mean))
	}
	f.Min, f.Max, f.Mean = nanoseconds(slices.Min(all)), nanoseconds(slices.Max(all)), mean/float64(units.Nanosecond)
	if f.N > 1 {
		f.Stddev = math.Sqrt(squares/float64(f.N-1)) / float64(units.Nanosecond)
	}
	return f
}

// output is what the initiators of a workload print and leave.
func (s *Storage) output() results.Output {
	folder := storageTable + "/" + s.Workload
	return results.Output{Name: s.Workload, Gist: s.gist(), File: folder + ".txt", Text: s.text(), DataFile: folder + ".fio.json", Data: s.fio()}
}
