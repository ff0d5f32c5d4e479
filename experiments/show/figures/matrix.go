package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/kernels"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// MatrixID begins the IDs of the figures that [Matrices] makes.
const MatrixID = "matrix"

const matrixAbout = "kernels and schedulers of a whole experiment: speed-up, WTI, accesses " +
	"beyond the LLC: matrix-speedup-CORES, matrix-wti-CORES, matrix-far-CORES"

// A matrixPart is a measure of a matrix: its fields.
type matrixPart struct {
	id, title, colour, shade string
	measure                  stats.Measure
	// sample has that by which schedulers are ranked, the lowest first
	sample  func(*result.Result) estimate.Sample
	sampled stats.Sampled // what it is of
	// depth is how dark the field of a value is, from 0 to 1; high is the highest of its row, or of
	// all rows
	depth func(v, high float64) float64
	rows  bool // each row has a scale of its own
}

var matrixParts = []matrixPart{
	{"speedup", "speed-up", "#0072b2", "Shade: speed-up as a share of the highest of the row.",
		stats.Speedup, stats.Time.Sample, stats.Repeated, func(v, high float64) float64 { return v / high }, true},
	{"wti", "work time inflation", "#d55e00",
		"Shade: from 1, no inflation, to the largest of all, or to 1.25.", stats.WTI,
		stats.WTI.Sample, stats.Repeated, func(v, high float64) float64 { return (v - 1) / math.Max(high-1, plot.LeastLoss) }, false},
	{"far", "accesses beyond the LLC [%]", "#d55e00",
		"Shade: from 0 to the largest of all, or to 10\u00a0%.", stats.BeyondLLC,
		stats.FarOrCold.Sample, stats.Traced, func(v, high float64) float64 { return v / math.Max(high, 10) }, false},
}

// inPercent returns a measure of a result as figures show it: shares in %.
func inPercent(m stats.Measure, r *result.Result) result.Quantity {
	q := m.Of(r)
	if m.Unit == doc.Fraction {
		for _, n := range []*result.Number{&q.Median, &q.Low, &q.High} {
			*n = result.Some(100 * n.Float())
		}
	}
	return q
}

// threeDigits returns v with the digits that a field has room for.
func threeDigits(v float64) string {
	switch {
	case v == 0:
		return "0"
	case math.Abs(v) < 0.995: // 1.00 in two digits
		return doc.Digits(v, 2)
	}
	return doc.Digits(v, 3)
}

// A matrix is the cells of an experiment on one machine of one substrate and one number of cores:
// kernels in rows, schedulers in columns.
type matrix struct {
	dataset.Key // of its first group; Kernel and Params are not of all
	prefix      string
	pages       string // where those of its data are
	cores       int
	rows        []matrixRow // in the order of the table of kernels
	schedulers  []string
	missing     []string // why fields have no number
	reps        [2]int   // fewest and most behind a field of a scheduler that draws
	disturbed   [2]int   // fields with a disturbed repetition, and all
	fixed       bool     // a field is of a scheduler that draws nothing
}

type matrixRow struct {
	name string
	says string   // name and parameters, as far as they are not the defaults
	data *subject // nil: nothing was run
}

// A WholeFigure is a figure of an experiment as a whole.
type WholeFigure struct {
	plot.Figure
	Prefix   string // of the names of its files, where there are several machines
	Headline bool   // it has the speed-ups at the largest number of cores of its machine
	Machine  string // with the substrate where that is not native: "westmere-ex-4s, SIMULATED"
	// Findings are its conclusions: the best schedulers of rows.
	Findings []doc.Finding
}

// Matrices returns the figures of an experiment as a whole: for each machine and number of cores a
// heat map of kernels and schedulers for each quantity; none where there are fewer than two
// kernels, or than two schedulers. The largest number of cores of a machine is the first. Cost:
// that of [All].
func Matrices(e *dataset.Experiment) (list []WholeFigure) {
	all := matricesOf(e)
	for i, m := range all {
		first := i == 0 || all[i-1].Key != m.Key
		for j := range matrixParts {
			if f := m.figure(&matrixParts[j]); f != nil {
				machine := m.Machine
				if m.Substrate == loi.Simulated {
					machine += ", SIMULATED"
				}
				f.Prefix, f.Headline, f.Machine = m.prefix, first && j == 0, machine
				list = append(list, *f)
			}
		}
	}
	return list
}

