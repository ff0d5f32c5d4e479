package steps

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"krdlab/experiments/run/result"
	"krdlab/krd/analysis"
	"krdlab/krd/doc"
)

// A Report is what the steps of a folder came to. It marshals to the JSON document.
type Report interface {
	View() *doc.Doc
	Tables() []*doc.Table // files NAME.csv
	Figures() []Figure
}

// A Figure is a file NAME.svg, and its title in the page.
type Figure struct {
	Name, Title string
	analysis.Drawn
}

// Names of what [Folder.Write] leaves.
const (
	ReportHTML = "report.html"
	ReportText = "report.txt"
	ResultJSON = "result.json"
	FiguresDir = "figures"
)

// Write writes into the folder what follows from the steps: text, page, JSON, a CSV file for each
// table and the figures. Errors: those of writing and drawing.
func (f *Folder) Write(r Report) error {
	view := r.View()
	err := os.MkdirAll(filepath.Join(f.Dir, FiguresDir), 0o777)
	write := func(name string, to func(io.Writer) error) {
		if err == nil {
			err = result.Rewrite(filepath.Join(f.Dir, name), to)
		}
	}
	for _, x := range r.Figures() {
		write(filepath.Join(FiguresDir, x.Name+".svg"),
			func(w io.Writer) error { return x.Draw(w, "svg") })
	}
	for _, t := range r.Tables() {
		write(t.Name+".csv", t.CSV)
	}
	write(ResultJSON, func(w io.Writer) error { return encode(w, r) })
	write(ReportText, func(w io.Writer) error { return view.Text(doc.NewPage(w, 0)) })
	write(ReportHTML, func(w io.Writer) error {
		return view.Standalone(w, func() error {
			for _, x := range r.Figures() {
				fmt.Fprintf(w, "<h2>%s</h2>\n", x.Title)
				if err := x.Draw(w, "svg"); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return err
}
