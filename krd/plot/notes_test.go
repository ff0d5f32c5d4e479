package plot

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"

	"krdlab/hw/units"
)

// ratioFigure has a series of one median for each value, at 1 and 2.
func ratioFigure(values ...float64) *Figure {
	p := Panel{Kind: Lines, X: Axis{Max: 2}, Y: Axis{Label: "OVR"}}
	for i, v := range values {
		e := NewSeries(string(rune('a'+i)), i+1)
		for n, y := range []float64{1, v} {
			e.Points = append(e.Points, Point{X: float64(n + 1), Y: units.Some(y)})
		}
		p.Series = append(p.Series, e)
	}
	return &Figure{ID: "ovr", Columns: 1, Panels: []Panel{p}}
}

func (f *Figure) fitted() *Figure {
	p := &f.Panels[0]
	p.Y.Min, p.Y.Max = Span(p.Series)
	p.RuleAtOne("one")
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
// their values, and the caption notes it.
func TestCutOff(t *testing.T) {
	f := ratioFigure(1.2, 1.3, 51.34, 1.1).fitted()
	if top := f.Panels[0].Y.Max; top < 1.3 || top > 2 {
		t.Errorf("the axis ends at %v", top)
	}
	drawn := svg(t, f)
	if n := strings.Count(drawn, ">51.3<"); n != 1 {
		t.Errorf("51.3 is written %d times", n)
	}
	if !strings.Contains(strings.Join(f.Notes(), " "), "Arrows: a value beyond the axis") {
		t.Errorf("notes %q", f.Notes())
	}
	for _, values := range [][]float64{{1.2, 1.3, 1.9, 1.1}, {51}, {1.1, 51}, {2, 3, 5, 9}} {
		f := ratioFigure(values...).fitted()
		if top := f.Panels[0].Y.Max; top < slices.Max(values) {
			t.Errorf("%v: the axis ends at %v", values, top)
		}
		if notes := f.Notes(); len(notes) > 0 {
			t.Errorf("%v: notes %q", values, notes)
		}
	}
	// An interval that goes on far beyond all points is cut too, and one that does not is not.
	for high, cut := range map[float64]bool{30: true, 1.6: false} {
		f := ratioFigure(1.2, 1.3)
		v := &f.Panels[0].Series[0].Points[1]
		v.Low, v.High = units.Some(1.1), units.Some(high)
		f.fitted()
		if got := len(f.Notes()) > 0; got != cut {
			t.Errorf("an interval up to %v: cut %v, notes %q", high, got, f.Notes())
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
	f.Panels[0].Series[2].Points[1].High = units.Some(2)
	if got := f.Panels[0].identical(); got != "a and e; b and d" {
		t.Errorf("with another interval: %q", got)
	}
}

// Labels of points that lie together are written once.
func TestClusters(t *testing.T) {
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
}

// A doubtful point has a hollow marker.
func TestHollow(t *testing.T) {
	s := NewSeries("a", 1)
	for _, doubt := range []bool{false, true} {
		if s.glyph(&Point{Disturbed: doubt}).Shape.(Marker).Hollow != doubt {
			t.Errorf("disturbed %v, hollow %v", doubt, !doubt)
		}
	}
}

// Numbers of a heat map shrink before they overlap, and are left out where they cannot be read.
func TestHeatLetters(t *testing.T) {
	p := &Panel{Series: []Series{{Points: []Point{{Label: "1234"},
		{Label: "7"}}}}}
	wide, narrow, none := fields{p}.size(60), fields{p}.size(17), fields{p}.size(8)
	if wide != 8 || narrow < 4 || narrow >= 8 || none != 0 {
		t.Errorf("sizes %v, %v, %v", wide, narrow, none)
	}
}

// An axis covers its range in 2 to 9 steps, each tick a label of its own that reads as its value.
func TestNiceAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		high := low + math.Pow(10, rapid.Float64Range(-2, 7).Draw(t, "width"))
		a := NiceAxis(Axis{}, low, high)
		if n := len(a.Ticks); n < 2 || n > 9 || a.Min > low+1e-6*(high-low) ||
			a.Max < high-1e-6*(high-low) || a.Ticks[0].Value != a.Min ||
			a.Ticks[n-1].Value != a.Max {
			t.Fatalf("%v to %v: %+v", low, high, a)
		}
		for i := 1; i < len(a.Ticks); i++ {
			if a.Ticks[i].Label == a.Ticks[i-1].Label {
				t.Fatalf("%v to %v: two ticks %s", low, high, a.Ticks[i].Label)
			}
		}
	})
}

// Labels of ticks do not meet, and the first and the last are there.
func TestThinned(t *testing.T) {
	a := Axis{Max: 64, Ticks: []Tick{{1, "1"}, {2, "2"}, {3, "3"}, {4, "4"}, {32, "32"}, {63, "63"},
		{64, "64"}}}
	var labels []string
	for _, tick := range a.thinned(180 * vg.Length(1)).Ticks {
		labels = append(labels, tick.Label)
	}
	if want := []string{"1", "", "", "4", "32", "", "64"}; !slices.Equal(labels, want) {
		t.Errorf("%q, expected %q", labels, want)
	}
	if a.Ticks[1].Label != "2" {
		t.Error("the axis itself was changed")
	}
}