func matricesOf(e *dataset.Experiment) (list []*matrix) {
	groups := e.Groups()
	var places []dataset.Key
	for i := range groups {
		if k := groups[i].Place(); !slices.Contains(places, k) {
			places = append(places, k)
		}
	}
	for _, key := range places {
		var subjects []*subject
		var cores []int
		pages := ""
		for i := range groups {
			if groups[i].Place() == key {
				s := newSubject(&groups[i])
				pages = cmp.Or(pages, s.Pages())
				subjects, cores = append(subjects, s), append(cores, s.cores...)
			}
		}
		slices.Sort(cores)
		for _, n := range slices.Backward(slices.Compact(cores)) {
			m := &matrix{Key: key, cores: n, pages: pages}
			if len(places) > 1 {
				m.prefix = fileWord(strings.Join(strings.Fields(strings.NewReplacer(",", "", "(", "",
					")", "").Replace(key.Substrate+" "+key.Machine+" "+key.Settings)), "-")) + "-"
			}
			m.fill(e, subjects)
			if len(m.rows) > 1 && len(m.schedulers) > 1 {
				list = append(list, m)
			}
		}
	}
	return list
}

// fill finds rows and columns, and what has no number and why.
func (m *matrix) fill(e *dataset.Experiment, subjects []*subject) {
	add := func(list *[]string, names ...string) {
		for _, name := range names {
			if name != request.SerialScheduler().Name && !slices.Contains(*list, name) {
				*list = append(*list, name)
			}
		}
	}
	done := map[string]bool{}     // cells
	machines := map[string]bool{} // by their names in the plan
	for _, s := range subjects {
		for _, c := range s.Cells {
			done[c.ID] = true
		}
		if slices.Contains(s.cores, m.cores) {
			m.rows = append(m.rows, matrixRow{s.Kernel, s.Changed(), s})
			add(&m.schedulers, s.schedulers...)
		}
	}
	var failed, nativeOnly []string
	for _, p := range e.Plan {
		machines[p.Machine] = machines[p.Machine] || done[p.ID]
	}
	for _, p := range e.Plan {
		if machines[p.Machine] && !done[p.ID] && p.Cores == m.cores {
			add(&failed, p.Kernel)
			add(&m.schedulers, p.Schedulers...)
			m.addRow(p.Kernel)
		}
	}
	if e.Info != nil && m.Substrate == loi.Simulated {
		for _, name := range e.Info.NativeOnly {
			add(&nativeOnly, name)
			if _, isKernel := kernels.ByName(name); isKernel {
				m.addRow(name)
			} else {
				add(&m.schedulers, name)
			}
		}
	}
	m.order()
	say := func(names []string, why string) {
		if len(names) > 0 {
			m.missing = append(m.missing, fmt.Sprintf("%s for %s: %s.", units.NotAvailable,
				strings.Join(names, ", "), why))
		}
	}
	say(nativeOnly, "cannot be simulated")
	say(failed, "not all of their runs were finished, or could be used")
}

// addRow adds a kernel without runs.
func (m *matrix) addRow(kernel string) {
	if !slices.ContainsFunc(m.rows, func(r matrixRow) bool { return r.name == kernel }) {
		m.rows = append(m.rows, matrixRow{name: kernel})
	}
}

// order puts rows and columns in the order of the tables, unknown ones last, and distinguishes rows
// of one kernel.
func (m *matrix) order() {
	rank := func(list []string, name string) int {
		if i := slices.Index(list, name); i >= 0 {
			return i
		}
		return len(list)
	}
	names, schedulers := request.KernelNames(), request.SchedulerNames()
	slices.SortStableFunc(m.rows, func(a, b matrixRow) int {
		return rank(names, a.name) - rank(names, b.name)
	})
	slices.SortStableFunc(m.schedulers, func(a, b string) int {
		return rank(schedulers, a) - rank(schedulers, b)
	})
	count := map[string]int{}
	for _, r := range m.rows {
		count[r.name]++
	}
	for i := range m.rows {
		if r := &m.rows[i]; count[r.name] > 1 && r.says != "" {
			r.name = r.says
		}
	}
}

