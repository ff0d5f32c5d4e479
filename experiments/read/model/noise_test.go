package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"krdlab/experiments/read/model/regress"
	"krdlab/hw/hwtest/long"
)

// noiseTable has 100 rows of noise in eight columns and y, in which the t of x3, alone in a model, is
// made as given; 0: y is noise.
func noiseTable(seed uint64, t float64) *Table {
	const n = 100
	rng := rand.New(rand.NewPCG(seed, 7))
	normal := func() []float64 {
		x, mean := make([]float64, n), 0.0
		for i := range x {
			x[i] = rng.NormFloat64()
			mean += x[i] / n
		}
		for i := range x {
			x[i] -= mean
		}
		return x
	}
	f := &regress.Frame{N: n}
	for i := range 8 {
		f.Columns = append(f.Columns, regress.Column{Name: fmt.Sprintf("x%d", i), Numbers: normal()})
	}
	x, y := f.Columns[3].Numbers, normal()
	dot := func(a, b []float64) (s float64) {
		for i := range a {
			s += a[i] * b[i]
		}
		return s
	}
	if t != 0 {
		slope := dot(x, y) / dot(x, x)
		for i := range y {
			y[i] -= slope * x[i]
		}
		slope = t * math.Sqrt(dot(y, y)/(n-2)/dot(x, x))
		for i := range y {
			y[i] += slope * x[i]
		}
	}
	f.Columns = append(f.Columns, regress.Column{Name: "y", Numbers: y})
	return &Table{Name: "planted", Frame: f}
}

// TestNoise fits tables of pure noise, which the first line has to call so, and tables with one true
// effect, which it has to name: of 100 of each at most 10 and 5 may be otherwise.
func TestNoise(t *testing.T) {
	tables := long.Or(6, 100)
	called, named := 0, 0
	for i := range tables {
		for _, effect := range []float64{0, 6} {
			r, err := Of(noiseTable(uint64(i), effect), Options{Formula: "y ~ (.)^2", Select: "bic", Seed: 1,
				Folds: 5, Orders: long.Or(60, 0)})
			if err != nil {
				t.Fatal(err)
			}
			answer := r.Answer()
			noise := strings.HasPrefix(answer, "No more than noise:") || strings.HasPrefix(answer, "Nothing")
			first, _, _ := strings.Cut(answer, " of the variance")
			switch {
			case effect == 0 && noise:
				called++
			case effect != 0 && strings.Contains(first, "x3 (+"):
				named++
			}
		}
	}
	t.Logf("of %d tables each: %d of noise are called so, of the true effect %d name it", tables, called, named)
	if missed := tables - called; missed > long.Or(1, 10) {
		t.Errorf("%d of %d tables of noise are told as more", missed, tables)
	}
	if missed := tables - named; missed > long.Or(1, 5) {
		t.Errorf("%d of %d true effects are not named", missed, tables)
	}
}

// TestAnswer has first lines of models that have too little: rows, or what is explained.
func TestAnswer(t *testing.T) {
	two := &regress.Frame{N: 2, Columns: []regress.Column{{Name: "x", Numbers: []float64{1, 2}},
		{Name: "y", Numbers: []float64{3, 5}}}}
	twelve := noiseTable(1, 0)
	for i := range twelve.Frame.Columns {
		twelve.Frame.Columns[i].Numbers = twelve.Frame.Columns[i].Numbers[:12]
	}
	twelve.Frame.N = 12
	// Each of four settings has 25 rows with one value of x and of y: 24 orders; in 8 of them x
	// explains as much.
	settings := &regress.Frame{N: 100, Columns: []regress.Column{{Name: "x"}, {Name: "y"}}}
	for i := range 100 {
		settings.Columns[0].Numbers = append(settings.Columns[0].Numbers, []float64{1, 2, 3, 4}[i/25])
		settings.Columns[1].Numbers = append(settings.Columns[1].Numbers, []float64{1, 2, 2.5, 4}[i/25]+float64(i%5)/100)
	}
	for _, c := range []struct {
		frame         *regress.Frame
		formula, want string
	}{
		{two, "y ~ x", "No tests: 2 rows, 2 coefficients leave 0 degrees of freedom, and 10 are needed"},
		{twelve.Frame, "y ~ x0 + x1 + x2", "No tests: 12 rows, 4 coefficients leave 8 degrees"},
		{settings, "y ~ x", "No more than noise: of 200 random orders of y, "},
		{noiseTable(3, 20).Frame, "y ~ x3", "x3 ("},
	} {
		r, err := Of(&Table{Name: "t", Frame: c.frame}, Options{Formula: c.formula, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Answer(); !strings.HasPrefix(got, c.want) || strings.HasPrefix(c.want, "C") &&
			strings.Contains(got, "%") {
			t.Errorf("%s: %s, expected %s", c.formula, got, c.want)
		}
	}
}

// groupedTable has ten groups of ten rows. A group has one x, and a mean of its own in y, which is noise;
// z differs by row, and has an effect on y.
func groupedTable(seed uint64, effect float64) *Table {
	rng := rand.New(rand.NewPCG(seed, 9))
	f := &regress.Frame{N: 100, Columns: []regress.Column{{Name: "k"}, {Name: "x"}, {Name: "z"}, {Name: "y"}}}
	c := f.Columns
	for g := range 10 {
		x, mean := rng.NormFloat64(), rng.NormFloat64()
		for range 10 {
			z := rng.NormFloat64()
			c[0].Texts = append(c[0].Texts, fmt.Sprint("k", g))
			c[1].Numbers, c[2].Numbers = append(c[1].Numbers, x), append(c[2].Numbers, z)
			c[3].Numbers = append(c[3].Numbers, mean+effect*z+0.3*rng.NormFloat64())
		}
	}
	return &Table{Name: "grouped", Frame: f}
}

// TestNoiseOfGroups has rows that are alike in a group, so that ten means explain as well as a hundred
// rows if rows are taken as independent; an effect within groups is found.
func TestNoiseOfGroups(t *testing.T) {
	tables := long.Or(12, 100)
	called, named, free := 0, 0, 0
	for i := range tables {
		o := Options{Formula: "y ~ x + z", Seed: 1, Groups: "k", Orders: long.Or(80, 0)}
		of := func(effect float64, o Options) string {
			r, err := Of(groupedTable(uint64(i), effect), o)
			if err != nil {
				t.Fatal(err)
			}
			return r.Answer()
		}
		if strings.HasPrefix(of(0, o), "No more than noise:") {
			called++
		}
		if first, _, _ := strings.Cut(of(0.5, o), " explain"); strings.Contains(first, "z (+") {
			named++
		}
		if o.Groups = ""; strings.HasPrefix(of(0, o), "No more than noise:") {
			free++
		}
	}
	t.Logf("of %d tables: %d of noise are called so, %d if rows are taken as independent; %d name z", tables, called,
		free, named)
	if called*10 < tables*9 || named*20 < tables*19 || free >= called {
		t.Errorf("%d of %d tables of noise are called so (%d without groups), %d name the effect", called, tables,
			free, named)
	}
}
