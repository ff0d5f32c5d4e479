package skadu

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/estimate"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// A result holds the results of the steps of a folder.
type result struct {
	*study.Outcome
	warned []doc.Finding
	rows   map[*profiler][]row // by program, then technique
}

// A row is a program under a technique. Values that were not measured are not known, for the reason
// why.
type row struct {
	program   *program
	technique *technique
	why       doc.Missing
	computed  bool // shadow is, and nothing was run
	shadow    doc.Number
	rss       doc.Number
	expansion doc.Number
	process   doc.Number // expansion by all memory of the process that holds the shadow memory
	own       doc.Number // slowdowns
	whole     doc.Number
	reduction doc.Number // of the baseline's expansion, and
	speedup   doc.Number // of its time
}

// warn adds the findings of a sample to those of the programs before.
func (r *result) warn(p *program, s *Sample) {
	for _, f := range doc.Recorded(s.Warnings, s.Findings) {
		i := slices.IndexFunc(r.warned, func(g doc.Finding) bool {
			return g.About("").Sentence() == f.Sentence()
		})
		if i < 0 {
			r.warned = append(r.warned, f.About(p.name))
		} else if g := &r.warned[i]; !slices.Contains(strings.Split(g.Subject, ", "), p.name) {
			g.Subject += ", " + p.name
		}
	}
}

// known returns a number of a cell, or why there is none.
func known(n doc.Number, why doc.Missing) any {
	if !n.Known() {
		return why
	}
	return n
}

// step loads what a step kept; nil with the reason where it was left out.
func step[T any](f *study.Folder, name string) (*T, doc.Missing, error) {
	x, err := study.Load[T](f, name)
	if why := f.Left(name); errors.Is(err, fs.ErrNotExist) && why != "" {
		return nil, doc.Missing(strings.Join(strings.Fields(why), " ")), nil
	}
	return x, "", err
}

func outcomeOf(f *study.Folder) (*study.Outcome, error) {
	r := &result{Outcome: &study.Outcome{Scale: f.Scale, Tiny: true, Says: says(),
		Title: fmt.Sprintf("Figures 7 and 8 of the skadu paper, scale %s", f.Scale)},
		rows: map[*profiler][]row{}}
	for _, by := range profilers {
		columns := []string{"program", "program", "source", "from", "input", "input", "native_bytes",
			"native memory, MB", "native_ns", "native time, s", "depth", "levels"}
		if !by.paths {
			columns = append(columns, "depth_iterations", "with iterations", "data_bytes",
				"data touched, MB")
		}
		t := r.table(by.prefix+"programs", by.title+": programs (beside table 2)", 2,
			append(columns, "observed", "accesses observed, %")...)
		list := programsAt(f.Scale)
		for i := range list {
			if p := &list[i]; by.has(p, f.Scale) {
				if err := r.program(f, by, p, t); err != nil {
					return nil, err
				}
			}
		}
		r.techniques(by)
		r.means(by)
		if by.paths {
			r.compression()
		}
		r.draw(by)
	}
	r.paper()
	r.Conclude(r.warned...)
	return r.Outcome, nil
}

// program adds the rows of a program.
func (r *result) program(f *study.Folder, by *profiler, p *program, t *doc.Table) error {
	n, nwhy, err := step[Native](f, nativeName(by, p))
	if err != nil {
		return err
	}
	var memory, time, depth, data, observed doc.Number
	if n != nil && len(n.TimesNS) > 0 {
		times := slices.Sorted(slices.Values(n.TimesNS))
		memory, time = doc.Some(float64(n.PeakBytes)), doc.Some(times[len(times)/2])
	}
	var missing doc.Missing
	var rows []row
	for i := range by.techniques {
		x := row{program: p, technique: &by.techniques[i]}
		s, why, err := step[Sample](f, measuredName(p, x.technique))
		if err != nil {
			return err
		}
		switch {
		case s == nil:
			x.why, missing = why, why
		case s.NotRunBytes != nil:
			x.computed, x.shadow = true, doc.Some(float64(*s.NotRunBytes))
			x.why = doc.Missing(fmt.Sprintf("not run: it would take more than %s",
				units.Bytes(baselineLimit)))
		default:
			x.why = nwhy
			if i == slim {
				depth, data = doc.Some(float64(s.Depth)), doc.Some(s.DataBytes)
				if observed = doc.Some(1); s.Observed != nil {
					observed = doc.Some(*s.Observed)
				}
			}
			x.of(s, memory, time)
			r.warn(p, s)
		}
		rows = append(rows, x)
	}
	base := rows[baseline]
	for i := range rows {
		x := &rows[i]
		x.reduction = ratio(base.expansion, x.expansion)
		if x.speedup = ratio(base.own, x.own); p.source == kernels {
			x.speedup = ratio(base.whole, x.whole)
		}
	}
	r.rows[by] = append(r.rows[by], rows...)
	cells := []any{p.name, p.source, p.input(by, r.Scale), known(memory, nwhy), known(time, nwhy),
		known(depth, missing)}
	if by.paths {
		add(t, append(cells, known(observed, missing))...)
		return nil
	}
	iterations, iwhy := doc.Number{}, doc.Missing("tasks have no iterations")
	if p.source != kernels {
		s, why, err := step[Sample](f, measuredName(p, &deepest))
		if err != nil {
			return err
		}
		if iwhy = why; s != nil {
			iterations = doc.Some(float64(s.Depth))
		}
	}
	add(t, append(cells, known(iterations, iwhy), known(data, missing), known(observed, missing))...)
	return nil
}

