package kernelreuse

import (
	"io"
	"path/filepath"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// A Study is an experiment that is made instead of the evaluation.
type Study struct {
	Name string // of its flag, and the kind of the experiment
	of   func(*dataset.Experiment) (*outcome, error)
}

// The studies of one experiment.
var (
	Ablation   = &Study{"ablation", ablation}
	Machines   = &Study{"machines", machines}
	Validation = &Study{"validate", validation}
)

// Write writes what follows from the cells of the experiment into its folder and shows p the text.
// It returns the names of the files. Errors: a file of a machine that cannot be read; of writing.
func (s *Study) Write(p *doc.Page, e *dataset.Experiment) ([]string, error) {
	o, err := s.of(e)
	if err != nil {
		return nil, err
	}
	return o.write(p, e.Dir)
}

// An outcome is what a study leaves in its folder.
type outcome struct {
	name   string // NAME.txt
	text   *doc.Doc
	tables []*doc.Table
	figure *plot.Figure // nil: none
}

func (o *outcome) write(p *doc.Page, dir string) (names []string, err error) {
	files := []file{textFile(o.name+".txt", o.text)}
	for _, t := range o.tables {
		files = append(files, file{t.Name + ".csv", t.CSV})
	}
	if o.figure != nil {
		files = append(files, figureFile(o.figure.ID+".svg", o.figure))
	}
	for _, f := range files {
		names = append(names, f.name)
	}
	if err := rewrite(dir, files); err != nil {
		return nil, err
	}
	return names, o.text.Text(p)
}

// A file is one of a folder.
type file struct {
	name  string
	write func(w io.Writer) error
}

func textFile(name string, d *doc.Doc) file {
	return file{name, func(w io.Writer) error { return d.Text(doc.NewPage(w, 0)) }}
}

func figureFile(name string, f *plot.Figure) file {
	return file{name, func(w io.Writer) error { return f.Write(w, "svg") }}
}

func rewrite(dir string, files []file) error {
	for _, f := range files {
		if err := result.Rewrite(filepath.Join(dir, f.name), f.write); err != nil {
			return err
		}
	}
	return nil
}

// A column is a measure in a table of a study, whose data has another unit.
type column struct {
	stats.Measure
	key   string
	scale float64
}

var (
	timeMS    = column{stats.Time, "time_ms", 1e-6}
	measures  = []column{timeMS, {stats.OVR, "ovr", 1}, {stats.WTI, "wti", 1}, missesM}
	missesM   = column{stats.Misses, "llc_misses_per_core_millions", 1e-6}
	beyond32  = column{stats.BeyondPaper, "beyond_32mib_percent", 100}
	beyondLLC = column{stats.BeyondLLC, "beyond_llc_percent", 100}
)

// columnsOf are the columns of measures.
func columnsOf(list ...column) (columns []doc.Column) {
	for _, m := range list {
		c := m.Column(doc.Reach)
		c.Key, c.Scale, c.Ends = m.key, m.scale, true
		columns = append(columns, c)
	}
	return columns
}

// cellsOf are their cells.
func cellsOf(r *result.Result, list ...column) (cells []any) {
	for _, m := range list {
		cells = append(cells, m.Cell(r))
	}
	return cells
}

// named are columns of words, whose keys are their heads; the first left of them.
func named(left int, heads ...string) []doc.Column {
	t := doc.NewTable(left, heads...)
	for i := range t.Columns {
		t.Columns[i].Key = t.Columns[i].Head
	}
	return t.Columns
}

// ratioColumn is the column of a ratio.
func ratioColumn(key, head string) doc.Column {
	return doc.Column{Key: key, Head: head, Kind: doc.Real, Spread: doc.Reach, Ends: true}
}

// hidden is a column of the data alone.
func hidden(key string) doc.Column { return doc.Column{Key: key, Data: true} }
