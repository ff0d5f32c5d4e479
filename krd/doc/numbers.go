package doc

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// How numbers are printed, everywhere: a median has digits down to the first that its interval
// leaves open, two to four in all; three where there is no interval, four where it is exact. An
// interval has the decimals of its median. In a column, one unit or SI prefix stands for all, points
// are below each other, and zeros at the end are kept. Counts have all their digits below 100 000;
// where one is below a tenth of the prefix, each has its own.

// A style is how the numbers of a column are printed.
type style struct {
	scale  float64
	unit   string
	whole  bool // without decimals
	reach  bool
	ranges bool // the interval is below the median
}

func (s style) number(q Quantity, v float64) string {
	if s.whole {
		return strconv.FormatFloat(math.Round(v*s.scale)+0, 'f', 0, 64)
	}
	return Format(q, v, s.scale)
}

func (s style) print(column []Quantity) []printed {
	cells, ends := make([]string, len(column)), make([]string, len(column))
	widest := 0
	for i, q := range column {
		if q.Median.Known() {
			if cells[i] = s.number(q, q.Median.Float()); cells[i] != "0" {
				cells[i] += s.unit
			}
			if s.reach {
				ends[i] = reachOf(q)
			}
			widest = max(widest, utf8.RuneCountInString(ends[i]))
		}
	}
	atPoint(cells)
	list := make([]printed, len(column))
	for i, q := range column {
		switch {
		case !q.Median.Known():
			cells[i] = NotAvailable
		case widest > 0:
			cells[i] += ends[i] + strings.Repeat(" ", widest-utf8.RuneCountInString(ends[i]))
		}
		list[i].text = cells[i]
		if s.ranges && q.Median.Known() && q.Low.Known() && q.High.Known() {
			list[i].interval = s.number(q, q.Low.Float()) + "-" + s.number(q, q.High.Float())
		}
	}
	return list
}

// reachOf returns how far the interval of q reaches, "" where there is none.
func reachOf(q Quantity) string {
	low, high, ok := q.Bounds()
	switch m := q.Median.Float(); {
	case q.Reason == Deterministic:
		return "="
	case ok && m != 0:
		reach := max(1, math.Ceil(100*max(m-low, high-m)/math.Abs(m)-rounding))
		if reach > 100 { // the median has little meaning, and how little is of no use
			return "±>100%"
		}
		return fmt.Sprintf("±%.0f%%", reach)
	}
	return ""
}

// counts prints a column of counts.
func counts(column []Quantity, most float64, s style) []printed {
	name, size := CountUnit(most)
	if slices.ContainsFunc(column, func(q Quantity) bool {
		return q.Median.Known() && q.Median.Float() > 0 && q.Median.Float() < size/10 // 0.003 k
	}) {
		cells := make([]printed, len(column))
		for i := range column {
			cells[i] = counts(column[i:i+1], largest(column[i:i+1]), s)[0]
		}
		return cells
	}
	s.scale, s.unit, s.whole = 1/size, name, name == ""
	return s.print(column)
}

// Bare makes a quantity of a number that has no interval.
func Bare(n Number) Quantity { return Quantity{Median: n} }

// Format prints v, the median of q or an end of its interval, times scale, with the digits of the
// median.
func Format(q Quantity, v, scale float64) string {
	return strconv.FormatFloat(v*scale+0, 'f', meaningful(q, scale), 64)
}

// rounding is the largest excess of a percentage.
const rounding = 1e-6

// atPoint pads numbers on the right so that their points stand below each other.
func atPoint(cells []string) {
	behind := 0 // the point: digits, and a unit
	after := func(s string) int {
		i := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '-' })
		if i < 0 {
			return 0
		}
		return utf8.RuneCountInString(s[i:])
	}
	for _, c := range cells {
		behind = max(behind, after(c))
	}
	for i, c := range cells {
		cells[i] += strings.Repeat(" ", behind-after(c))
	}
}

// meaningful returns how many decimals of the median of q, times scale, are significant: down to
// the first digit of how far its interval reaches, the second if the first is 1; between two and
// four digits in all. Four digits of a deterministic value, and three where there is no interval.
func meaningful(q Quantity, scale float64) int {
	v := math.Abs(q.Median.Float() * scale)
	if !q.Median.Known() || v == 0 {
		return 0
	}
	first := int(math.Floor(math.Log10(v))) // the place of the first digit
	digits := 3
	low, high, ok := q.Bounds()
	switch {
	case q.Reason == Deterministic:
		digits = 4
	case ok:
		digits = 4
		if far := scale * max(high-q.Median.Float(), q.Median.Float()-low); far > 0 {
			digits = first - int(math.Floor(math.Log10(far/2))) + 1
		}
	}
	digits = min(max(digits, 2), 4)
	rounded := strconv.FormatFloat(v, 'e', digits-1, 64) // 0.99996 has four digits as 1.000
	if place, _ := strconv.Atoi(rounded[strings.IndexByte(rounded, 'e')+1:]); place > first {
		first = place
	}
	return max(0, digits-1-first)
}

// Percent prints part of whole in per cent with two decimals, n/a where there is nothing to take a
// share of. They are counts of one trace; the next run differs in the first of them. A share above
// 0 that would print as 0 is printed as less than the least.
func Percent(part, whole float64) string {
	switch share := 100 * part / whole; {
	case whole == 0:
		return NotAvailable
	case 0 < share && share < 0.005:
		return "<0.01 %"
	default:
		return strconv.FormatFloat(share, 'f', 2, 64) + " %"
	}
}
