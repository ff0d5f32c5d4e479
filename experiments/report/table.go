package report

import (
	"fmt"
	"slices"

	"krdlab/experiments/result"
)

// A table is one of the page. Rows come in blocks, such as one for each core count.
type table struct {
	Caption string
	Head    []column
	Blocks  []block
	Notes   []string // why a number is missing, by number from 1
}

type column struct {
	Text, Unit string
	Name       bool // holds names; the others hold numbers
}

type block struct{ Rows []row }

type row struct {
	Cells []cell
	Sum   bool // of the rows above
}

type cell struct {
	Text, Interval string
	Head           bool // the header of its row
	Note           int  // of why it is missing; 0: it is not
}

func name(s string) cell   { return cell{Text: s} }
func header(s string) cell { return cell{Text: s, Head: true} }

// missing is a cell for a number that was not measured, with the reason.
func (t *table) missing(reason string) cell {
	i := slices.Index(t.Notes, reason)
	if i < 0 {
		t.Notes, i = append(t.Notes, reason), len(t.Notes)
	}
	return cell{Text: notAvailable, Note: i + 1}
}

// quantity is a cell for a median with its interval, or the reason why there is none.
func (t *table) quantity(s style, q result.Quantity, reason string) cell {
	if !q.Median.Known() {
		return t.missing(reason)
	}
	median, interval := s.quantity(q)
	return cell{Text: median, Interval: interval}
}

// sample says of how many values medians are, which differ between cells or not: "8", "6 to 8".
func sample(ns []int) string {
	if len(ns) == 0 {
		return "0"
	}
	low, high := slices.Min(ns), slices.Max(ns)
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// decimal prints a whole number without groups, as a name.
func decimal[T int | uint64](n T) string { return fmt.Sprint(n) }
