package figures

import (
	"fmt"
	"strings"

	"krdlab/experiments"
)

// source says where the numbers of a group come from: the first line of every caption.
func (s *subject) source() string {
	m := s.machine()
	words := "Measured on " + m.Name
	if s.Substrate != "native" {
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

// What bars of intervals are, of the two kinds that there are.
const (
	ratioBars  = "Bars: intervals of at least 95 % by bootstrap, the serial runs varying too."
	sampleBars = "Bars: intervals of at least 95 %, of order statistics."
)

// sample says what the points of figures are: how many repetitions, of how many seeds, and what bars are, unless there are none.
func (s *subject) sample(bars string) string {
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
	text := fmt.Sprintf("Points: medians of n = %s repetitions (%s). ", n, plural(s.seeds(), "seed"))
	switch {
	case without == len(s.results):
		text += "No intervals: fewer than 6 repetitions."
	case without > 0:
		text += bars + " None where there are fewer than 6 repetitions."
	default:
		text += bars
	}
	if doubtful > 0 {
		text += fmt.Sprintf(" %d of the %d repetitions are doubtful: see the warnings of the runs.", doubtful, all)
	}
	return text
}

// ordered returns the results by scheduler and core count.
func (s *subject) ordered() []*experiments.Result {
	var list []*experiments.Result
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

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
