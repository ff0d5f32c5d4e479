package correlate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// View returns what people read of the report: the answers and warnings. With all, also the numbers
// of each configuration (KRD paper, table I), its KRD shares, the coefficients of all points in
// every scope, and which point is best.
func (r *Report) View(all bool) *doc.Doc {
	d := &doc.Doc{}
	if len(r.Families) == 0 {
		d.Say("%s: nothing to correlate: no cell can be used", r.Experiment)
	} else {
		r.answer(d, all)
	}
	var limits []doc.Finding
	for i := range r.Families {
		if f := &r.Families[i]; all {
			d.Add(f.view())
		} else {
			limits = append(limits, f.Findings...)
		}
	}
	d.Warnings = doc.Sentences(doc.Once("parts", limits))
	if len(r.Families) > 1 && all {
		d.Add(doc.Paragraph{fmt.Sprintf("The %d parts above differ in kernel, substrate, machine or "+
			"settings; nothing is pooled across them.", len(r.Families))})
	}
	d.Warnings = append(d.Warnings, r.Warnings...)
	return d
}

// origin returns what limits the numbers of a family: that they are no measurement.
func (f *Family) origin() (list []string) {
	if f.Substrate == loi.Simulated {
		list = append(list, "SIMULATED: times and misses are those of a model, no measurement")
	} else if slices.ContainsFunc(f.Configurations, func(c Configuration) bool {
		return c.LLCSource != nil && *c.LLCSource == result.LLCSourceModel
	}) {
		list = append(list,
			"LLC misses from model: a trace replayed through a cache model, no measurement")
	}
	disturbed := 0
	for i := range f.Configurations {
		if f.Configurations[i].Disturbed {
			disturbed++
		}
	}
	if disturbed > 0 {
		list = append(list, fmt.Sprintf("%s: %d of %s", brief.DisturbedNote, disturbed,
			units.Count(len(f.Configurations), "configuration")))
	}
	for _, s := range f.Scopes {
		for i := range s.Associations {
			a := &s.Associations[i]
			if m := a.excess(); m != "" && !a.ByConstruction && s.Kind == AllConfigurations &&
				a.Outcome == MissesPerAccess {
				list = append(list, fmt.Sprintf("Misses (%s) differ from the lines that are far "+
					"or cold by %s", *a.MissSource, m))
			}
		}
	}
	return list
}

func (f *Family) view() *doc.Doc {
	d := &doc.Doc{Title: f.String(), Warnings: f.Warnings}
	d.Add(append(doc.Paragraph(f.origin()),
		fmt.Sprintf("L2 %s, LLC %s", bytesOrNA(uint64(f.L2Bytes)), bytesOrNA(uint64(f.LLCBytes)))))
	d.Add(&doc.Doc{Parts: []doc.Part{f.tableI()}}) // its notes follow it
	f.shares(d)
	for i := range f.Scopes {
		s := &f.Scopes[i]
		for j := range s.Associations {
			if a := &s.Associations[j]; len(a.Coefficients) > 0 {
				d.Add(a.table(s))
			}
		}
	}
	if limits := f.limits(); len(limits) > 0 {
		d.Add(doc.Paragraph(doc.Sentences(limits)))
	}
	for _, k := range associations(f) {
		d.Add(f.overview(k))
	}
	f.bests(d)
	if n, p := f.tests(); n > 0 {
		d.Say("%d coefficients have a p. %d are below 0.05; at most %.0f would be if nothing "+
			"went with anything. They are many looks at the same runs.", n, p,
			math.Round(0.05*float64(n)))
	}
	return d
}

// configurations returns a table of a row for each configuration, whose first columns name it.
func (f *Family) configurations(title string, columns []doc.Column,
	row func(*Configuration) []any) *doc.Table {
	lead := []doc.Column{{Head: "scheduler"}, {Head: "cores", Kind: doc.Whole}}
	sized := len(distinct(f.Configurations, func(c *Configuration) string { return c.Size })) > 1
	if sized {
		lead = append([]doc.Column{{Head: f.SizeParam}}, lead...)
	}
	t := &doc.Table{Title: title, Keys: len(lead), Columns: append(lead, columns...)}
	disturbed := false
	for i := range f.Configurations {
		c := &f.Configurations[i]
		disturbed = disturbed || c.Disturbed
		cells := []any{brief.Marked(c.Scheduler, c.Disturbed), c.Cores}
		if sized {
			cells = append([]any{c.Size}, cells...)
		}
		t.Row(append(cells, row(c)...)...)
	}
	if disturbed {
		t.Remarks = append(t.Remarks, brief.DisturbedNote)
	}
	return t
}

