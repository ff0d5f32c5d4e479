package correlate

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.9g, expected %.9g", what, got, want)
	}
}

// r = 0.6 has z = ln 2; with n = 28 it is known to 1.959964 / 5, and tanh is (4 e^(2d) - 1) / (4
// e^(2d) + 1).
func TestFisher(t *testing.T) {
	low, high, ok := fisher(0.6, 26)
	d := 1.959963985 / 5
	near(t, "low", low, (4*math.Exp(-2*d)-1)/(4*math.Exp(-2*d)+1), 1e-9)
	near(t, "high", high, (4*math.Exp(2*d)-1)/(4*math.Exp(2*d)+1), 1e-9)
	near(t, "low", low, 0.29237, 1e-5)
	near(t, "high", high, 0.79510, 1e-5)
	for _, none := range []struct {
		r  float64
		df int
	}{{1, 10}, {-1, 10}, {0.5, 1}, {math.NaN(), 10}} {
		if _, _, got := fisher(none.r, none.df); got {
			t.Errorf("an interval for r = %v with %d degrees of freedom", none.r, none.df)
		}
	}
	if !ok {
		t.Error("no interval")
	}
}

// Exact distributions of Spearman's coefficient: tables give 10 of 120 orders for |rho| >= 0.9 at n
// = 5, 24 of 720 for 0.886 at n = 6.
func TestExactP(t *testing.T) {
	up := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		y    []float64
		want float64
	}{
		{[]float64{1, 2, 3}, 2.0 / 6}, {[]float64{1, 2, 3, 4}, 2.0 / 24}, {[]float64{4, 3, 2, 1},
			2.0 / 24}, {[]float64{1, 2, 3, 4, 5}, 2.0 / 120},
		{[]float64{2, 1, 3, 4, 5}, 10.0 / 120}, {[]float64{2, 1, 4, 3, 5, 6}, 24.0 / 720},
	} {
		near(t, "p", permutationP(up[:len(c.y)], c.y), c.want, 1e-12)
	}
	near(t, "smallest p, n = 4", smallestP(4), 1.0/12, 1e-15)
	near(t, "smallest p, n = 2", smallestP(2), 1, 1e-15)
	count := 0
	permutations([]float64{1, 2, 3, 4, 5}, func() { count++ })
	if count != 120 {
		t.Errorf("%d permutations of 5", count)
	}
}

// Bland and Altman, Calculating correlation coefficients with repeated observations: part 1, BMJ
// 310:446, 1995: pH and PaCO2 of eight subjects. Within subjects r = -0.51, p = 0.0008, 38 degrees
// of freedom.
func TestRepeatedMeasures(t *testing.T) {
	ph := [][]float64{{6.68, 6.53, 6.43, 6.33}, {6.85, 7.06, 7.13, 7.17}, {7.40, 7.42, 7.41, 7.37,
		7.34, 7.35, 7.28, 7.30, 7.34}, {7.36, 7.33, 7.29, 7.30, 7.35},
		{7.35, 7.30, 7.30, 7.37, 7.27, 7.28, 7.32, 7.32}, {7.38, 7.30, 7.29, 7.33, 7.31, 7.33},
		{6.86, 6.94, 6.92}, {7.19, 7.29, 7.21, 7.25, 7.20, 7.19, 6.77, 6.82}}
	co2 := [][]float64{{3.97, 4.12, 4.09, 3.97}, {5.27, 5.37, 5.41, 5.44}, {5.67, 3.64, 4.32, 4.73,
		4.96, 5.04, 5.22, 4.82, 5.07}, {5.67, 5.10, 5.53, 4.75, 5.51},
		{4.28, 4.44, 4.32, 3.23, 4.46, 4.72, 4.75, 4.99}, {4.78, 4.73, 5.12, 4.93, 5.03, 4.93},
		{6.85, 6.44, 6.52}, {5.28, 4.56, 4.34, 4.32, 4.41, 3.69, 6.09, 5.58}}
	s := repeated(ph, co2)
	c := newBoot(s).point("", s.x[0], PStudent)
	if s.df() != 38 {
		t.Errorf("%d degrees of freedom", s.df())
	}
	near(t, "r", c.Pearson.Value.Float(), -0.507, 5e-4)
	near(t, "p", c.Pearson.P.Float(), 0.0008, 6e-5)
	// Not published: atanh -0.50677 = -0.55850, 1.96 / sqrt(37) = 0.32222, tanh -0.88072 and tanh
	// -0.23628.
	near(t, "low", c.Pearson.Low.Float(), -0.70671, 1e-5)
	near(t, "high", c.Pearson.High.Float(), -0.23186, 1e-5)
}

// repeated is a sample of repeated measures.
func repeated(x, y [][]float64) *sample {
	s := &sample{x: make([][]float64, 1), centred: true}
	for i := range x {
		from := len(s.y)
		s.x[0], s.y = append(s.x[0], x[i]...), append(s.y, y[i]...)
		s.units = append(s.units, [2]int{from, len(s.y)})
	}
	return s
}

// The p of the best of several points allows for its being picked: over samples in which nothing
// goes with anything, as many as 5 % of its values are below 0.05, and not more. That of the best
// point by itself is below in more.
func TestPicked(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 7))
	const samples, points, n = 400, 12, 7
	below, alone := 0, 0
	for range samples {
		s := &sample{x: make([][]float64, points)}
		for i := range n {
			s.y = append(s.y, rng.Float64())
			s.units = append(s.units, [2]int{i, i + 1})
			for p := range s.x {
				s.x[p] = append(s.x[p], rng.Float64())
			}
		}
		b := newBoot(s)
		least := 1.0
		for p := range s.x {
			c := b.point("", s.x[p], PExact)
			least = min(least, c.Spearman.P.Float())
		}
		p, smallest := b.picked()
		if p.Float() < smallest.Float() || p.Float() < least-1e-12 {
			t.Fatalf("p of the best %v, smallest %v, of a point alone %v", p, smallest, least)
		}
		if p.Float() < 0.05 {
			below++
		}
		if least < 0.05 {
			alone++
		}
	}
	if below > samples/10 || below < samples/100 || alone < samples/5 {
		t.Errorf("below 0.05: %d of %d, alone %d", below, samples, alone)
	}
}
