package experiments

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const notAvailable = "n/a"

// digits prints v with at least n significant digits and no exponent: 1.642, 18.40, 97312.
func digits(v float64, n int) string {
	decimals := n - 1
	if v != 0 {
		decimals -= int(math.Floor(math.Log10(math.Abs(v))))
	}
	return strconv.FormatFloat(v, 'f', max(0, decimals), 64)
}

// timeUnits are in ns.
var timeUnits = []struct {
	name string
	ns   float64
}{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}

// timeUnit returns the largest unit that ns is at least one of.
func timeUnit(ns float64) (name string, size float64) {
	for _, u := range timeUnits {
		if ns >= u.ns {
			return u.name, u.ns
		}
	}
	return "ns", 1
}

// formatNS prints a duration of ns nanoseconds with 4 significant digits, such as 1.642 s.
func formatNS(n Number) string {
	if !n.Known() {
		return notAvailable
	}
	name, size := timeUnit(n.Float())
	return digits(n.Float()/size, 4) + " " + name
}

// formatCount prints a count: all its digits up to six, and 3 significant ones beyond, such as 1.83e6.
func formatCount(n Number) string {
	v := n.Float()
	switch {
	case !n.Known():
		return notAvailable
	case v < 1e6:
		return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	s := strconv.FormatFloat(v, 'e', 2, 64)
	return strings.Replace(strings.Replace(s, "e+0", "e", 1), "e+", "e", 1)
}

// percent prints part of whole, such as 97.3961.
func percent(part, whole uint64, decimals int) string {
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', decimals, 64)
}

// withInterval prints the median of q, scaled, above its interval.
func withInterval(q Quantity, scale float64, unit string) string {
	s := digits(q.Median.Float()/scale, 4) + unit
	if q.Low.Known() && q.High.Known() {
		s += fmt.Sprintf("\n%s-%s", digits(q.Low.Float()/scale, 4), digits(q.High.Float()/scale, 4))
	}
	return s
}

// ratioWithInterval prints a ratio above its interval, all with as many decimals as the median has: three, fewer from 10 on, and more
// where there would be less than three significant digits.
func ratioWithInterval(q Quantity) string {
	v := math.Abs(q.Median.Float())
	decimals := 3
	switch {
	case v >= 10:
		decimals = max(0, 3-int(math.Log10(v)))
	case v > 0 && v < 0.1:
		decimals = 2 - int(math.Floor(math.Log10(v)))
	}
	p := func(n Number) string { return strconv.FormatFloat(n.Float(), 'f', decimals, 64) }
	s := p(q.Median)
	if q.Low.Known() && q.High.Known() {
		s += "\n" + p(q.Low) + "-" + p(q.High)
	}
	return s
}

// notes collects the reasons for what is missing, each once, and numbers them.
type notes []string

// na returns "n/a [i]" with the number of a reason.
func (n *notes) na(reason string) string {
	for i, r := range *n {
		if r == reason {
			return fmt.Sprintf("%s [%d]", notAvailable, i+1)
		}
	}
	*n = append(*n, reason)
	return fmt.Sprintf("%s [%d]", notAvailable, len(*n))
}

// newTable returns a table without borders, two spaces between columns, all but the first left columns aligned to the right.
func newTable(left int, header ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.Options{SeparateHeader: true, SeparateFooter: true}
	style.Format = table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault, Footer: text.FormatDefault}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	t.AppendHeader(header)
	configs := make([]table.ColumnConfig, len(header))
	for i := range configs {
		align := text.AlignRight
		if i < left {
			align = text.AlignLeft
		}
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, AlignFooter: align,
			VAlignHeader: text.VAlignBottom}
	}
	t.SetColumnConfigs(configs)
	return t
}

// render returns the table's lines without the padding of the last column.
func render(t table.Writer) string {
	lines := strings.Split(t.Render(), "\n")
	for i, l := range lines {
		if rule := strings.TrimRight(l, "-"); rule == "" && len(l) > 2 {
			l = l[2:]
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