// right returns a column of texts that are numbers.
func right(head string) doc.Column { return doc.Column{Head: head, Kind: doc.Real} }

// tableI returns the paper's table I: a row for each configuration.
func (f *Family) tableI() *doc.Table {
	below := func(head string, unit doc.Unit) doc.Column {
		return doc.Column{Head: head, Kind: doc.Real, Unit: unit, Spread: doc.Below}
	}
	t := f.configurations("", []doc.Column{below("time", doc.Nanoseconds),
		below("LLC misses\nper core", doc.Lines), {Head: "\nfrom"},
		below("misses\nper access", doc.Plain), below("kernel\ntime", doc.Nanoseconds),
		below("inflation\n(WTI)", doc.Plain), below("OVR", doc.Plain), right("reps")},
		func(c *Configuration) []any {
			var source, reps any = "-", c.TimeNS.N
			if c.LLCSource != nil {
				source = *c.LLCSource
				if source != *c.MissSource {
					source = doc.Noted{Value: source, Note: "misses from " + *c.MissSource}
				}
			}
			if c.Deterministic {
				reps = doc.Noted{Value: reps, Note: "deterministic: nothing is drawn, each " +
					"repetition gives this value"}
			}
			return []any{c.TimeNS, c.LLCMissesPerCore, source, c.LLCMissesPerAccess, c.KernelNS,
				c.WTI, c.OVR, reps}
		})
	t.Remarks = append(t.Remarks, "Medians of the repetitions, and below them intervals of at "+
		"least 95 % (none below 6 repetitions).")
	return t
}

// shares adds the KRD shares of each configuration, in per cent of all accesses: a few with
// intervals, then all.
func (f *Family) shares(d *doc.Doc) {
	shown := f.shown()
	add := func(title string, head func(string) string, keep func(stats.Point) bool) {
		var columns []doc.Column
		var points []int
		for p := range f.Points {
			if keep(f.Points[p]) {
				points = append(points, p)
				columns = append(columns, doc.Column{Head: head(f.Points[p].Name), Kind: doc.Real,
					Unit: doc.PerCent, Spread: doc.Below})
			}
		}
		d.Add(f.configurations(title, append(columns, right("reps")), func(c *Configuration) []any {
			var row []any
			traced := 0
			for _, p := range points {
				row = append(row, c.Shares[p])
				traced = max(traced, c.Shares[p].N)
			}
			return append(row, traced)
		}))
	}
	add("KRD: accesses with a distance of at least that, in % of all; far: finite, distance "+
		"+ size > LLC; cold: INF. reps were traced", twoLines,
		func(p stats.Point) bool { return slices.Contains(shown, p.Name) })
	add("all distances, cold accesses counted in", short.Replace,
		func(p stats.Point) bool { return p.Cold })
	add("all distances, finite only", short.Replace, func(p stats.Point) bool { return !p.Cold })
}

var short = strings.NewReplacer(" or cold", "", ">= ", "", " KiB", "K", " MiB", "M", " GiB", "G")

// twoLines returns the name of a point as a head.
func twoLines(name string) string { return strings.Replace(name, " or cold", "\nor cold", 1) }

// shown returns the points that get intervals, and a column in the overviews.
func (f *Family) shown() []string {
	list := []string{stats.FarOrCold.Name, stats.At(stats.PaperBytes, true).Name, stats.Cold.Name,
		stats.Far.Name, stats.At(stats.PaperBytes, false).Name}
	return slices.DeleteFunc(list, func(name string) bool {
		return !slices.ContainsFunc(f.Points, func(p stats.Point) bool { return p.Name == name })
	})
}

// View returns the table of the coefficients of all points in a scope, or why there are none.
func (a *Association) View(s *Scope) *doc.Doc {
	d := &doc.Doc{}
	if len(a.Coefficients) == 0 {
		d.Say("%s", a.heading(s))
	} else {
		d.Add(a.table(s))
	}
	for _, n := range a.Notes {
		d.Say("%s.", n)
	}
	return d
}

func (a *Association) heading(s *Scope) string {
	return fmt.Sprintf("%s against KRD shares: %s, n = %d pairs", a.title(), s.Name, a.N)
}

