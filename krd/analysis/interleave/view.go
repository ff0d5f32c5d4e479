package interleave

import (
	"fmt"
	"io"
	"math"
	"slices"

	"krdlab/hw/units"
	"krdlab/krd/analysis/interleave/tasks"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// View implements [analysis.Result].
func (x *result) View() *doc.Doc {
	d := x.Document().(*Document)
	out := &doc.Doc{Title: "Reuse distances over schedules of " + x.title(), Warnings: x.Warnings}
	out.Say("%s %s of code with %s %s; %s. %s of %s on each node.", units.Grouped(
		uint64(d.Vertices)), units.Noun(d.Vertices, "piece"), units.Grouped(uint64(d.Kernels)),
		units.Noun(d.Kernels, "kernel"), x.orders(d), x.cache, units.Bytes(d.LLCBytes))
	for _, s := range d.Stacks {
		out.Add(x.ranges(s))
	}
	for _, s := range d.Stacks {
		out.Add(x.byObject(s))
		if t := x.blocks(s); len(t.Rows) > 0 {
			out.Add(t)
		}
	}
	return out
}

// Tables implements [analysis.Data].
func (x *result) Tables() []*doc.Table {
	d := x.Document().(*Document)
	list := []*doc.Table{x.ranges(d.Stacks[0])}
	list[0].Name = "ranges"
	if len(d.Stacks) > 1 {
		t := x.ranges(d.Stacks[1])
		t.Name = "shared"
		list = append(list, t)
	}
	return append(list, objects(d.Stacks), widths(d.Stacks), distances(d.Stacks))
}

func (x *result) title() string {
	text := dag.ProgramOf(x.header)
	if text == "" {
		text = "a trace"
	}
	text += ", " + x.shape()
	if x.header.Substrate == loi.Simulated {
		text += ", SIMULATED"
	}
	return text
}

// shape returns nodes x workers of each, such as 4x6.
func (x *result) shape() string {
	count := map[int]int{}
	for _, n := range x.nodeOf {
		count[n]++
	}
	for _, n := range count {
		if n*len(count) != len(x.nodeOf) {
			return units.Count(len(x.nodeOf), "worker") + " on " + units.Count(len(count), "node")
		}
	}
	return fmt.Sprintf("%dx%d", len(count), len(x.nodeOf)/len(count))
}

func (x *result) orders(d *Document) string {
	if d.Orders != nil && d.Log10Orders < 15 {
		return units.Count(d.Orders.Uint64(), "order")
	}
	return fmt.Sprintf("10^%.0f orders", math.Floor(d.Log10Orders))
}

// titleOf names the kind of stacks.
func (x *result) titleOf(s Stacks) string {
	switch {
	case s.Stacks == sharedStack:
		return "one stack that all share"
	case x.nodes() == 1:
		return "one node, and so one stack"
	}
	return "a stack for each node"
}

// ranges returns the table of all groups on one kind of stacks.
func (x *result) ranges(s Stacks) *doc.Table {
	t := &doc.Table{Title: x.titleOf(s), Columns: []doc.Column{{Key: "group", Head: "schedules"},
		{Key: "kind", Data: true}, {Key: "runs", Head: "runs", Kind: doc.Whole}}}
	for _, v := range []struct{ key, head string }{{"far", "far, %"}, {"beyond", "far or cold, %"}} {
		for _, q := range []struct{ key, head string }{{"minimum", v.head + ": least"}, {"low", ""},
			{"median", ""}, {"mean", "mean"}, {"high", ""}, {"maximum", "most"}} {
			t.Columns = append(t.Columns, doc.Column{Key: v.key + "_" + q.key, Head: q.head,
				Kind: doc.Real, Unit: doc.PerCent, Data: q.head == ""})
		}
	}
	t.Columns = append(t.Columns, doc.Column{Key: "place", Head: "place, %", Kind: doc.Real,
		Unit: doc.PerCent, Known: true})
	for i := range s.Groups {
		g := &s.Groups[i]
		row := []any{g.Name, string(g.Kind), g.runs}
		row = append(row, shares(&g.Total.Far, g.Total.Accesses)...)
		row = append(row, shares(&g.Total.Beyond, g.Total.Accesses)...)
		t.Row(append(row, g.Total.Place)...)
	}
	how := "The range is that of what was found: there may be schedules outside."
	if s.Complete {
		how = "All schedules were gone through: the range is exact."
	}
	t.Remarks = []string{how + " Place: where the mean of far or cold lies between the least of all " +
		"rows, 0, and the most, 100."}
	return t
}

// shares returns the numbers of a range in parts of all accesses.
func shares(r *Range, accesses int) []any {
	all := float64(accesses)
	share := func(n doc.Number) any {
		if !n.Known() {
			return nil
		}
		return doc.Some(n.Float() / all)
	}
	return []any{doc.Some(float64(r.Minimum) / all), share(r.Low), share(r.Median), share(r.Mean),
		share(r.High), doc.Some(float64(r.Maximum) / all)}
}

// byObject returns for each object the ends of the range, and the scheduler at either end.
func (x *result) byObject(s Stacks) *doc.Table {
	t := &doc.Table{Title: "by object: far or cold, % of its accesses, " + x.titleOf(s)}
	for _, head := range []string{"object", "accesses", "least", "of", "most", "of", "random walk",
		"least scheduler", "mean", "most", "mean"} {
		t.Columns = append(t.Columns, doc.Column{Head: head, Kind: doc.Real, Unit: doc.PerCent,
			Known: true})
	}
	for _, i := range []int{0, 3, 5, 7, 9} {
		t.Columns[i].Kind, t.Columns[i].Unit = doc.Text, doc.Plain
	}
	t.Columns[1].Kind, t.Columns[1].Unit = doc.Whole, doc.Plain
	for o, name := range x.dag.Objects {
		all := float64(s.Groups[0].Objects[o].Accesses)
		if all == 0 {
			continue
		}
		var least, most, low, high *Group
		row := make([]any, len(t.Columns))
		for i := range s.Groups {
			g := &s.Groups[i]
			of := func(x *Group) *Range { return &x.Objects[o].Beyond }
			if least == nil || of(g).Minimum < of(least).Minimum {
				least = g
			}
			if most == nil || of(g).Maximum > of(most).Maximum {
				most = g
			}
			if g.Kind == tasks.KindSampler && g.Name == string(tasks.Walk) {
				row[6] = doc.Some(of(g).Mean.Float() / all)
			}
			if g.Kind != tasks.KindGiven {
				continue
			}
			if low == nil || of(g).Mean.Float() < of(low).Mean.Float() {
				low = g
			}
			if high == nil || of(g).Mean.Float() > of(high).Mean.Float() {
				high = g
			}
		}
		copy(row, []any{name, int(all), doc.Some(float64(least.Objects[o].Beyond.Minimum) / all),
			least.Name, doc.Some(float64(most.Objects[o].Beyond.Maximum) / all), most.Name})
		if low != nil {
			copy(row[7:], []any{low.Name, doc.Some(low.Objects[o].Beyond.Mean.Float() / all), high.Name,
				doc.Some(high.Objects[o].Beyond.Mean.Float() / all)})
		}
		t.Row(row...)
	}
	return t
}

// mostObjects is of how many objects a table for people has a column.
const mostObjects = 6

// blocks compares how wide the ranges of single blocks are with those of a random walk.
func (x *result) blocks(s Stacks) *doc.Table {
	t := &doc.Table{Title: "single blocks: how wide the range of their distances is, " + x.titleOf(s),
		Columns: []doc.Column{{Head: "schedules"}},
		Remarks: []string{"From the least distance that any " +
			"access to a block has in any run to the largest: of the random walk the median over the blocks " +
			"of an object; of the others the median of how many times as wide it is."}}
	objects := map[string]int{}
	var walk []any
	rows := map[string][]any{}
	var order []string
	for _, w := range s.Widths {
		if i := slices.IndexFunc(s.Groups, func(g Group) bool { return g.Name == w.Group }); i >= 0 &&
			s.Groups[i].Kind == tasks.KindGiven {
			continue
		}
		k, seen := objects[w.Object]
		if !seen {
			if len(objects) == mostObjects {
				continue
			}
			k = len(objects) + 1
			objects[w.Object] = k
			t.Columns = append(t.Columns, doc.Column{Head: w.Object, Kind: doc.Real})
			text := any(nil)
			if w.Walk.Known() {
				text = units.Bytes(uint64(w.Walk.Float()))
			}
			walk = append(walk, text)
		}
		if rows[w.Group] == nil {
			rows[w.Group] = make([]any, mostObjects+1)
			rows[w.Group][0] = w.Group
			order = append(order, w.Group)
		}
		rows[w.Group][k] = w.Quotient
	}
	if order == nil {
		return t
	}
	t.Row(append([]any{string(tasks.Walk)}, walk...)...)
	for _, name := range order {
		t.Row(rows[name][:len(t.Columns)]...)
	}
	return t
}

// objects returns the range of each object in each group, as data.
func objects(list []Stacks) *doc.Table {
	t := doc.NewData("objects", "stacks", "object", "accesses", "group", "kind", "beyond_minimum",
		"beyond_low", "beyond_median", "beyond_mean", "beyond_high", "beyond_maximum", "place")
	kinds(t, doc.Text, doc.Text, doc.Whole, doc.Text, doc.Text)
	for _, s := range list {
		for i := range s.Groups {
			g := &s.Groups[i]
			for k := range g.Objects {
				if f := &g.Objects[k]; f.Accesses > 0 {
					row := []any{s.Stacks, f.Object, f.Accesses, g.Name, string(g.Kind)}
					t.Row(append(append(row, shares(&f.Beyond, f.Accesses)...), f.Place)...)
				}
			}
		}
	}
	return t
}

// kinds sets the kinds of the first columns of a table; the others are real numbers.
func kinds(t *doc.Table, list ...doc.Kind) {
	for i := range t.Columns {
		if t.Columns[i].Kind = doc.Real; i < len(list) {
			t.Columns[i].Kind = list[i]
		}
	}
}

// widths compares the ranges of distances of single blocks with those of a random walk, as data.
func widths(list []Stacks) *doc.Table {
	t := doc.NewData("widths", "stacks", "group", "object", "blocks", "width_bytes",
		"walk_width_bytes",
		"quotient")
	kinds(t, doc.Text, doc.Text, doc.Text, doc.Whole)
	for _, s := range list {
		for _, w := range s.Widths {
			t.Row(s.Stacks, w.Group, w.Object, w.Blocks, w.Bytes, w.Walk, w.Quotient)
		}
	}
	return t
}

// distances returns a row for each bin of each object and group: as data alone.
func distances(list []Stacks) *doc.Table {
	t := doc.NewData("distances", "stacks", "group", "object", "distance", "count", "probability",
		"low",
		"high")
	kinds(t, doc.Text, doc.Text, doc.Text, doc.Whole, doc.Text)
	optional := func(p *float64) any {
		if p == nil {
			return nil
		}
		return doc.Some(*p)
	}
	for _, s := range list {
		for _, g := range s.Groups {
			if g.Distances == nil {
				continue
			}
			for _, o := range g.Distances.Objects {
				for _, y := range o.Distances {
					t.Row(s.Stacks, g.Name, o.Name, y.Distance, y.Count.String(), doc.Some(y.Probability),
						optional(y.Low), optional(y.High))
				}
			}
		}
	}
	return t
}

// Draw implements [analysis.Drawn]: the range of the accesses beyond the LLC over all schedules, by
// the samplers, and a mark for each schedule of a scheduler.
func (x *result) Draw(w io.Writer, format string) error { return x.figure().Write(w, format) }

func (x *result) figure() *plot.Figure {
	f := &plot.Figure{ID: "explore", Title: "Range over schedules of " + x.header.Kernel + ", " +
		x.shape(),
		Columns: 1}
	s := x.stacks(nodeStacks, x.apart)
	for _, v := range []struct {
		title  string
		of     func(*Found) Range
		single func(*Run) uint64
	}{
		{"far or cold", func(f *Found) Range { return f.Beyond }, func(r *Run) uint64 {
			return r.Beyond
		}},
		{"far", func(f *Found) Range { return f.Far }, func(r *Run) uint64 { return r.Far }},
	} {
		p := plot.Panel{Title: v.title, Kind: plot.Lines, X: plot.Axis{Min: -1,
			Max: float64(len(s.Groups)), Turned: true}}
		series := []plot.Series{plot.NewSeries("drawn: mean, least to most", 0),
			plot.NewSeries("the ends that the search found", 2), plot.NewSeries("a run of a scheduler", 1)}
		add := func(to, at int, y float64, n int) *plot.Point {
			series[to].Points = append(series[to].Points, plot.Point{X: float64(at), At: s.Groups[at].Name,
				Y: doc.Some(y), N: n, Apart: true})
			return &series[to].Points[len(series[to].Points)-1]
		}
		least, most := math.Inf(1), 0.0
		for i := range s.Groups {
			g := &s.Groups[i]
			all := float64(g.Total.Accesses) / 100
			r := v.of(&g.Total)
			p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(i), Label: g.Name})
			low, high := float64(r.Minimum)/all, float64(r.Maximum)/all
			least, most = min(least, low), max(most, high)
			switch g.Kind {
			case tasks.KindGiven:
				for k := range g.Runs {
					add(2, i, float64(v.single(&g.Runs[k]))/all, 1)
				}
			case tasks.KindSearch:
				add(1, i, low, 1)
				add(1, i, high, 1)
			default:
				y := add(0, i, r.Mean.Float()/all, g.runs)
				y.Low, y.High = doc.Some(low), doc.Some(high)
			}
		}
		for _, y := range series {
			if len(y.Points) > 0 {
				p.Series = append(p.Series, y)
			}
		}
		for _, y := range []float64{least, most} {
			p.Rules = append(p.Rules, plot.Rule{X1: p.X.Min, Y1: y, X2: p.X.Max, Y2: y, Dashed: true})
		}
		p.Y = plot.PercentAxis("accesses [%]", most)
		f.Panels = append(f.Panels, p)
	}
	f.Caption = []string{fmt.Sprintf("%s. %s of each sampler; the dashed lines are the least and the "+
		"most of all. %s of %s on each node.", x.title(), units.Count(x.runs(), "schedule"), x.cache,
		units.Bytes(x.dag.LLCBytes))}
	if s.Complete {
		f.Caption = append(f.Caption, "All schedules were gone through: the range is exact.")
	}
	return f
}

// runs returns how many schedules each sampler drew.
func (x *result) runs() int {
	i := slices.IndexFunc(x.apart.Groups, func(g *tasks.Group) bool {
		return g.Kind == tasks.KindSampler
	})
	if i < 0 {
		return 0
	}
	return len(x.apart.Groups[i].Runs)
}
