package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// source returns where the numbers of a group come from: the first line of every caption.
func (s *subject) source() string {
	m := s.machine()
	words := "Measured on " + m.Name
	if s.Substrate != loi.Native {
		words = "SIMULATED, not measured, on the machine " + m.Name
	}
	if m.Nodes > 0 && m.CoresPerNode > 0 {
		words += fmt.Sprintf(" (%s of %s)", plural(m.Nodes, "node"), plural(m.CoresPerNode, "core"))
	}
	words += ": " + strings.TrimSpace(s.Kernel+" "+s.Params)
	if s.Settings != "" {
		words += "; " + s.Settings
	}
	if p := s.Pages(); p != "" {
		words += ", " + p
	}
	return words + "."
}

// A statistic describes the points of a figure, and the bars around them.
type statistic struct{ points, bars string }

var (
	ratios = statistic{"medians", "Bars, where larger than the marker: intervals of at least " +
		"95\u00a0% by bootstrap"}
	meanRatios = statistic{"ratios of the means", ratios.bars}
	shareStats = statistic{"medians", "Bars, where larger than the marker: intervals of at least " +
		"95\u00a0%, of order statistics"}
)

// A tally counts what the points of a figure are of.
type tally struct {
	low, high int // repetitions behind a point of those that draw at random
	few, all  int // of these points, those with too few repetitions for an interval; all
}

func (t *tally) add(repetitions int, interval bool) {
	if t.all == 0 || repetitions < t.low {
		t.low = repetitions
	}
	t.high = max(t.high, repetitions)
	t.all++
	if !interval {
		t.few++
	}
}

// says describes points and bars; extra is added on the bars.
func (t *tally) says(how statistic, noun, seeds, extra string) string {
	if t.all == 0 {
		return "Points: one value each."
	}
	text := fmt.Sprintf("Points: %s of n\u00a0=\u00a0%s (%s). ", how.points, counted(t.low, t.high,
		noun),
		seeds)
	switch t.few {
	case t.all:
		return text + "No intervals: fewer than 6 repetitions."
	case 0:
		return text + how.bars + extra + "."
	}
	return text + how.bars + extra + ". None where there are fewer than 6 repetitions."
}

// sample returns what the points of figures are: of how many repetitions, of how many seeds, and
// what bars are, unless there are none.
func (s *subject) sample(how statistic) string {
	var t tally
	doubtful, all := 0, 0
	extra := ""
	for _, r := range s.ordered() {
		if !r.Deterministic {
			t.add(len(r.Repetitions), r.Summary.TimeNS.Low.Known())
		}
		if !r.Serial.Deterministic {
			extra = ", the serial runs varying too"
		}
		all += len(r.Repetitions)
		for i := range r.Repetitions {
			if len(r.Repetitions[i].Flags) > 0 {
				doubtful++
			}
		}
	}
	text := t.says(how, "repetition", s.seedText(), extra)
	if words := s.deterministic(s.cores...); words != "" {
		text += " " + words
	}
	if doubtful > 0 {
		text += fmt.Sprintf(" %d of the %d repetitions are doubtful: see the warnings of the runs.",
			doubtful, all)
	}
	return text
}

// deterministic returns which schedulers drew nothing at random on the given core counts, so that
// their repetitions are one value; "" if all did.
func (s *subject) deterministic(cores ...int) string {
	var where []string // each list of core counts once
	names := map[string][]string{}
	whole := true // no scheduler draws anywhere
	for _, name := range s.schedulers {
		var fixed []string
		draws := false
		for _, n := range cores {
			if r := s.at(name, n); r != nil {
				if r.Deterministic {
					fixed = append(fixed, fmt.Sprint(n))
				}
				draws = draws || !r.Deterministic
			}
		}
		whole = whole && !draws
		if len(fixed) == 0 {
			continue
		}
		place := ""
		if draws {
			place = " on " + units.List(fixed) + " cores"
			if len(fixed) == 1 && fixed[0] == "1" {
				place = " on 1\u00a0core"
			}
		}
		if names[place] == nil {
			where = append(where, place)
		}
		names[place] = append(names[place], name)
	}
	var list []string
	for _, place := range where {
		list = append(list, units.List(names[place])+place)
	}
	switch {
	case len(list) == 0:
		return ""
	case whole:
		return "Deterministic, no interval: nothing was drawn at random."
	}
	return "Deterministic, one value and no interval: " + strings.Join(list, "; ") + "."
}

