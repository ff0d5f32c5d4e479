package reproduce

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/correlate"
	"krdlab/experiments/dataset"
	"krdlab/experiments/figures"
	"krdlab/experiments/report"
	"krdlab/experiments/result"
	"krdlab/krd/doc"
)

// Names of what Write leaves in the folder of the experiment.
const (
	ClaimsText  = "claims.txt"
	ClaimsCSV   = "claims.csv"
	ClaimsJSON  = "claims.json"
	ClaimsTable = "claims.md"
	TablesText  = "tables.txt"
	Correlation = "correlation.txt"
	ReportHTML  = "report.html"
	FiguresDir  = "figures"
)

// Write judges the claims and writes what follows from the cells of the experiment, in place of
// what is there: the claims, schedulers against cores, correlations, each figure as SVG, the page.
// The claims are judged against the bands too, nil where there are none. A figure that cannot be
// drawn is told to skipped, with the reason. Errors: those of writing.
func Write(e *dataset.Experiment, bands *Bands,
	skipped func(group dataset.Key, s figures.Skipped)) ([]Finding, error) {
	findings := Judge(e, bands)
	files := []struct {
		name  string
		write func(w io.Writer) error
	}{
		{ClaimsText, func(w io.Writer) error { return WriteText(doc.NewPage(w, 0), findings) }},
		{ClaimsCSV, func(w io.Writer) error { return WriteCSV(w, findings) }},
		{ClaimsJSON, func(w io.Writer) error {
			enc := json.NewEncoder(w)
			enc.SetIndent("", "  ")
			enc.SetEscapeHTML(false)
			return enc.Encode(findings)
		}},
		{ClaimsTable, func(w io.Writer) error {
			if err := WriteMarkdown(w, findings); err != nil {
				return err
			}
			_, err := fmt.Fprintf(w, "\n%s\n", frozenText(machineHash(e)))
			return err
		}},
		{TablesText, func(w io.Writer) error { return WriteTables(doc.NewPage(w, 0), e) }},
		{Correlation, func(w io.Writer) error {
			return correlate.Of(e).View(false).Text(doc.NewPage(w, 0))
		}},
		{ReportHTML, func(w io.Writer) error {
			return report.Write(w, e,
				filepath.Join(e.Dir, ReportHTML))
		}},
	}
	for _, f := range files {
		if err := result.Rewrite(filepath.Join(e.Dir, f.name), f.write); err != nil {
			return findings, err
		}
	}
	return findings, writeFigures(e, skipped)
}

// WriteTables writes schedulers against cores, a table for each group.
func WriteTables(p *doc.Page, e *dataset.Experiment) error {
	for i, g := range e.Groups() {
		if i > 0 {
			p.Line("")
		}
		if err := WriteCross(p, &g); err != nil {
			return err
		}
	}
	return nil
}

// writeFigures writes figures/KERNEL-SUBSTRATE-ID.svg; groups that have that in common are
// numbered. Figures are the paper's: what a reading changes of a scheduler is in none.
func writeFigures(e *dataset.Experiment, skipped func(dataset.Key, figures.Skipped)) error {
	dir := filepath.Join(e.Dir, FiguresDir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	seen := map[string]int{}
	for _, g := range e.Groups() {
		name := g.Kernel + "-" + g.Substrate
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, seen[name])
		}
		g.Cells = slices.DeleteFunc(g.Cells, func(c *dataset.Cell) bool {
			return strings.HasSuffix(c.Result.Scheduler, nearRule)
		})
		list, left := figures.All(&g)
		for i := range list {
			f := &list[i]
			path := filepath.Join(dir, name+"-"+f.ID+".svg")
			if err := result.Rewrite(path, func(w io.Writer) error {
				return f.Write(w,
					"svg")
			}); err != nil {
				return err
			}
		}
		for _, s := range left {
			skipped(g.Key, s)
		}
	}
	return nil
}
