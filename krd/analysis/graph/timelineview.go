package graph

import (
	"fmt"
	"math"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// A row of the figure has stripLines lines, and stripGap between it and the next.
const (
	stripLines = 8
	stripGap   = 2
)

// Figure returns the timeline as a part of a page: a strip for each row, in each bin as high as its
// goroutines that are alive, of the colours of their states.
func (t *Timeline) Figure(anchor string) *doc.Figure {
	f := &plot.Figure{ID: "timeline", Title: "Goroutines over time", Columns: 1}
	high := float64(len(t.Rows)*(stripLines+stripGap) - stripGap)
	all := t.Bin.Float() * timeBins / 1e9
	unit, scale := "s", 1.0
	if all < 1 {
		unit, scale = "ms", 1e3
	}
	time := plot.NiceAxis(plot.Axis{}, 0, all*scale)
	p := plot.Panel{Kind: plot.Strips, X: plot.Axis{Label: "time [" + unit + "]", Min: -0.5, Max: timeBins - 0.5},
		Y: plot.Axis{Min: -0.5, Max: high - 0.5}}
	for _, x := range time.Ticks {
		if x.Value <= all*scale {
			p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: x.Value/(all*scale)*timeBins - 0.5, Label: x.Label})
		}
	}
	series := map[State]*plot.Series{}
	for i, k := range states {
		s := plot.NewSeries(string(k.State), i)
		s.Colour = k.colour
		series[k.State] = &s
	}
	together := false
	for i := range t.Rows {
		r := &t.Rows[i]
		bottom := high - float64(i*(stripLines+stripGap)+stripLines)
		p.Y.Ticks = append(p.Y.Ticks, plot.Tick{Value: bottom + stripLines/2 - 0.5, Label: r.label()})
		together = together || r.Count > 1
		most := r.most()
		for bin := range timeBins {
			line := 0
			for k, n := range r.lines(bin, most) {
				s := series[r.States[k].State]
				for ; n > 0; n, line = n-1, line+1 {
					s.Points = append(s.Points, plot.Point{X: float64(bin), N: 1, Y: units.Some(bottom + float64(line)),
						At: units.Digits(float64(bin)*t.Bin.Float()/1e9*scale, 3)})
				}
			}
		}
	}
	for _, k := range states {
		if s := series[k.State]; len(s.Points) > 0 {
			p.Series = append(p.Series, *s)
		}
	}
	f.Panels = []plot.Panel{p}
	caption := []string{"A row for each goroutine", fmt.Sprintf("Each mark is %s, with the shares of what the goroutine "+
		"does in it. The times are those of the recorded run.", doc.Time(t.Bin))}
	if together {
		caption[0] = "A row for each function's goroutines, as high as those that are alive"
	}
	caption[0] += "; a wait ends when what is waited for has come."
	if len(series[onThread].Points) > 0 {
		caption = append(caption, "On its thread: system calls, too.")
	}
	if len(series[offThread].Points) > 0 {
		caption = append(caption, "Off its thread: no CPU is free, or it waits in the network's poller, or helps the "+
			"garbage collector; nothing records which.")
	}
	if len(series[unknownState].Points) > 0 {
		caption = append(caption, "Not known: it had not ended when the program did, and was in no operation that "+
			"is recorded.")
	}
	f.Caption = caption
	part := f.Part(anchor)
	part.Numbers = t.table()
	return part
}

// label returns the name of a row, with its end where it is long.
func (r *TimeRow) label() string {
	const most = 30
	name := []rune(strings.TrimPrefix(strings.Replace(r.Name, " goroutines, ", " × ", 1), "goroutine "))
	if len(name) <= most {
		return string(name)
	}
	head := 0
	for name[head] != ' ' {
		head++
	}
	return string(name[:head+1]) + "…" + string(name[len(name)-(most-head-2):])
}

// most returns how many goroutines of the row are alive in a bin, at most.
func (r *TimeRow) most() (most float64) {
	for bin := range timeBins {
		sum := 0.0
		for _, s := range r.States {
			sum += s.Bins[bin]
		}
		most = max(most, sum)
	}
	return most
}

// lines returns how many lines of a bin each state has, as near to its share as whole lines are, in
// the order of the states; what is alive has one at least.
func (r *TimeRow) lines(bin int, most float64) []int {
	lines, sum, given, largest := make([]int, len(r.States)), 0.0, 0, 0
	for i, s := range r.States {
		sum += s.Bins[bin] / most * stripLines
		lines[i] = int(math.Round(sum)) - given
		given += lines[i]
		if s.Bins[bin] > r.States[largest].Bins[bin] {
			largest = i
		}
	}
	if given == 0 && sum > 0 {
		lines[largest] = 1
	}
	return lines
}

// table returns how much of its time each row is in each state.
func (t *Timeline) table() *doc.Table {
	x := &doc.Table{Title: "How much of its time each is in each state.", Keys: 1, Columns: []doc.Column{
		{Head: "goroutine"}, {Head: "alive", Kind: doc.Real, Unit: doc.Nanoseconds}}}
	sums := make([]map[State]float64, len(t.Rows))
	there := map[State]bool{}
	for i, r := range t.Rows {
		sums[i] = map[State]float64{}
		for _, s := range r.States {
			there[s.State] = true
			for _, v := range s.Bins {
				sums[i][s.State] += v
			}
		}
	}
	for _, k := range states {
		if there[k.State] {
			x.Columns = append(x.Columns, doc.Column{Head: string(k.State), Kind: doc.Real})
		}
	}
	for i, r := range t.Rows {
		all := 0.0
		for _, v := range sums[i] {
			all += v
		}
		row := []any{r.Name, doc.Some(all * t.Bin.Float())}
		for _, k := range states {
			if there[k.State] {
				row = append(row, doc.Share{Part: sums[i][k.State], Whole: all})
			}
		}
		x.Row(row...)
	}
	return x
}