// figure returns the heat map of one quantity; nil where no field has a number.
func (m *matrix) figure(part *matrixPart) *WholeFigure {
	m.reps, m.disturbed, m.fixed = [2]int{}, [2]int{}, false
	p := plot.Panel{Kind: plot.Matrix,
		X: plot.Axis{Min: -0.5, Max: float64(len(m.schedulers)) - 0.5, Turned: true},
		Y: plot.Axis{Label: part.title, Min: -0.5, Max: float64(len(m.rows)) - 0.5}}
	for i, name := range m.schedulers {
		p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(i), Label: name})
	}
	top := 0.0
	var without []string
	var samples [][]estimate.Sample
	for i := range m.rows { // the first row is at the top
		r := &m.rows[len(m.rows)-1-i]
		p.Y.Ticks = append(p.Y.Ticks, plot.Tick{Value: float64(i), Label: r.name})
		s, of := m.row(part, r)
		samples = append(samples, of)
		there, high := false, 0.0
		for _, v := range s.Points {
			if v.Y.Known() {
				there, high = true, math.Max(high, v.Y.Float())
			}
		}
		if !there && r.data != nil {
			without = append(without, r.name)
		}
		top = math.Max(top, high)
		for j := range s.Points {
			if v := &s.Points[j]; part.rows && v.Y.Known() {
				v.Shade = shade(part.depth(v.Y.Float(), high))
			}
		}
		p.Series = append(p.Series, s)
	}
	if !m.fixed && m.reps[1] == 0 {
		return nil
	}
	for i := range p.Series {
		for j := range p.Series[i].Points {
			if v := &p.Series[i].Points[j]; !part.rows && v.Y.Known() {
				v.Shade = shade(part.depth(v.Y.Float(), top))
			}
		}
	}
	cores := plural(m.cores, "core")
	f := &WholeFigure{Figure: plot.Figure{ID: fmt.Sprintf("%s-%s-%d", MatrixID, part.id, m.cores),
		Columns: 1, Title: title(part.title) + " on " + cores, Panels: []plot.Panel{p}}}
	ranks := estimate.Rank(samples)
	for i := range ranks {
		mark(p.Series[i].Points, &ranks[i])
	}
	f.Findings = part.sampled.Conclude(ranks, func(told bool, rows []int) string {
		return winners(&p, ranks, told, rows)
	})
	f.Caption = m.says(part, f.Findings)
	if len(without) > 0 {
		slices.Reverse(without)
		f.Caption = append(f.Caption, fmt.Sprintf("%s for %s: no such number (kernels that do no "+
			"work or access no data, or a serial program that takes no time).", units.NotAvailable,
			strings.Join(without, ", ")))
	}
	return f
}

// row returns one kernel: its fields, and of each the sample that is ranked.
func (m *matrix) row(part *matrixPart, r *matrixRow) (s plot.Series, samples []estimate.Sample) {
	s = plot.Series{Name: r.name, Colour: part.colour, Points: make([]plot.Point, len(m.schedulers))}
	samples = make([]estimate.Sample, len(m.schedulers))
	for j, name := range m.schedulers {
		v := &s.Points[j]
		*v = plot.Point{X: float64(j), At: name, Label: units.NotAvailable}
		if r.data == nil || r.data.at(name, m.cores) == nil {
			continue
		}
		if q := inPercent(part.measure, r.data.at(name, m.cores)); q.Median.Known() {
			samples[j] = part.sample(r.data.at(name, m.cores))
			v.Y, v.Low, v.High, v.N = q.Median, q.Low, q.High, q.N
			v.Label, v.Disturbed = threeDigits(q.Median.Float()), r.data.disturbed(name, m.cores)
			if m.disturbed[1]++; v.Disturbed {
				m.disturbed[0]++
			}
			if q.Reason == result.Deterministic {
				m.fixed = true
				continue
			}
			if m.reps[0] == 0 || q.N < m.reps[0] {
				m.reps[0] = q.N
			}
			m.reps[1] = max(m.reps[1], q.N)
		}
	}
	return s, samples
}

// mark marks the best of a row, and what it is not told from; nothing where that is all, or one.
func mark(points []plot.Point, r *estimate.Ranking) {
	marked := plot.MarkTied
	switch {
	case len(r.Order) < 2:
		return
	case r.Told:
		marked = plot.MarkBest
	case len(r.Few) > 0:
		marked = plot.MarkFirst
	case len(r.Tied)+1 == len(r.Order):
		return // marks would say nothing
	}
	points[r.Order[0]].Mark = marked
	for _, j := range r.Tied {
		points[j].Mark = marked
	}
}

func shade(v float64) float64 {
	if !(v > 0) { // nothing differs, or there is no scale
		return 0
	}
	return math.Min(v, 1)
}