// of computes what a sample is beside the plain program.
func (x *row) of(s *Sample, memory, time doc.Number) {
	x.shadow = doc.Some(float64(s.PeakBytes))
	if s.RSSBytes != nil {
		x.rss = doc.Some(float64(*s.RSSBytes))
	}
	if memory.Known() {
		x.expansion = doc.Some((memory.Float() + float64(s.PeakBytes)) / memory.Float())
		if x.rss.Known() {
			x.process = doc.Some((memory.Float() + x.rss.Float()) / memory.Float())
		}
	}
	if s.OwnNS != nil {
		x.own = ratio(doc.Some(*s.OwnNS), time)
	}
	x.whole = ratio(doc.Some(s.WholeNS), time)
}

// ofRun returns the slowdown of a whole run; of a kernel, whose trace is analysed, there is none.
func (x *row) ofRun() doc.Number {
	if x.program.source == kernels {
		return doc.Number{}
	}
	return x.whole
}

func ratio(a, b doc.Number) doc.Number {
	if !a.Known() || !b.Known() {
		return doc.Number{}
	}
	return doc.Some(a.Float() / b.Float())
}

// techniques lists the rows.
func (r *result) techniques(by *profiler) {
	t := r.table(by.prefix+"techniques", fmt.Sprintf("%s: programs under each technique (figure %d)",
		by.title, by.figure), 2, "program", "program",
		"technique", "technique", "shadow_bytes", "shadow memory, MB", "computed", "computed",
		"rss_bytes", "process, MB", "expansion", "expansion", "process_expansion", "by the process",
		"own_slowdown", "slowdown, its own",
		"whole_slowdown", "of the whole run", "reduction", "reduction", "speedup", "speed-up")
	for i := range r.rows[by] {
		x := &r.rows[by][i]
		own, over := x.why, x.why
		if own == "" {
			own = "a trace is read: its own time is not apart"
		}
		if over == "" {
			over = "the baseline was not run"
		}
		add(t, x.program.name, x.technique.title, known(x.shadow, x.why), units.Yes(x.computed),
			known(x.rss, x.why), known(x.expansion, x.why), known(x.process, x.why), known(x.own, own),
			known(x.whole, x.why), known(x.reduction, over), known(x.speedup, over))
	}
}

// mean returns the geometric mean of the known values of the rows of a technique, with an interval
// of 95 % over the programs. Go programs alone, or kernels too.
func (r *result) mean(by *profiler, t *technique, of func(*row) doc.Number, all bool) doc.Quantity {
	var logs []float64
	for i := range r.rows[by] {
		x := &r.rows[by][i]
		if !all && x.program.source == kernels {
			continue
		}
		if v := of(x); x.technique == t && v.Known() && v.Float() > 0 {
			logs = append(logs, math.Log(v.Float()))
		}
	}
	n := len(logs)
	if n == 0 {
		return doc.Quantity{}
	}
	mean, sd := stat.MeanStdDev(logs, nil)
	half := estimate.T(n-1) * sd / math.Sqrt(float64(n))
	return doc.Quantity{Median: doc.Some(math.Exp(mean)), Low: doc.Some(math.Exp(mean - half)),
		High: doc.Some(math.Exp(mean + half)), N: n}
}

// word returns a letter of a name in a file.
func word(r rune) rune {
	switch r {
	case ' ', '-':
		return '_'
	case ',':
		return -1
	}
	return r
}

