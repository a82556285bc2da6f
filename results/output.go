package results

// Programs counts the programs of a run by how they ended.
type Programs struct {
	Total  int `json:"total" doc:"programs of the scenario; the two ends of a test are two"`
	Done   int `json:"done" doc:"those that came to their end"`
	Failed int `json:"failed" doc:"those that gave up"`
}

// Unfinished is the number of those that came to no end.
func (p *Programs) Unfinished() int { return p.Total - p.Done - p.Failed }

// Output is what a program prints.
type Output struct {
	Name string // of its workload
	Gist string // what it came to, in a line
	// File and Text are what it prints of its own, in the output directory and to the
	// terminal; empty for one that prints nothing.
	File, Text string
	// DataFile and Data are what it leaves for other programs, in the output directory alone; empty for one that leaves
	// nothing.
	DataFile, Data string
}

// onlyPrograms tells whether programs are all that there is: what they move is told by what they print.
func (s *Summary) onlyPrograms() bool { return s.Flows.Total == 0 && s.Programs != nil }
