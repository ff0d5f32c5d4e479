package plot

import (
	"strings"
	"testing"

	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// The table of a figure tells quantities of panels apart, has plain units, and names points whose x is
// measured.
func TestNumbers(t *testing.T) {
	point := func(x, y float64) Point { return Point{X: x, At: "6 cores", Y: units.Some(y), N: 3} }
	f := &Figure{ID: "f", Title: "Two", Panels: []Panel{
		{Kind: Lines, X: Axis{Label: "far", Unit: "%"}, Y: Axis{Label: "misses [thousand]", Plain: "misses"},
			Series: []Series{{Name: "a", Points: []Point{point(3.2, 132203)}}}},
		{Kind: Lines, Title: "time", X: Axis{Label: "cores"}, Y: Axis{Label: "seconds"},
			Series: []Series{{Name: "b"}, {Name: "a", Points: []Point{point(6, 2), point(12, 1)}}}}}}
	var b strings.Builder
	page := doc.NewPage(&b, 0)
	page.Table(f.Part("p").Numbers)
	if err := page.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"misses", "time, seconds", "3.2", "132203", "6 cores", "value"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "thousand") {
		t.Errorf("a unit that numbers do not have:\n%s", b.String())
	}
	one := f.Panels[1]
	single := (&Figure{Panels: []Panel{one}}).Part("q")
	if head := single.Numbers.Columns[2].Head; head != "seconds" || single.Chart == nil || single.Paper {
		t.Errorf("head %q, %+v", head, single)
	}
	heat := (&Figure{Panels: []Panel{{Kind: Heat, X: Axis{Label: "x"}, Y: Axis{Label: "y"}}}}).Part("r")
	if heat.Chart != nil || !heat.Paper {
		t.Errorf("%+v", heat)
	}
}
