package figures

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
	"krdlab/krd/krdplot"
	"krdlab/runtimes"
)

// ratioFigure has a series of one median for each scheduler of the table, on 1 and 2 cores.
func ratioFigure(values ...float64) *Figure {
	s := &subject{looks: map[string]int{}, cores: []int{1, 2}}
	p := Panel{Kind: Lines, X: s.coreAxis(), Y: Axis{Label: "OVR"}}
	for i, v := range values {
		name := string(rune('a' + i))
		s.looks[name] = i + 1
		e := s.series(name)
		for n, y := range []float64{1, v} {
			e.Points = append(e.Points, Point{X: float64(n + 1), Y: result.Some(y)})
		}
		p.Series = append(p.Series, e)
	}
	return &Figure{ID: "ovr", Columns: 1, Panels: []Panel{p}}
}

func (f *Figure) fitted() *Figure {
	p := &f.Panels[0]
	p.Y.Min, p.Y.Max = span(p.Series)
	p.ruleAtOne("one")
	return f
}

func svg(t *testing.T, f *Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A few series far above all others do not flatten these: they stand at the end of the axis, with
// their values, and the caption says so.
func TestCutOff(t *testing.T) {
	f := ratioFigure(1.2, 1.3, 51.34, 1.1).fitted()
	if top := f.Panels[0].Y.Max; top < 1.3 || top > 2 {
		t.Errorf("the axis ends at %v", top)
	}
	drawn := svg(t, f)
	if n := strings.Count(drawn, ">51.3<"); n != 1 {
		t.Errorf("51.3 is written %d times", n)
	}
	if !strings.Contains(strings.Join(f.notes(), " "), "Arrows: a value beyond the axis") {
		t.Errorf("notes %q", f.notes())
	}
	for _, values := range [][]float64{{1.2, 1.3, 1.9, 1.1}, {51}, {1.1, 51}, {2, 3, 5, 9}} {
		f := ratioFigure(values...).fitted()
		if top := f.Panels[0].Y.Max; top < slices.Max(values) {
			t.Errorf("%v: the axis ends at %v", values, top)
		}
		if notes := f.notes(); len(notes) > 0 {
			t.Errorf("%v: notes %q", values, notes)
		}
	}
	// An interval that goes on far beyond all points is cut too, and one that does not is not.
	for high, cut := range map[float64]bool{30: true, 1.6: false} {
		f := ratioFigure(1.2, 1.3)
		v := &f.Panels[0].Series[0].Points[1]
		v.Low, v.High = result.Some(1.1), result.Some(high)
		f.fitted()
		if got := len(f.notes()) > 0; got != cut {
			t.Errorf("an interval up to %v: cut %v, notes %q", high, got, f.notes())
		}
	}
}

// Curves that are the same are said to be, for each panel where panels differ in that.
func TestIdenticalCurves(t *testing.T) {
	f := ratioFigure(1.2, 1.3, 1.2, 1.3, 1.2)
	if got := f.identical(); len(got) != 1 || got[0] != "Identical: a, c and e; b and d." {
		t.Errorf("%q", got)
	}
	other := ratioFigure(1.2, 1.3, 1.4, 1.4, 1.5).Panels[0]
	f.Panels[0].Title, other.Title = "left", "right"
	f.Panels = append(f.Panels, other)
	if got := f.identical(); len(got) != 1 ||
		got[0] != "Identical, in left: a, c and e; b and d, in right: c and d." {
		t.Errorf("%q", got)
	}
	f.Panels[0].Series[2].Points[1].High = result.Some(2)
	if got := f.Panels[0].identical(); got != "a and e; b and d" {
		t.Errorf("with another interval: %q", got)
	}
}

// Schedulers that draw nothing at random are named in captions, and are not counted as samples that
// are too small.
func TestDeterministicCaptions(t *testing.T) {
	g := each(small(t), func(r *result.Result) {
		if r.Cores == 1 || r.Scheduler == "helpfirst" {
			r.Deterministic, r.Repetitions = true, r.Repetitions[:1]
			r.Summary.TimeNS.Low = result.Number{}
		}
	})
	list, _ := All(g)
	speedup := strings.Join(list[0].Caption, " ")
	for _, want := range []string{"medians of n\u00a0=\u00a08\u00a0repetitions", "intervals of",
		"Deterministic, one value and no interval: workfirst, shepherd-core and shepherd-socket " +
			"on 1\u00a0core; helpfirst."} {
		if !strings.Contains(speedup, want) {
			t.Errorf("no %q in %q", want, speedup)
		}
	}
	if strings.Contains(speedup, "fewer than 6") {
		t.Errorf("one value is called too small a sample: %q", speedup)
	}
	for _, f := range list {
		if text := strings.Join(f.Caption, " "); f.ID == "krd-bins-1" &&
			!strings.Contains(text, "Points: one value each. Deterministic, no interval") {
			t.Errorf("%s: %q", f.ID, text)
		}
	}
}

// Labels of points that lie together are written once, and not at all where there is one core
// count.
func TestLabelsOfMisses(t *testing.T) {
	list, _ := All(small(t))
	i := slices.IndexFunc(list, func(f Figure) bool { return f.ID == "misses" })
	drawn := svg(t, &list[i])
	for _, cores := range []string{"12", "24"} { // points of a core count lie together
		if n := strings.Count(drawn, ">"+cores+"<"); n != len(list[i].Panels) {
			t.Errorf("%s stands there %d times, expected once in each panel", cores, n)
		}
	}
	m := func(x, y vg.Length, label string) mark {
		return mark{at: vg.Point{X: x, Y: y}, radius: 2.7, point: &Point{Label: label}}
	}
	var words []string
	for _, c := range clusters([]mark{m(0, 0, "1"), m(40, 0, "12"), m(3, 0, "6"), m(52, 3, "12"),
		m(90, 0, "12"), m(0, 2, "1")}) {
		words = append(words, c.words)
	}
	slices.Sort(words)
	if want := []string{"1, 6", "12", "12"}; !slices.Equal(words, want) {
		t.Errorf("clusters %q, expected %q", words, want)
	}

	g := small(t)
	g.Cells = slices.DeleteFunc(g.Cells, func(c *dataset.Cell) bool { return c.Result.Cores != 24 })
	list, _ = All(g)
	for _, f := range list {
		if f.ID != "misses" {
			continue
		}
		for _, s := range f.Panels[0].Series {
			if s.Points[0].Label != "" {
				t.Errorf("%s is labelled %q", s.Name, s.Points[0].Label)
			}
		}
		if text := f.Caption[1]; !strings.Contains(text, "one scheduler on 24\u00a0cores") {
			t.Errorf("caption %q", text)
		}
	}
}

// What counted the misses stands at the axis and in the caption, and what follows from the trace
// has no line.
func TestSourceOfMisses(t *testing.T) {
	for _, replayed := range []bool{false, true} {
		g := each(small(t), func(r *result.Result) {
			r.LLCModel = &result.LLCModel{Replayed: replayed}
		})
		list, _ := All(g)
		i := slices.IndexFunc(list, func(f Figure) bool { return f.ID == "misses" })
		f, caption := list[i], strings.Join(list[i].Caption, " ")
		if label := f.Panels[1].Y.Label; !strings.Contains(label, result.MissesOfBlocks) ||
			!strings.Contains(caption, result.MissesOfBlocks) {
			t.Errorf("axis %q, caption %q", label, caption)
		}
		if line := len(f.Panels[1].Rules) > 0; line == replayed ||
			strings.Contains(caption, "Pearson") == replayed ||
			strings.Contains(caption, "Equal by construction") != replayed {
			t.Errorf("replayed %v: a line %v, caption %q", replayed, line, caption)
		}
	}
}

// A figure of one core count has its label.
func TestOneCoreCount(t *testing.T) {
	g := small(t)
	g.Cells = slices.DeleteFunc(g.Cells, func(c *dataset.Cell) bool { return c.Result.Cores != 24 })
	list, _ := All(g)
	i := slices.IndexFunc(list, func(f Figure) bool { return f.ID == "shares" })
	if n := strings.Count(svg(t, &list[i]), ">24<"); n != len(list[i].Panels) {
		t.Errorf("24 stands at %d of %d axes", n, len(list[i].Panels))
	}
}

// A scheduler looks as its place in the table says; others have looks of their own.
func TestSchedulerLooks(t *testing.T) {
	var names []string
	for i, s := range runtimes.Schedulers {
		names = append(names, s.Name)
		if look := SchedulerLooks([]string{s.Name})[0]; look != lookOf(i) {
			t.Errorf("%s, in place %d, has look %d", s.Name, i, look)
		}
	}
	for n := range 20 {
		names = append(names, fmt.Sprintf("%s:tries=%d", names[1], n))
	}
	looks := SchedulerLooks(names)
	for i, look := range looks {
		if i < len(runtimes.Schedulers) && look != lookOf(i) {
			t.Errorf("%s has look %d beside others", names[i], look)
		}
		if slices.Contains(looks[:i], look) || look >= krdplot.Looks {
			t.Errorf("%s has look %d", names[i], look)
		}
	}
}

// What was disturbed has hollow markers, and the captions say so; what was not has not.
func TestDisturbed(t *testing.T) {
	list, _ := All(small(t))
	for _, f := range list {
		if text := strings.Join(f.Caption, " "); strings.Contains(text, "disturbed") {
			t.Errorf("%s of an undisturbed experiment: %q", f.ID, text)
		}
	}
	const cores = 24
	g := each(small(t), func(r *result.Result) {
		if r.Scheduler == "helpfirst" && r.Cores == cores {
			r.Disturbances = &result.Disturbances{Repetitions: 1}
		}
	})
	list, _ = All(g)
	hollow := 0
	for _, f := range list {
		marked := false
		for _, p := range f.Panels {
			for _, s := range p.Series {
				for _, v := range s.Points {
					marked = marked || v.Disturbed
					if !v.Disturbed {
						continue
					}
					hollow++
					look := s.glyph(&v).Shape.(krdplot.Marker)
					if s.Name != "helpfirst" || !look.Hollow ||
						p.X.Unit == "cores" && v.X != cores {
						t.Errorf("%s: %s at %s: hollow %v", f.ID, s.Name, v.At, look.Hollow)
					}
				}
			}
		}
		text := strings.Join(f.Caption, " ")
		if strings.Contains(text, "Hollow markers") != marked {
			t.Errorf("%s: points marked %v, caption %q", f.ID, marked, text)
		}
		if f.ID == "shares" && !strings.Contains(text, "repetition or more: helpfirst on 24 cores") {
			t.Errorf("%s: %q", f.ID, text)
		}
	}
	if hollow == 0 {
		t.Error("nothing is marked")
	}
}
