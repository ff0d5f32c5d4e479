package correlate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/result"
	"krdlab/experiments/show"
	"krdlab/experiments/stats"
	"krdlab/hw/units"
	"krdlab/loi"
)

// WriteText writes the report for a person at a terminal: the answers, in at most 30 lines of 80
// columns, and warnings. With all, then for each family the numbers of each configuration (KRD
// paper, table I), its KRD shares, the coefficients of all points in every scope, and which point
// is best, about 110 columns wide.
func (r *Report) WriteText(p *show.Page, all bool) error {
	t := &texter{Page: p}
	if len(r.Families) > 0 {
		t.writeAnswer(r, all)
	}
	for i := range r.Families {
		if all {
			t.line("")
			t.family(&r.Families[i])
			continue
		}
		t.warnings(r.Families[i].Warnings)
	}
	if len(r.Families) == 0 {
		t.line("%s: nothing to correlate: no cell can be used", r.Experiment)
	}
	if len(r.Families) > 1 && all {
		t.line("")
		t.line("The %d parts above differ in kernel, substrate, machine or settings; nothing is "+
			"pooled across them.", len(r.Families))
	}
	t.warnings(r.Warnings)
	return p.Close()
}

type texter struct {
	*show.Page
	notes []string
}

func (t *texter) line(format string, args ...any) { t.Line(format, args...) }

func (t *texter) warnings(list []string) {
	for _, m := range list {
		t.Brief("warning: " + m)
	}
}

// note returns "[i]" for a reason.
func (t *texter) note(reason string) string {
	i := slices.Index(t.notes, reason)
	if i < 0 {
		i = len(t.notes)
		t.notes = append(t.notes, reason)
	}
	return fmt.Sprintf("[%d]", i+1)
}

// flush writes the notes so far.
func (t *texter) flush() {
	for i, n := range t.notes {
		t.line("[%d] %s", i+1, n)
	}
	t.notes = nil
}

