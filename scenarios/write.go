package scenarios

import (
	"io"

	"github.com/rdmasim/rdmasim/results"
)

// write writes all files of all attempts, those of variants first and the manifest of all of them last.
func (s *Session) write(dir *results.Dir, attempts []*attempt) error {
	for _, t := range attempts[1:] {
		if err := s.writeAttempt(dir.Within(t.folder), t); err != nil {
			return err
		}
	}
	return s.writeAttempt(dir, attempts[0])
}

// writeBeside writes what sets runs side by side: the comparison with variants, and the tables of sweeps.
func writeBeside(dir *results.Dir, t *attempt, schema *results.Schema) error {
	summary := t.measured.summary
	for i := range summary.Sweeps {
		table := summary.Sweeps[i].Table()
		schema.AddTable(table)
		if err := dir.Write(table.Name(), table.WriteCSV); err != nil {
			return err
		}
		missing, err := drawSweep(&summary.Sweeps[i], t.spec.Name, dir.Write)
		if err != nil {
			return err
		}
		summary.Notes = append(summary.Notes, missing...)
	}
	if summary.Beside == nil {
		return nil
	}
	return writeComparison(dir, summary.Beside, t.spec.Name, "plots/compare_", schema)
}

// writeAttempt writes all files of an attempt, the manifest last.
func (s *Session) writeAttempt(dir *results.Dir, t *attempt) error {
	schema, summary := results.NewSchema(), t.measured.summary
	for _, name := range t.run.TableNames() {
		table := t.measured.table(name)
		schema.AddTable(table)
		if err := dir.Write(table.Name(), table.WriteCSV); err != nil {
			return err
		}
		delete(t.measured.tables, name) // the tables of a large network together are larger than it
	}
	for _, o := range summary.Outputs {
		for _, f := range [...]struct{ name, text string }{{o.File, o.Text}, {o.DataFile, o.Data}} {
			if f.name == "" {
				continue
			}
			if err := dir.Write(f.name, func(w io.Writer) error { _, err := io.WriteString(w, f.text); return err }); err != nil {
				return err
			}
		}
	}
	missing, err := t.run.Plots(t.spec.Name, dir.Write)
	if err != nil {
		return err
	}
	summary.Notes = append(summary.Notes, missing...)
	if err := writeBeside(dir, t, schema); err != nil {
		return err
	}
	schema.AddDocument("summary.json", "the run in figures and sentences", results.SummaryDocument{})
	schema.AddDocument(results.ManifestName, "what this directory holds", results.Manifest{})
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"summary.json", summary.WriteJSON},
		{"schema.json", schema.WriteJSON},
		{"scenario.yaml", func(w io.Writer) error { _, err := w.Write(t.spec.Resolved()); return err }},
	} {
		if err := dir.Write(f.name, f.write); err != nil {
			return err
		}
	}
	return dir.WriteManifest(results.Manifest{
		Version: s.Version, Scenario: t.spec.Name, ScenarioHash: t.spec.Hash(), Seed: t.spec.Seed,
		Digest: summary.Digest, Outcome: summary.Outcome,
		Execution: results.ThisMachine(s.Command, t.took, t.run.Report.Workers),
	})
}