// spread prints a mean with its interval.
func spread(q doc.Quantity) string {
	switch low, high, sure := q.Bounds(); {
	case !q.Median.Known():
		return doc.NotAvailable
	case !sure:
		return fmt.Sprintf("%.1f", q.Median.Float())
	default:
		return fmt.Sprintf("%.1f (%.1f to %.1f)", q.Median.Float(), low, high)
	}
}

const (
	notTold = doc.Missing("the paper does not tell")
	noneRan = doc.Missing("no program was measured so")
)

// means sets geometric means beside those of the paper.
func (r *result) means(by *profiler) {
	columns := []string{"quantity", "quantity", "technique", "technique", "paper", "paper", "ours", "ours",
		"programs", "programs",
		"verdict", "verdict"}
	if !by.paths {
		columns = append(columns, "with_kernels", "with kernels", "all_programs", "programs")
	}
	t := r.table(by.prefix+"means", by.title+": geometric means over the Go programs that were "+
		"measured, beside the paper's; the verdict is on the interval over them", 2, columns...)
	for _, q := range []struct {
		name  string
		paper func(*technique) float64
		ours  func(*row) doc.Number
	}{
		{"memory expansion", func(t *technique) float64 { return t.expansion },
			func(x *row) doc.Number { return x.expansion }},
		{"reduction of it", func(t *technique) float64 { return t.reduction },
			func(x *row) doc.Number { return x.reduction }},
		{"expansion by the process", func(*technique) float64 { return 0 },
			func(x *row) doc.Number { return x.process }},
		{"slowdown, its own", func(*technique) float64 { return 0 },
			func(x *row) doc.Number { return x.own }},
		{"slowdown of the whole run", func(t *technique) float64 { return t.slowdown },
			func(x *row) doc.Number { return x.ofRun() }},
		{"speed-up over baseline", func(t *technique) float64 { return t.speedup },
			func(x *row) doc.Number { return x.speedup }},
	} {
		for i := range by.techniques {
			k := &by.techniques[i]
			theirs, verdict := doc.Number{}, any(notTold)
			ours := r.mean(by, k, q.ours, false)
			if v := q.paper(k); v > 0 {
				theirs, verdict = doc.Some(v), doc.Missing("1 by definition")
				if v != 1 {
					verdict = r.Judge(study.Claim{ID: by.prefix + strings.Map(word, q.name) + "_" + k.name,
						Where: fmt.Sprintf("6, figure %d", by.figure), Paper: fmt.Sprintf("%.1f", v),
						Says: fmt.Sprintf("%s: %s, %s, geometric mean over programs", by.title, q.name, k.title),
						Ours: spread(ours), Test: "within 10 %", Figure: fmt.Sprint("figure", by.figure),
						Verdict: claims.Printed(v, v, 0.1, 0).Of(ours)})
				}
			}
			cells := []any{q.name, k.title, known(theirs, notTold), known(ours.Median, noneRan), ours.N,
				verdict}
			if with := r.mean(by, k, q.ours, true); !by.paths {
				cells = append(cells, known(with.Median, noneRan), with.N)
			}
			t.Row(cells...)
		}
	}
}

// The techniques that table 3 compares.
const (
	garbage    = 2
	compressed = 3
)

// compression sets what compression saves beside what it costs.
func (r *result) compression() {
	t := r.table("compression", "Critical paths: compression of tags (table 3; paper: 7.1 to 5.2 x, "+
		"25.5 % less)", 1, "program", "program", "without", "without", "with", "with", "saved",
		"saved, %", "slowdown", "slowdown by it")
	rows, n := r.rows[&hcpa], len(hcpa.techniques)
	for i := 0; i < len(rows); i += n {
		a, b := &rows[i+garbage], &rows[i+compressed]
		saved := ratio(b.expansion, a.expansion)
		if saved.Known() {
			saved = doc.Some(1 - saved.Float())
		}
		why := cmp.Or(a.why, b.why)
		t.Row(a.program.name, known(a.expansion, why), known(b.expansion, why), known(saved, why),
			known(ratio(b.own, a.own), why))
	}
}

