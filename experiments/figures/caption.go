package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/result"
	"krdlab/hw/units"
	"krdlab/loi"
)

// source says where the numbers of a group come from: the first line of every caption.
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
	return words + "."
}

// A statistic is what the points of a figure are, and the bars around them.
type statistic struct{ points, bars string }

var (
	ratios = statistic{"medians", "Bars, where larger than the marker: intervals of at least " +
		"95 % by bootstrap, the serial runs varying too."}
	meanRatios = statistic{"ratios of the means", ratios.bars}
	shareStats = statistic{"medians", "Bars, where larger than the marker: intervals of at least " +
		"95 %, of order statistics."}
)

// sample says what the points of figures are: of how many repetitions, of how many seeds, and what
// bars are, unless there are none.
func (s *subject) sample(how statistic) string {
	low, high, doubtful, all := 0, 0, 0, 0
	without := 0
	for _, r := range s.ordered() {
		n := len(r.Repetitions)
		if low == 0 || n < low {
			low = n
		}
		high = max(high, n)
		all += n
		for i := range r.Repetitions {
			if len(r.Repetitions[i].Flags) > 0 {
				doubtful++
			}
		}
		if !r.Summary.TimeNS.Low.Known() {
			without++
		}
	}
	n := fmt.Sprint(low)
	if high > low {
		n = fmt.Sprintf("%d to %d", low, high)
	}
	text := fmt.Sprintf("Points: %s of n = %s repetitions (%s). ", how.points, n, s.seedText())
	switch {
	case without == len(s.results):
		text += "No intervals: fewer than 6 repetitions."
	case without > 0:
		text += how.bars + " None where there are fewer than 6 repetitions."
	default:
		text += how.bars
	}
	if doubtful > 0 {
		text += fmt.Sprintf(" %d of the %d repetitions are doubtful: see the warnings of the runs.",
			doubtful, all)
	}
	return text
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

// seeds is how many different seeds the cells have.
func (s *subject) seeds() int {
	seen := map[uint64]bool{}
	for _, c := range s.Cells {
		seen[c.Result.Seed] = true
	}
	return len(seen)
}

// seedText says how many seeds there are. Each repetition of a simulated cell has one that is
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

// absent says which schedulers of the group are not in the panel, and of a panel against cores
// which points it has not.
func (s *subject) absent(p *Panel) (lines []string) {
	var list, points []string
	for _, name := range s.schedulers {
		i := slices.IndexFunc(p.Series, func(e Series) bool { return e.Name == name })
		if i < 0 {
			list = append(list, name)
			continue
		}
		var missing []string
		for _, n := range s.cores {
			if p.X.Unit == "cores" && !slices.ContainsFunc(p.Series[i].Points,
				func(v Point) bool { return v.X == float64(n) }) {
				missing = append(missing, fmt.Sprint(n))
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
		lines = append(lines, "Points that are missing, lines being drawn across: "+
			strings.Join(points, "; ")+" cores.")
	}
	return lines
}

func notDrawn(names []string) string {
	return "Not drawn, because it was not measured: " + strings.Join(names, ", ") + "."
}

// counted is "8 repetitions", "1 to 8 repetitions".
func counted(low, high int, noun string) string {
	if low == high {
		return plural(low, noun)
	}
	return fmt.Sprintf("%d to %s", low, plural(high, noun))
}

// between is a number, or two, in groups of three digits.
func between(low, high uint64) string {
	if low == high {
		return grouped(low)
	}
	return grouped(low) + " to " + grouped(high)
}

// grouped prints n in groups of three digits, apart by a no-break space.
func grouped(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u00a0" + s[i:]
	}
	return s
}

// short prints a mean count.
func short(v float64) string {
	switch {
	case v >= 10 || v == math.Trunc(v):
		return grouped(uint64(math.Round(v)))
	case v >= 0.1:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
