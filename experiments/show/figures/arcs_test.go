package figures

import (
	"math"
	"strings"
	"testing"

	"krdlab/experiments/run/result"
	"krdlab/experiments/show/scene"
	"krdlab/experiments/test/datasettest"
	"krdlab/krd/plot"
)

// reused is a run whose node 0 reads blocks 0 and 1 near its beginning, and again at its end: block 1
// after so much else that it is far. Node 1 reads block 0 twice, the second time soon, but in another
// column.
func reused() []made {
	return []made{{from: 0, to: 1, blocks: []uint64{0, 1}}, {from: 50, to: 51, blocks: []uint64{0}},
		{worker: 1, from: 500, to: 501, blocks: []uint64{0}},
		{worker: 2, from: 600, to: 601, blocks: []uint64{10}},
		{worker: 1, from: 520, to: 521, blocks: []uint64{0}},
		{worker: 2, from: 799, to: 800, blocks: []uint64{1}},
		{from: 798, to: 799, blocks: []uint64{0, 0}}}
}

// Arcs stand on the line of their node, from where something was used to where it is used again, in
// the colour of the class; those of few accesses are left out where there are many.
func TestArcs(t *testing.T) {
	a, b := datasettest.Schedulers[0], datasettest.Schedulers[1]
	s := tracedSubject(t, map[string][]made{a: reused(), b: {{to: 800}}})
	f, err := arcs(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Panels) != 2 || f.Panels[0].Title != a || len(f.Panels[0].Series) != 2 {
		t.Fatalf("%+v", f.Panels)
	}
	p := &f.Panels[0]
	for i, want := range []struct {
		name, colour string
		points       []plot.Point
	}{{"close", "#efe350", []plot.Point{
		{X: 500, XHigh: result.Some(520), Row: 0, Shade: 0.5, Y: result.Some(1)},
		{X: 0, XHigh: result.Some(50), Row: 1, Shade: 0.5, Y: result.Some(1)}}},
		{"far", "#9157c9", []plot.Point{ // of two, both from the first 400 µs to the last
			{X: 25, XHigh: result.Some(798.5), Row: 1, Shade: 1, Y: result.Some(2)}}}} {
		got := p.Series[i]
		if got.Name != want.name || got.Colour != want.colour || len(got.Points) != len(want.points) {
			t.Fatalf("%+v, expected %+v", got, want)
		}
		for j, w := range want.points {
			if v := got.Points[j]; v.Row != w.Row || math.Abs(v.X-w.X) > 0.01 || v.Y != w.Y ||
				math.Abs(v.XHigh.Float()-w.XHigh.Float()) > 0.01 || v.Shade != w.Shade {
				t.Errorf("%s: %+v, expected %+v", want.name, v, w)
			}
		}
	}
	if p.Note != "drawn 44\u00a0%, within a column 11\u00a0%, first uses 44\u00a0%" {
		t.Error(p.Note)
	}
	if y := p.Y.Ticks; len(y) != 2 || y[0] != (plot.Tick{Value: 1, Label: "node 0"}) || y[1].Value != 0 {
		t.Errorf("%+v", p.Y)
	}
	if len(f.Panels[1].Series[0].Points) != 0 {
		t.Errorf("%+v", f.Panels[1].Series)
	}
	text := strings.Join(f.Caption, "\n")
	for _, want := range []string{"Colours: close, within the L2; far, beyond the LLC. At most 300",
		"column of time (13 µs)", notDrawn(datasettest.Schedulers[2:])} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	var seen [scene.Classes]bool
	seen[scene.Close], seen[scene.Far] = true, true
	few := s.scheduled.panel(&s.scheduled.list[0], 2, 2, &seen)
	if n := len(few.Series[0].Points); n != 1 || len(few.Series[1].Points) != 1 ||
		!strings.Contains(few.Note, "drawn 33") {
		t.Errorf("%d arcs, %s", n, few.Note)
	}
}

// Where nothing is used again there are no arcs.
func TestNoArcs(t *testing.T) {
	a := datasettest.Schedulers[0]
	_, err := arcs(tracedSubject(t, map[string][]made{a: reused()[:1]}))
	if err == nil || !strings.Contains(err.Error(), "used again") {
		t.Error(err)
	}
}
