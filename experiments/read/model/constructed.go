package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/stats"
	"krdlab/hw/failure"
)

// A construction is a set of measures where each is computed from the others: a fit of one to them
// shows that the program can calculate. Its left side equals its right one in each row of a
// repetition.
type construction struct {
	measures []string
	why      string
	// sides computes both from the columns of a row: the measures, and cores.
	sides func(v func(string) float64) (left, right float64)
}

var constructions = []construction{
	{[]string{stats.CoreTime.Key, stats.Speedup.Key}, "core_time is cores / speedup",
		func(v func(string) float64) (left, right float64) {
			return v(stats.CoreTime.Key), v(coresColumn) / v(stats.Speedup.Key)
		}},
	{[]string{stats.CoreTime.Key, stats.OVR.Key, stats.WTI.Key}, "core_time is ovr x wti",
		func(v func(string) float64) (left, right float64) {
			return v(stats.CoreTime.Key), v(stats.OVR.Key) * v(stats.WTI.Key)
		}},
	{[]string{stats.Speedup.Key, stats.OVR.Key, stats.WTI.Key}, "speedup is cores / (ovr x wti)",
		func(v func(string) float64) (left, right float64) {
			return v(stats.Speedup.Key), v(coresColumn) / (v(stats.OVR.Key) * v(stats.WTI.Key))
		}},
	{[]string{stats.OVR.Key, stats.IdleShare.Key, stats.SchedShare.Key},
		"ovr is 1 / (1 - idle_share - sched_share)",
		func(v func(string) float64) (left, right float64) {
			return v(stats.OVR.Key), 1 / atWork(v)
		}},
	{[]string{stats.CoreTime.Key, stats.WTI.Key, stats.IdleShare.Key, stats.SchedShare.Key},
		"core_time is wti / (1 - idle_share - sched_share)",
		func(v func(string) float64) (left, right float64) {
			return v(stats.CoreTime.Key), v(stats.WTI.Key) / atWork(v)
		}},
	{[]string{stats.Speedup.Key, stats.WTI.Key, stats.IdleShare.Key, stats.SchedShare.Key},
		"speedup is cores x (1 - idle_share - sched_share) / wti",
		func(v func(string) float64) (left, right float64) {
			return v(stats.Speedup.Key), v(coresColumn) * atWork(v) / v(stats.WTI.Key)
		}},
	{[]string{stats.BeyondLLC.Key, stats.FarShare.Key, stats.ColdShare.Key},
		"beyond_llc is far + cold",
		func(v func(string) float64) (left, right float64) {
			return v(stats.BeyondLLC.Key), v(stats.FarShare.Key) + v(stats.ColdShare.Key)
		}},
	// of krdlab's own tables of repetitions
	{[]string{stats.Time.Key, "work_ns", "sched_ns", "idle_ns"},
		"cores x time_ns is work_ns + sched_ns + idle_ns",
		func(v func(string) float64) (left, right float64) {
			return v(coresColumn) * v(stats.Time.Key), v("work_ns") + v("sched_ns") + v("idle_ns")
		}},
	{[]string{stats.WTI.Key, "work_ns", "serial_work_ns"}, "wti is work_ns / serial_work_ns",
		func(v func(string) float64) (left, right float64) {
			return v(stats.WTI.Key), v("work_ns") / v("serial_work_ns")
		}},
	{[]string{stats.Speedup.Key, stats.Time.Key, "serial_time_ns"},
		"speedup is serial_time_ns / time_ns",
		func(v func(string) float64) (left, right float64) {
			return v(stats.Speedup.Key), v("serial_time_ns") / v(stats.Time.Key)
		}},
	{[]string{stats.CoreTime.Key, stats.Time.Key, "serial_time_ns"},
		"core_time is cores x time_ns / serial_time_ns",
		func(v func(string) float64) (left, right float64) {
			return v(stats.CoreTime.Key), v(coresColumn) * v(stats.Time.Key) / v("serial_time_ns")
		}},
	{[]string{stats.KernelTime.Key, "work_ns", "kernels"}, "kernel_ns is work_ns / kernels",
		func(v func(string) float64) (left, right float64) {
			return v(stats.KernelTime.Key), v("work_ns") / v("kernels")
		}},
}

// atWork returns the share of a run's core time that is neither idle nor scheduling.
func atWork(v func(string) float64) float64 {
	return 1 - v(stats.IdleShare.Key) - v(stats.SchedShare.Key)
}

// constructedWithin is how far apart the sides may be: workers' times leave out what starting and
// stopping them takes.
const constructedWithin = 0.01

// in counts the rows of f that have what c computes, and those of them where its sides are equal.
func (c *construction) in(f *regress.Frame) (equal, known int) {
	for i := range f.N {
		left, right := c.sides(func(name string) float64 {
			column := f.Column(name)
			if column == nil || column.Texts != nil {
				return math.NaN()
			}
			return column.Numbers[i]
		})
		switch d := math.Abs(left - right); {
		case math.IsNaN(d):
		case d <= constructedWithin*math.Abs(left):
			equal++
			known++
		default:
			known++
		}
	}
	return equal, known
}

// A ConstructedError reports that a formula has a relation that holds by construction.
type ConstructedError struct{ Formula, Why string }

func (e *ConstructedError) Error() string {
	return fmt.Sprintf("%s: %s, by construction; leave one of them out", e.Formula, e.Why)
}

// Class implements [failure.Classed].
func (*ConstructedError) Class() failure.Class { return failure.Request }

