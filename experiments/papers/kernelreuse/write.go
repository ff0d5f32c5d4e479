package kernelreuse

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/read/correlate"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/show/figures"
	"krdlab/experiments/show/report"
	"krdlab/krd/doc"
)

// Names of what Write leaves in the folder of the experiment.
const (
	ClaimsText  = "claims.txt"
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
	list := Judge(e, bands)
	files := []file{
		textFile(ClaimsText, Text(list)),
		{"claims.csv", findings(list).CSV},
		{"claims.json", func(w io.Writer) error {
			enc := json.NewEncoder(w)
			enc.SetIndent("", "  ")
			enc.SetEscapeHTML(false)
			return enc.Encode(list)
		}},
		{ClaimsTable, func(w io.Writer) error {
			frozen := doc.Paragraph{frozenText(machineHash(e))}
			return (&doc.Doc{Parts: []doc.Part{page(list), frozen}}).Markdown(w, 1)
		}},
		textFile(TablesText, Tables(e)),
		textFile(Correlation, correlate.Of(e).View(false)),
		{ReportHTML, func(w io.Writer) error {
			return report.Write(w, e, filepath.Join(e.Dir, ReportHTML))
		}},
	}
	if err := rewrite(e.Dir, files); err != nil {
		return list, err
	}
	return list, writeFigures(e, skipped)
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
		var files []file
		for i := range list {
			files = append(files, figureFile(name+"-"+list[i].ID+".svg", &list[i]))
		}
		if err := rewrite(dir, files); err != nil {
			return err
		}
		for _, s := range left {
			skipped(g.Key, s)
		}
	}
	return nil
}