func (a *Association) table(s *Scope) *doc.Table {
	method := "from t with n - 2 degrees of freedom"
	switch {
	case a.PMethod == PExact:
		method = "exact, by all permutations"
	case a.Units != a.N:
		method = fmt.Sprintf("from t with %d - %d - 1 degrees of freedom: %d units, whose "+
			"means are taken off", a.N, a.Units, a.Units)
	}
	t := &doc.Table{Title: a.heading(s), Columns: []doc.Column{{Head: "share"}, right("Pearson"),
		right("95 % (Fisher)"), right("p"), right("Spearman"), right("95 % (bootstrap)"),
		right("p")}, Remarks: []string{"p is two-sided, " + method + "."}}
	for i := range a.Coefficients {
		c := &a.Coefficients[i]
		t.Row(c.Point, c.Pearson.cell(), interval(&c.Pearson), doc.Probability(c.Pearson.P),
			c.Spearman.cell(), interval(&c.Spearman), doc.Probability(c.Spearman.P))
	}
	return t
}

// cell returns the coefficient, or the reason why there is none.
func (c *Coefficient) cell() any {
	if !c.Value.Known() {
		return doc.Noted{Value: c.lack(), Note: doc.Find(c.Code).Sentence()}
	}
	return signed(c.Value)
}

// overview returns a table with a row for each scope: Spearman's coefficients of a few points.
func (f *Family) overview(k key) *doc.Doc {
	shown := f.shown()
	t := &doc.Table{Title: fmt.Sprintf("%s, by what is set against what", k),
		Columns: []doc.Column{{Head: "Spearman"}, right("pairs")}}
	for _, name := range shown {
		t.Columns = append(t.Columns, right(twoLines(name)))
	}
	for i := range f.Scopes {
		s := &f.Scopes[i]
		a := s.find(k)
		if a == nil {
			continue
		}
		row := []any{s.Name, a.N}
		for _, name := range shown {
			at := slices.IndexFunc(a.Coefficients,
				func(c Coefficients) bool { return c.Point == name })
			if at < 0 {
				row = append(row, doc.Missing("too few pairs with a KRD and this outcome"))
				continue
			}
			c := &a.Coefficients[at].Spearman
			cell := c.cell()
			if c.Value.Known() {
				text := signed(c.Value)
				if c.P.Known() {
					text += ", p " + doc.Probability(c.P)
				}
				if c.Low.Known() {
					text += "\n" + interval(c)
				}
				cell = text
			}
			row = append(row, cell)
		}
		t.Row(row...)
	}
	for _, name := range shown {
		if m := f.reversed(k, name); m != "" {
			t.Remarks = append(t.Remarks, m+".")
		}
	}
	return &doc.Doc{Parts: []doc.Part{t}}
}

// reversed returns where a point's coefficient changes its sign when cores and size are held equal
// (Simpson's paradox), "" if it does not.
func (f *Family) reversed(k key, point string) string {
	of := func(kind Kind) float64 {
		for i := range f.Scopes {
			if a := f.Scopes[i].find(k); a != nil && f.Scopes[i].Kind == kind {
				for _, c := range a.Coefficients {
					if c.Point == point {
						return c.Spearman.Value.Float()
					}
				}
			}
		}
		return math.NaN()
	}
	all, equal := of(AllConfigurations), of(EqualCores)
	if !(all*equal < 0 && min(math.Abs(all), math.Abs(equal)) >= 0.1) {
		return ""
	}
	return fmt.Sprintf("%s: %.3f over all, and %.3f between schedulers at equal cores and size: "+
		"over all it is cores or sizes that move both (Simpson's paradox)",
		point, all, equal)
}

// bests adds for the larger scopes which point goes with each outcome most strongly.
func (f *Family) bests(d *doc.Doc) {
	list := doc.Paragraph{"Which KRD share goes with it most strongly"}
	for i := range f.Scopes {
		s := &f.Scopes[i]
		if s.Kind == OneScheduler || s.Kind == OneCoreCount {
			continue
		}
		for j := range s.Associations {
			if a := &s.Associations[j]; a.BestPearson != nil {
				list = append(list, fmt.Sprintf("- %s, %s, n = %d pairs", s.Name, a.title(), a.N),
					"    by Pearson   "+a.BestPearson.String(),
					"    by Spearman  "+a.BestSpearman.String())
			}
		}
	}
	if len(list) > 1 {
		d.Add(list)
	}
}

func bytesOrNA(n uint64) string {
	if n == 0 {
		return doc.NotAvailable
	}
	return units.Bytes(n)
}