// origin says what the numbers of a family are not: a measurement.
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
		list = append(list, fmt.Sprintf("%s: %d of %s", show.DisturbedNote, disturbed,
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

func (t *texter) family(f *Family) {
	t.line("%s", f)
	for _, s := range f.origin() {
		t.line("%s", s)
	}
	t.line("L2 %s, LLC %s", bytesOrNA(uint64(f.L2Bytes)), bytesOrNA(uint64(f.LLCBytes)))
	t.line("")
	t.tableI(f)
	t.line("")
	t.shares(f)
	t.flush()
	for i := range f.Scopes {
		s := &f.Scopes[i]
		for j := range s.Associations {
			t.association(s, &s.Associations[j])
		}
	}
	for _, o := range associations(f) {
		t.overview(f, o)
	}
	t.bests(f)
	t.warnings(f.Warnings)
	if n, p := f.tests(); n > 0 {
		t.line("%d coefficients have a p. %d are below 0.05; at most %.0f would be if nothing "+
			"went with anything. They are many looks at the same runs.", n, p,
			math.Round(0.05*float64(n)))
	}
}

// tableI is the paper's table I: a row for each configuration.
func (t *texter) tableI(f *Family) {
	column := func(of func(*Configuration) result.Quantity) []result.Quantity {
		list := make([]result.Quantity, len(f.Configurations))
		for i := range f.Configurations {
			list[i] = of(&f.Configurations[i])
		}
		return list
	}
	ratios := func(of func(*Configuration) result.Quantity) []string {
		return show.Ranges(column(of), 1, "")
	}
	timeUnit, times := show.Times(column(func(c *Configuration) result.Quantity { return c.TimeNS }),
		true)
	kernelUnit, kernel := show.Times(column(func(c *Configuration) result.Quantity {
		return c.KernelNS
	}), true)
	misses := show.Counts(column(func(c *Configuration) result.Quantity {
		return c.LLCMissesPerCore
	}), true)
	perAccess := ratios(func(c *Configuration) result.Quantity { return c.LLCMissesPerAccess })
	wti := ratios(func(c *Configuration) result.Quantity { return c.WTI })
	ovr := ratios(func(c *Configuration) result.Quantity { return c.OVR })
	header, left := f.lead()
	keys := len(header)
	header = append(header, "time, "+timeUnit, "LLC misses\nper core", "\nfrom",
		"misses\nper access", "kernel\ntime, "+kernelUnit, "inflation\n(WTI)", "OVR", "reps")
	var rows [][]string
	for i := range f.Configurations {
		c := &f.Configurations[i]
		source := "-"
		if c.LLCSource != nil {
			source = *c.LLCSource
			if source != *c.MissSource {
				source += " " + t.note("misses from "+*c.MissSource)
			}
		}
		reps := strconv.Itoa(c.TimeNS.N)
		if c.Deterministic {
			reps += " " + t.note("deterministic: nothing is drawn, each repetition gives this "+
				"value")
		}
		rows = append(rows, append(f.leadOf(c), times[i], misses[i], source, perAccess[i], kernel[i],
			wti[i], ovr[i], reps))
	}
	t.configurations(f, show.Columns(left, header, rows), keys)
	t.line("Medians of the repetitions, and below them intervals of at least 95 %% (none below 6 " +
		"repetitions).")
}

// configurations writes a table of all configurations, whose first columns name them.
func (t *texter) configurations(f *Family, table *show.Table, keys int) {
	table.Keys = keys
	t.Table(table)
	if slices.ContainsFunc(f.Configurations, func(c Configuration) bool { return c.Disturbed }) {
		t.line("%s", show.DisturbedNote)
	}
}

// shares are the KRD shares of each configuration, in per cent of all accesses: a few with
// intervals, then all.
func (t *texter) shares(f *Family) {
	pick := func(keep func(stats.Point) bool) (columns []int) {
		for p := range f.Points {
			if keep(f.Points[p]) {
				columns = append(columns, p)
			}
		}
		return columns
	}
	shown := f.shown()
	t.line("KRD: accesses with a distance of at least that, in %% of all; far: finite, distance " +
		"+ size > LLC; cold: INF. reps were traced")
	t.shareTable(f, pick(func(p stats.Point) bool { return slices.Contains(shown, p.Name) }),
		func(p stats.Point) string {
			return strings.Replace(p.Name, " or cold", "\nor cold", 1)
		})
	for _, cold := range []bool{true, false} {
		t.line("")
		t.line("%s", map[bool]string{true: "all distances, cold accesses counted in",
			false: "all distances, finite only"}[cold])
		t.shareTable(f, pick(func(p stats.Point) bool { return p.Cold == cold }),
			func(p stats.Point) string {
				return short.Replace(p.Name)
			})
	}
}

var short = strings.NewReplacer(" or cold", "", ">= ", "", " KiB", "K", " MiB", "M", " GiB", "G")

func (t *texter) shareTable(f *Family, columns []int, name func(stats.Point) string) {
	header, left := f.lead()
	keys := len(header)
	rows := make([][]string, len(f.Configurations))
	for i := range rows {
		rows[i] = f.leadOf(&f.Configurations[i])
	}
	traced := make([]int, len(rows))
	for _, p := range columns {
		header = append(header, name(f.Points[p]))
		shares := make([]result.Quantity, len(rows))
		for i := range rows {
			shares[i] = f.Configurations[i].Shares[p]
			traced[i] = max(traced[i], shares[i].N)
		}
		for i, cell := range show.Ranges(shares, 100, "") {
			rows[i] = append(rows[i], cell)
		}
	}
	header = append(header, "reps")
	for i := range rows {
		rows[i] = append(rows[i], strconv.Itoa(traced[i]))
	}
	t.configurations(f, show.Columns(left, header, rows), keys)
}

// shown are the points that get intervals, and a column in the overviews.
func (f *Family) shown() []string {
	list := []string{stats.FarOrCold.Name, stats.At(stats.PaperBytes, true).Name, stats.Cold.Name,
		stats.Far.Name, stats.At(stats.PaperBytes, false).Name}
	return slices.DeleteFunc(list, func(name string) bool {
		return !slices.ContainsFunc(f.Points, func(p stats.Point) bool { return p.Name == name })
	})
}

// lead returns the first columns of tables of configurations, and how many of them are words.
func (f *Family) lead() (header []string, left int) {
	if f.sized() {
		return []string{f.SizeParam, "scheduler", "cores"}, 2
	}
	return []string{"scheduler", "cores"}, 1
}

func (f *Family) leadOf(c *Configuration) []string {
	row := []string{show.Marked(c.Scheduler, c.Disturbed), strconv.Itoa(c.Cores)}
	if f.sized() {
		row = append([]string{c.Size}, row...)
	}
	return row
}

func (f *Family) sized() bool {
	return len(distinct(f.Configurations, func(c *Configuration) string { return c.Size })) > 1
}

// association is a table of all points.
func (t *texter) association(s *Scope, a *Association) {
	t.line("")
	t.line("%s against KRD shares: %s, n = %d pairs", a.title(), s.Name, a.N)
	if len(a.Coefficients) > 0 {
		rows := make([][]string, 0, len(a.Coefficients))
		for i := range a.Coefficients {
			c := &a.Coefficients[i]
			rows = append(rows, []string{c.Point, t.value(&c.Pearson), interval(&c.Pearson),
				show.Probability(c.Pearson.P),
				t.value(&c.Spearman), interval(&c.Spearman), show.Probability(c.Spearman.P)})
		}
		t.Table(show.Columns(1, []string{"share", "Pearson", "95 % (Fisher)", "p",
			"Spearman", "95 % (bootstrap)", "p"}, rows))
		method := "from t with n - 2 degrees of freedom"
		switch {
		case a.PMethod == PExact:
			method = "exact, by all permutations"
		case a.Units != a.N:
			method = fmt.Sprintf("from t with %d - %d - 1 degrees of freedom: %d units, whose "+
				"means are taken off", a.N, a.Units, a.Units)
		}
		t.line("p is two-sided, %s.", method)
	}
	for _, n := range a.Notes {
		t.line("%s.", n)
	}
	t.flush()
}

// key tells the associations of different scopes apart.
type key struct {
	outcome Outcome
	source  string
}

func (a *Association) key() key {
	k := key{outcome: a.Outcome}
	if a.MissSource != nil {
		k.source = *a.MissSource
	}
	return k
}

func (a *Association) title() string { return a.key().String() }

func (k key) String() string {
	if k.source != "" {
		return k.outcome.String() + " (" + k.source + ")"
	}
	return k.outcome.String()
}

func associations(f *Family) []key {
	var list []key
	for _, o := range Outcomes {
		for i := range f.Scopes {
			for j := range f.Scopes[i].Associations {
				if k := f.Scopes[i].Associations[j].key(); k.outcome == o && !slices.Contains(list,
					k) {
					list = append(list, k)
				}
			}
		}
	}
	return list
}

func (s *Scope) find(k key) *Association {
	for i := range s.Associations {
		if s.Associations[i].key() == k {
			return &s.Associations[i]
		}
	}
	return nil
}

// tests counts the coefficients with a p, and those of them below 0.05.
func (f *Family) tests() (n, below int) {
	for i := range f.Scopes {
		for j := range f.Scopes[i].Associations {
			for _, c := range f.Scopes[i].Associations[j].Coefficients {
				for _, p := range []result.Number{c.Pearson.P, c.Spearman.P} {
					if p.Known() {
						n++
						if p.Float() < 1-result.Confidence {
							below++
						}
					}
				}
			}
		}
	}
	return n, below
}

func (t *texter) value(c *Coefficient) string {
	if !c.Value.Known() {
		return c.lack.what + " " + t.note(c.lack.why)
	}
	return signed(c.Value)
}

func bytesOrNA(n uint64) string {
	if n == 0 {
		return show.NotAvailable
	}
	return units.Bytes(n)
}
