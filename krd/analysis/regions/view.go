package regions

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/analysis/loops"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// Of the table for people.
const (
	nameWidth = 32
	mostRows  = 60
	// leastShare of all work has a region that is listed, where there are more than mostRows.
	leastShare = 0.005
)

// View implements [analysis.Result].
func (d *Document) View() *doc.Doc {
	_, rest := d.Apart() // the table of the plan has the answers
	v := &doc.Doc{Title: "Regions: work and footprint", Warnings: rest}
	heads, title := []string{"region", "instances", "work"}, "Work: "+d.work()+"."
	parallel := slices.ContainsFunc(d.Regions, func(r Region) bool { return r.CriticalPath != nil })
	switch counted := d.opt.Count != countNone; {
	case counted && parallel:
		heads, title = append(heads, "mean"), title+" Mean: "+d.touched()+" that an instance touches."
	case counted:
		heads = append(heads, "mean", "most", "first")
		title += " Mean and most: " + d.touched() + " that an instance touches. First: how much of " +
			"that was touched first there, within the outermost region around it."
	}
	if parallel {
		heads, title = append(heads, "parallel", "class"), title+" Parallel: its self-parallelism, "+
			"without that of the regions in it, by flow dependences alone."
	}
	t := doc.NewTable(1, heads...)
	if t.Title = title; parallel {
		t.Columns[len(heads)-1].Kind = doc.Text
	}
	all := uint64(0)
	for i := range d.Regions {
		if d.paths[i].depth == 0 {
			all += d.Regions[i].Work
		}
	}
	left := 0
	for i := range d.Regions {
		r, s := &d.Regions[i], &d.paths[i]
		if d.opt.Depth > 0 && s.depth >= d.opt.Depth {
			continue
		}
		if len(d.Regions) > mostRows && float64(r.Work) < leastShare*float64(all) {
			left++
			continue
		}
		name, width := s.name, nameWidth
		if r.Kind == loi.Iteration.String() {
			name = r.Kind // of the loop above it
		}
		if parallel {
			width -= 6 // for the classes
		}
		row := []any{indented(s.depth, name, width), doc.Count(doc.Some(float64(r.Instances))),
			doc.Share{Part: float64(r.Work), Whole: float64(all)}}
		if d.opt.Count != countNone {
			if row = append(row, mean(s.mean)); !parallel {
				row = append(row, most(s.most), share(r, s))
			}
		}
		if parallel {
			row = append(row, factor(r.SelfParallelism), cmp.Or(deref(r.Class), "-"))
		}
		t.Row(row...)
	}
	if left > 0 {
		t.Remarks = []string{fmt.Sprintf("and %d more, with less than %g %% of the work each: --csv "+
			"or --json", left, 100*leastShare)}
	}
	v.Add(t)
	if d.Plan != nil {
		v.Add(d.planned())
	}
	for _, t := range []*doc.Table{d.tried(), d.missed()} {
		if t != nil {
			v.Add(t)
		}
	}
	p := &d.Program
	if p.Outside != nil && *p.Outside > 0 {
		v.Say("%s of %s were in no region", doc.Count(doc.Some(float64(*p.Outside))),
			accesses(p.Accesses))
	}
	if p.FootprintBytes != nil {
		text := "all regions together touched " + units.Bytes(*p.FootprintBytes)
		if *p.AgainBytes > 0 {
			text += "; " + units.Bytes(*p.AgainBytes) + " of what outermost regions touched another had " +
				"touched before"
		}
		v.Say("%s", text)
	}
	if p.Races != nil && *p.Races > 0 {
		v.Say("the program races for %s, as the kernels declare them: krdlab graph prints who does",
			units.Count(*p.Races, "block"))
	}
	if d.Memory != nil {
		v.Add(d.Memory.table())
	}
	return v
}

// planned returns the table of the plan.
func (d *Document) planned() *doc.Table {
	t := doc.NewTable(1, "loop", "speed-up", "together", "instances", "iterations", "work of one",
		"class", "by")
	t.Columns[6].Kind, t.Columns[7].Kind = doc.Text, doc.Text
	t.Title = fmt.Sprintf("Loops to execute in parallel on %s, the best first, as this run had them: how "+
		"much faster each makes the program by itself, and together with those before it; the work of an "+
		"iteration, where a spawn costs %s; and what has to be done.",
		units.Count(d.opt.PlanCores, "core"), units.Count(d.opt.SpawnCost, "instruction"))
	for i := range d.Plan {
		p := &d.Plan[i]
		t.Row(p.Path[len(p.Path)-1], factor(&p.Speedup), factor(&p.Together),
			doc.Count(doc.Some(float64(p.Instances))), doc.Count(doc.Some(float64(p.Iterations))),
			doc.Count(doc.Some(p.IterationWork)), deref(p.Class), loops.Words(p.Removed))
	}
	if len(d.Plan) == 0 {
		t.Remarks = []string{"none brings as much as --least-speedup asks for"}
	}
	return t
}

