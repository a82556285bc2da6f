package results

// ProgramFigure is something that a program of the run measured, under a name that is the same in every run of the same
// workload, whatever it runs over, so that runs can be set side by side.
type ProgramFigure struct {
	Name  string  `json:"name" doc:"workload, case and what was measured"`
	Unit  string  `json:"unit" doc:"unit of the value: us, Gbit/s, bytes, or what is counted"`
	Value float64 `json:"value" doc:"what was measured"`
}