// theirs are the programs of the paper: table 2, and the numbers above the bars of figure 7.
var theirs = []struct {
	name                string
	mb, seconds         float64
	memory, hcpa        int // levels
	expansion, slowdown float64
}{
	{"art", 2, 6.5, 10, 11, 2.9, 19.6}, {"vpr", 3, 72.5, 13, 17, 2.3, 14.1},
	{"mesa", 20, 120, 20, 26, 1.2, 12.1}, {"equake", 37, 114, 7, 21, 1.3, 19.3},
	{"lu", 43, 82.9, 6, 12, 1.2, 14.0}, {"cg", 55, 6.4, 6, 10, 1.2, 7.2},
	{"is", 68, 2.0, 4, 7, 1.3, 4.9}, {"mcf", 152, 90.5, 48, 53, 1.2, 8.8},
	{"bzip2", 189, 57.1, 17, 25, 1.3, 15.7}, {"gzip", 200, 41.0, 17, 21, 1.2, 6.9},
	{"ft", 419, 11.4, 11, 18, 1.1, 14.4}, {"mg", 434, 5.6, 8, 13, 1.1, 26.9},
}

// paper lists the paper's programs.
func (r *result) paper() {
	t := r.table("paper", "The paper's programs (table 2), with SlimTV + BulkTV (figure 7)", 1,
		"program", "program", "native_bytes", "native memory, MB", "native_ns", "native time, s",
		"depth", "levels", "depth_iterations", "with iterations", "expansion", "expansion",
		"whole_slowdown", "slowdown")
	for _, x := range theirs {
		add(t, x.name, doc.Some(x.mb*1e6), doc.Some(x.seconds*1e9), x.memory, x.hcpa,
			doc.Some(x.expansion), doc.Some(x.slowdown))
	}
}

// table adds a table, whose columns are given as keys and heads in turn. Those of bytes and ns are
// two columns: of data, and in MB or s for people.
func (r *result) table(name, title string, keys int, pairs ...string) *doc.Table {
	t := &doc.Table{Name: name, Title: title, Keys: keys}
	for i := 0; i < len(pairs); i += 2 {
		c := doc.Column{Key: pairs[i], Head: pairs[i+1]}
		if strings.HasSuffix(c.Head, ", %") {
			c.Kind, c.Unit = doc.Real, doc.PerCent
		}
		if strings.HasPrefix(c.Key, "depth") {
			c.Kind = doc.Whole
		}
		if scale(c.Key) != 0 {
			t.Columns = append(t.Columns, doc.Column{Key: c.Key, Kind: doc.Real, Data: true})
			c.Key = ""
		}
		t.Columns = append(t.Columns, c)
	}
	r.Tables = append(r.Tables, t)
	return t
}

// scale returns the factor from a column's numbers to the printed ones; 0: they are the same.
func scale(key string) float64 {
	switch {
	case strings.HasSuffix(key, "_bytes"):
		return 1e-6
	case strings.HasSuffix(key, "_ns"):
		return 1e-9
	}
	return 0
}

// add adds a row to a table, whose numbers are bytes and ns.
func add(t *doc.Table, cells ...any) {
	var row []any
	for _, c := range cells {
		row = append(row, c)
		if by := scale(t.Columns[len(row)-1].Key); by != 0 {
			if n, ok := c.(doc.Number); ok {
				c = doc.Some(n.Float() * by)
			}
			row = append(row, c)
		}
	}
	t.Row(row...)
}

// says explains the columns.
func says() []string {
	return []string{
		fmt.Sprintf("Memory expansion is (native memory + shadow memory) / native memory, both at most. A "+
			"tag is of 8 bytes. The slowdown is the shadow memory's own CPU time, or that of the whole run, "+
			"over the native time, which is the median of %d runs, from the start of the process on. Process is the "+
			"memory of krdlab, which held the shadow memory: it has much else in it. Of Go programs the stack is not observed.",
			nativeRuns),
		fmt.Sprintf("Kernels are krdlab's own, simulated on %d cores of %s: their trace is analysed, where "+
			"a block is a datum, levels are of tasks, and the whole run is the analysis. Their native "+
			"memory is that of their data by plan, their native time serial.", simulatedCores,
			simulatedMachine),
		fmt.Sprintf("The baseline is not run where it would take more than %s. Its bytes are computed "+
			"then, of the tables that SlimTV had and the deepest level: where a program has several "+
			"outermost regions, each with fewer levels, they are a bound. Levels with iterations are those "+
			"at inputs of scale %s.", units.Bytes(baselineLimit), study.Smoke),
		"Critical paths have the dependences of reductions: a path without them has shadow memory of its " +
			"own. Their own slowdown is the CPU time of krdlab, which reads what the program does and " +
			"follows its values, the whole one that of the run, by the clock.",
	}
}