// missed returns the misses of loops of the plan; nil: they are not known.
func (d *Document) missed() *doc.Table {
	var t *doc.Table
	for i := range d.Plan {
		m := d.Plan[i].Misses
		if m == nil {
			continue
		}
		if t == nil {
			t = doc.NewTable(1, "loop", "cores", "beyond L2", "beyond the LLC")
			t.Title = fmt.Sprintf("Misses: shares of the lines that a loop accesses, serially and with "+
				"its iterations dealt in blocks to more cores, by a replay of this run; each core has an L2 "+
				"of %s, all an LLC of %s (sizes of %s).", units.Bytes(m.L2Bytes), units.Bytes(m.LLCBytes), m.Sizes)
		}
		for _, x := range m.By {
			t.Row(d.Plan[i].Path[len(d.Plan[i].Path)-1], doc.Count(doc.Some(float64(x.Cores))),
				doc.Share{Part: x.BeyondL2, Whole: 1}, doc.Share{Part: x.BeyondLLC, Whole: 1})
		}
	}
	return t
}

// factor prints a ratio.
func factor(x *float64) any {
	if x == nil {
		return doc.Missing("it did nothing that is counted")
	}
	return doc.Some(*x)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func accesses(n uint64) string {
	return doc.Count(doc.Some(float64(n))) + " accesses"
}

// work returns the unit of work.
func (d *Document) work() string {
	if d.Unit == unitNS {
		return "time of kernels"
	}
	return d.Unit
}

// touched returns the words for the data of footprints.
func (d *Document) touched() string {
	for i := range d.Regions {
		if r := &d.Regions[i]; r.FootprintBytes == nil && r.FootprintLines != nil {
			return "memory, in whole lines of 64 bytes,"
		}
	}
	return "memory"
}

// indented returns a name in a tree, cut in the middle where it is too long.
func indented(depth int, name string, width int) string {
	in := strings.Repeat("  ", min(depth, 8))
	if depth > 8 {
		in = fmt.Sprintf("%*d  ", len(in)-2, depth)
	}
	return in + units.Shorten(name, width-len(in))
}

const noAccesses = doc.Missing("the trace has no accesses")

func mean(bytes *float64) any {
	if bytes == nil {
		return noAccesses
	}
	return units.Bytes(uint64(*bytes + 0.5))
}

func most(bytes *uint64) any {
	if bytes == nil {
		return noAccesses
	}
	return units.Bytes(*bytes)
}

// share prints which part of what a region touches is touched there first.
func share(r *Region, s *step) any {
	switch {
	case s.mean == nil:
		return noAccesses
	case r.FirstTouchShare == nil:
		return doc.Missing("it touched nothing")
	}
	return doc.Share{Part: *r.FirstTouchShare, Whole: 1}
}

// table returns the table of the shadow memory.
func (m *Memory) table() *doc.Table {
	t := doc.NewTable(1, "shadow memory", "bytes")
	t.Title = "Shadow memory: " + m.Validation
	if m.Compress {
		t.Title += ", compressed"
	}
	for _, x := range []struct {
		name string
		n    uint64
	}{{"at most, all threads at once", m.PeakBytes}, {"tags", m.Tags.Peak},
		{"versions", m.Versions.Peak},
		{"what leads to tables", m.Tables.Peak},
		{"compressed tables", m.Usage.Compressed.Peak}} {
		t.Row(x.name, units.Bytes(x.n))
	}
	return t
}

// Tables implements [analysis.Data].
func (d *Document) Tables() []*doc.Table {
	t := doc.NewData("regions", "path", "kind", "instances", "work", "unit", "critical_path",
		"self_parallelism", "total_parallelism", "footprint_bytes", "footprint_bytes_max",
		"footprint_lines", "read_bytes", "written_bytes", "first_touch_share", "class",
		"distance", "removed")
	for i := range d.Regions {
		r := &d.Regions[i]
		t.Row(strings.Join(r.Path, ";"), r.Kind, r.Instances, r.Work, d.Unit, number(r.CriticalPath),
			real(r.SelfParallelism), real(r.TotalParallelism), real(r.FootprintBytes),
			number(r.FootprintBytesMax), real(r.FootprintLines), real(r.ReadBytes),
			real(r.WrittenBytes), real(r.FirstTouchShare), text(r.Class), whole(r.Distance),
			loops.Words(r.Removed))
	}
	return []*doc.Table{t}
}

func number(p *uint64) any {
	if p == nil {
		return nil
	}
	return *p
}

func whole(p *int64) any {
	if p == nil {
		return nil
	}
	return *p
}

func real(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}

func text(p *string) any {
	if p == nil {
		return nil
	}
	return *p
}

// Draw implements [analysis.Drawn]: a flame graph, as wide as work, coloured by footprint or
// self-parallelism.
func (d *Document) Draw(w io.Writer, format string) error { return d.Flame().Write(w, format) }

// Flame returns that flame graph.
func (d *Document) Flame() *plot.Flame {
	f := &plot.Flame{Title: "Work and footprint of regions", Unit: d.work(),
		Heat: plot.HeatOfBytes("mean footprint of an instance")}
	parallel := d.opt.Colour == colourParallelism
	if parallel {
		f.Title, f.Heat = "Work and self-parallelism of regions", plot.HeatOfParallelism(d.opt.Colour)
	}
	var open []plot.FlameFrame
	for i := range d.Regions {
		r := &d.Regions[i]
		open = append(open[:len(r.Path)-1:len(r.Path)-1], plot.FlameFrame{Name: d.paths[i].name,
			Kind: r.Kind})
		x := plot.FlamePath{Frames: open, Count: d.paths[i].own, Value: d.paths[i].mean}
		if parallel {
			x.Value = r.SelfParallelism
		}
		f.Paths = append(f.Paths, x)
	}
	return f
}
