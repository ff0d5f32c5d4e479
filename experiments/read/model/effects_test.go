package model

import (
	"math"
	"strings"
	"testing"

	"krdlab/experiments/read/model/regress"
)

// A product of three is drawn at three values of the third, where the effect that is none at its
// mean is seen; one of two in one panel, unless the model has it in a product of three.
func TestEffects(t *testing.T) {
	f := &regress.Frame{N: 64}
	columns := make([][]float64, 4)
	for i := range f.N {
		x := []float64{float64(i % 4), float64(i / 4 % 4), float64(i / 16)}
		noise := 0.01 * math.Sin(float64(7*i))
		y := 1 + x[0] + 2*(x[0]-1.5)*(x[1]-1.5)*(x[2]-1.5) + noise
		for k, v := range append(x, y) {
			columns[k] = append(columns[k], v)
		}
	}
	for k, name := range []string{"a", "b", "c", "y"} {
		f.Columns = append(f.Columns, regress.Column{Name: name, Numbers: columns[k]})
	}
	for formula, want := range map[string][]string{
		"y ~ a + a:b:c":     {"a and b, c low: 0.373", "a and b, c middle: 1.50", "a and b, c high: 2.63"},
		"y ~ a*b + a*c":     {"", ""},
		"y ~ (a + b + c)^2": {"", "", ""},
		"y ~ a*b*c":         {" low: 0.373", " middle: 1.50", " high: 2.63"},
	} {
		r := of(t, &Table{Name: "planted", Frame: f}, Options{Formula: formula})
		figure, err := r.Figure("effects")
		if err != nil || len(figure.Panels) != len(want) {
			t.Errorf("%s: %d panels, %v, expected %d", formula, len(figure.Panels), err, len(want))
			continue
		}
		for i, p := range figure.Panels {
			if !strings.HasSuffix(p.Title, want[i]) || (want[i] == "") != !strings.Contains(p.Title, ",") ||
				want[i] != "" && p.Y.Max != figure.Panels[0].Y.Max {
				t.Errorf("%s: panel %q to %v, expected %q", formula, p.Title, p.Y.Max, want[i])
			}
		}
		if formula != "y ~ a*b*c" {
			continue
		}
		for level, p := range figure.Panels { // the slope is that of the other two
			for k, s := range p.Series {
				sd := r.Columns[0].SD
				slope := (s.Points[5].Y.Float() - s.Points[0].Y.Float()) / (s.Points[5].X - s.Points[0].X)
				want := 2 * float64(level-1) * float64(k-1) * sd * sd
				if p.X.Label == "a" {
					want++
				}
				if math.Abs(slope-want) > 0.05 {
					t.Errorf("%s, line %d: slope %v over %s, expected %v", p.Title, k, slope, p.X.Label, want)
				}
			}
		}
	}
}