// constructed returns an error where the response and predictors of f are a construction. Names
// show it in an experiment, whose medians need not be equal, and in krdlab's own tables. Columns of
// other tables may have such names and mean other things: there the sides must be equal in each
// row that has both.
func (t *Table) constructed(f *regress.Formula) error {
	own := t.Experiment != nil || t.Folds == "cell"
	predictors, response := f.Columns()
	for _, c := range constructions {
		all := true
		for _, m := range c.measures {
			all = all && (slices.Contains(response, m) || slices.Contains(predictors, m))
		}
		if all && slices.ContainsFunc(c.measures, func(m string) bool {
			return slices.Contains(response, m)
		}) && (own || t.computed(&c)) {
			return &ConstructedError{f.String(), c.why}
		}
	}
	if same, both := t.sameMisses(); same > 0 && (slices.Contains(predictors, stats.MissLines.Key) &&
		slices.Contains(slices.Concat(predictors, response), stats.LinesLLC.Key) ||
		slices.Contains(response, stats.MissLines.Key) && slices.Contains(predictors, stats.LinesLLC.Key)) {
		return &ConstructedError{f.String(), misses(same, both)}
	}
	return nil
}

// computed reports whether the sides of c are equal in each row.
func (t *Table) computed(c *construction) bool {
	equal, known := c.in(t.Frame)
	return known > 0 && equal == known
}

// sameMisses returns in how many of both rows the misses of a model are the lines beyond the LLC, to
// the last one: they are no measure beside these then. 0 where they are few.
func (t *Table) sameMisses() (same, both int) {
	misses, lines := t.Frame.Column(stats.MissLines.Key), t.Frame.Column(stats.LinesLLC.Key)
	if misses == nil || lines == nil || misses.Texts != nil || lines.Texts != nil {
		return 0, 0
	}
	for i, m := range misses.Numbers {
		l := lines.Numbers[i]
		if math.IsNaN(m) || math.IsNaN(l) || m == 0 && l == 0 {
			continue
		}
		both++
		if math.Abs(m-l) <= 1e-9*l {
			same++
		}
	}
	if same*4 < both {
		return 0, 0
	}
	return same, both
}

// rowsEach is how many rows a coefficient should have at least.
const rowsEach = 3

// known counts the rows with a value in each of some columns; a response that is no column has one
// everywhere.
func (t *Table) known(response string, names []string) (n int) {
	columns := []*regress.Column{t.Frame.Column(response)}
	for _, name := range names {
		columns = append(columns, t.Frame.Column(name))
	}
	for i := range t.Frame.N {
		if !slices.ContainsFunc(columns, func(c *regress.Column) bool {
			return c != nil && c.Texts == nil && math.IsNaN(c.Numbers[i])
		}) {
			n++
		}
	}
	return n
}

// sameFrom is the squared Spearman coefficient from which the default formula has one of two.
const sameFrom = 0.95

// like returns the column of names that c is in ranks, with their squared Spearman coefficient; ""
// for none.
func (t *Table) like(c *regress.Column, names []string) (string, float64) {
	for _, name := range names {
		var a, b []float64
		for i, v := range t.Frame.Column(name).Numbers {
			if w := c.Numbers[i]; !math.IsNaN(v) && !math.IsNaN(w) {
				a, b = append(a, v), append(b, w)
			}
		}
		if rho2 := regress.Spearman2(estimate.Ranks(a), estimate.Ranks(b)); rho2 >= sameFrom {
			return name, rho2
		}
	}
	return "", 0
}

// DefaultFormula returns the formula of an experiment without one: a response of the reuse at two
// levels, misses, scheduling events, idle time and cores that the table has, and their products. A
// measure that is the same in all rows, or is another by construction or in ranks, is left out,
// and why is a warning.
func (t *Table) DefaultFormula(response string) string {
	candidates := []string{stats.LinesL2.Key, stats.LinesLLC.Key, stats.MissLines.Key,
		stats.Spawns.Key, stats.Steals.Key, stats.RemoteSteals.Key, stats.FailedSteals.Key,
		stats.IdleShare.Key, coresColumn}
	if n := t.Frame.N; response == stats.WTI.Key {
		if err := t.Where(Condition{coresColumn, ">", "1"}); err == nil && t.Frame.N < n {
			t.Find(oneCore, n-t.Frame.N, response)
		}
	}
	var names []string
	for _, name := range candidates {
		c := t.Frame.Column(name)
		known, varies := 0, false
		first := math.NaN()
		for _, v := range c.Numbers {
			if math.IsNaN(v) {
				continue
			}
			if known == 0 {
				first = v
			}
			known++
			varies = varies || v != first
		}
		switch same, both := t.sameMisses(); {
		case name == response:
		case same > 0 && (name == stats.MissLines.Key || name == stats.LinesLLC.Key &&
			response == stats.MissLines.Key):
			t.Find(modelledLines, name, same, both)
		case known*2 < t.Frame.N:
			t.Find(fewHave, name, known, t.Frame.N)
		case !varies:
			t.Find(constantLeft, name)
		default:
			if like, rho2 := t.like(c, names); like != "" {
				t.Find(sameRanks, name, like, rho2)
				continue
			}
			names = append(names, name)
		}
	}
	p := len(names)
	switch known, second := t.known(response, names), 1+p+p*(p-1)/2; {
	case p == 0:
		return response + " ~ 1"
	case p == 1:
		return response + " ~ " + names[0]
	case known < rowsEach*second:
		t.Find(noProducts, known, second, rowsEach)
		return response + " ~ " + strings.Join(names, " + ")
	}
	return response + " ~ (" + strings.Join(names, " + ") + ")^2"
}