// disturbed reports whether other programs, or the machine, disturbed a cell.
func (s *subject) disturbed(scheduler string, cores int) bool {
	r := s.at(scheduler, cores)
	return r != nil && r.Disturbed()
}

// disturbances names the disturbed cells, for figures without markers.
func (s *subject) disturbances(cores ...int) []string {
	var list []string
	for _, name := range s.schedulers {
		var where []string
		for _, n := range cores {
			if s.disturbed(name, n) {
				where = append(where, fmt.Sprint(n))
			}
		}
		if len(where) > 0 {
			list = append(list, name+" on "+units.List(where))
		}
	}
	if list == nil {
		return nil
	}
	return []string{"Doubtful, because " + plot.DisturbedBy + ": " + strings.Join(list, "; ") +
		" cores."}
}

// ordered returns the results by scheduler and core count.
func (s *subject) ordered() []*result.Result {
	var list []*result.Result
	for _, name := range s.schedulers {
		for _, n := range s.cores {
			if r := s.at(name, n); r != nil {
				list = append(list, r)
			}
		}
	}
	return list
}

// seeds returns how many different seeds the cells have.
func (s *subject) seeds() int {
	seen := map[uint64]bool{}
	for _, c := range s.Cells {
		seen[c.Result.Seed] = true
	}
	return len(seen)
}

// seedText returns how many seeds there are. Each repetition of a simulated cell has one that is
// derived from the cell's.
func (s *subject) seedText() string {
	switch n := s.seeds(); {
	case s.Substrate != loi.Simulated:
		return plural(n, "seed")
	case n > 1:
		return fmt.Sprintf("of %d seeds, and each with one of its own", n)
	}
	return "each with a seed of its own"
}

// plural keeps a number and its noun on one line.
func plural(n int, noun string) string { return fmt.Sprintf("%d\u00a0%s", n, units.Noun(n, noun)) }

// absent returns which schedulers of the group are not in the panel, and of a panel against cores
// which points it has not.
func (s *subject) absent(p *plot.Panel) (lines []string) {
	var list, points []string
	across := false
	for _, name := range s.schedulers {
		i := slices.IndexFunc(p.Series, func(e plot.Series) bool { return e.Name == name })
		if i < 0 {
			list = append(list, name)
			continue
		}
		var missing []string
		at := p.Series[i].Points
		for _, n := range s.cores {
			if p.X.Unit == "cores" && !slices.ContainsFunc(at,
				func(v plot.Point) bool { return v.X == float64(n) }) {
				missing = append(missing, fmt.Sprint(n))
				across = across || len(at) > 1 && at[0].X < float64(n) && at[len(at)-1].X > float64(n)
			}
		}
		if len(missing) > 0 {
			points = append(points, name+" on "+strings.Join(missing, ", "))
		}
	}
	if len(list) > 0 {
		lines = append(lines, notDrawn(list))
	}
	if len(points) > 0 {
		text := "Not measured: " + strings.Join(points, "; ") + " cores."
		if across {
			text += " Lines are drawn across."
		}
		lines = append(lines, text)
	}
	return lines
}

func notDrawn(names []string) string {
	return "Not drawn, because it was not measured: " + strings.Join(names, ", ") + "."
}

// counted returns "8 repetitions", "1 to 8 repetitions".
func counted(low, high int, noun string) string {
	if low == high {
		return plural(low, noun)
	}
	return fmt.Sprintf("%d to %s", low, plural(high, noun))
}

// between returns a number, or two, in groups of three digits.
func between(low, high uint64) string {
	if low == high {
		return units.Grouped(low)
	}
	return units.Grouped(low) + " to " + units.Grouped(high)
}

// short prints a mean count.
func short(v float64) string {
	switch {
	case v >= 10 || v == math.Trunc(v):
		return units.Grouped(uint64(math.Round(v)))
	case v >= 0.1:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// sentences returns findings as lines of a caption.
func sentences(list []doc.Finding) (lines []string) {
	for _, f := range list {
		s := f.Sentence()
		if f.Subject == "" { // a name stays as it is
			s = title(s)
		}
		lines = append(lines, s+".")
	}
	return lines
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
