package regress

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
)

// table reads a table of testdata.
func table(t testing.TB, name string) *Frame {
	file, err := os.Open("testdata/" + name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	f := &Frame{N: len(rows) - 1}
	for j, head := range rows[0] {
		c := Column{Name: head}
		for i, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[j], 64)
			if err != nil && c.Texts == nil {
				c.Texts, c.At = make([]string, f.N), i
			}
			c.Numbers = append(c.Numbers, v)
		}
		if c.Texts != nil {
			for i, row := range rows[1:] {
				c.Texts[i] = row[j]
			}
		}
		f.Columns = append(f.Columns, c)
	}
	return f
}

func fit(t testing.TB, f *Frame, formula string) *Fit {
	t.Helper()
	p, err := Parse(formula, f.Names())
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDesign(f, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Fit()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// digits is how many digits of got are those of want.
func digits(got, want float64) float64 {
	if got == want {
		return 16
	}
	return -math.Log10(math.Abs(got-want) / math.Abs(want))
}

// near fails where got has fewer than so many digits of want.
func near(t *testing.T, what string, got, want, least float64) {
	t.Helper()
	if d := digits(got, want); !(d >= least) {
		t.Errorf("%s: %v, want %v: %.1f digits, want %v", what, got, want, d, least)
	}
}

// TestNIST has the certified values of the 11 linear models of NIST's Statistical Reference
// Datasets. Wampler 1 to 5 are polynomials of degree 5 at 0 to 20, exact and with residuals that are
// orthogonal to them.
func TestNIST(t *testing.T) {
	const quintic = "y ~ x + I(x^2) + I(x^3) + I(x^4) + I(x^5)"
	wampler := func(residual, ratio float64) *Frame {
		off := []float64{759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048}
		var x, y []float64
		for i := range 21 {
			sum := residual * off[min(i, 20-i)]
			for k := range 6 {
				sum += math.Pow(ratio*float64(i), float64(k))
			}
			x, y = append(x, float64(i)), append(y, sum)
		}
		return numbers([]string{"x", "y"}, x, y)
	}
	var u, v []float64
	for i := range 11 {
		u, v = append(u, float64(60+i)), append(v, float64(130+i))
	}
	ones := []float64{1, 1, 1, 1, 1, 1}
	for _, c := range []struct {
		name, formula string
		frame         *Frame
		coef          []float64 // the intercept first, where there is one
		sigma, r2     float64
		digits        float64 // of coefficients; of sigma and R2 11, of Filip as many
	}{
		{"Norris", "y ~ x", table(t, "norris"), []float64{-0.262323073774029, 1.00211681802045},
			0.884796396144373, 0.999993745883712, 12},
		{"Pontius", "y ~ x + I(x^2)", table(t, "pontius"), []float64{0.673565789473684e-03,
			0.732059160401003e-06, -0.316081871345029e-14}, 0.205177424076185e-03, 0.999999900178537, 11},
		{"NoInt 1", "y ~ 0 + x", numbers([]string{"x", "y"}, u, v), []float64{2.07438016528926},
			3.56753034006338, 0.999365492298663, 13},
		{"NoInt 2", "y ~ 0 + x", numbers([]string{"x", "y"}, []float64{4, 5, 6}, []float64{3, 4, 4}),
			[]float64{0.727272727272727}, 0.369274472937998, 0.993348115299335, 13},
		{"Filip", "y ~ x + I(x^2) + I(x^3) + I(x^4) + I(x^5) + I(x^6) + I(x^7) + I(x^8) + I(x^9) + I(x^10)",
			table(t, "filip"), []float64{-1467.48961422980, -2772.17959193342, -2316.37108160893,
				-1127.97394098372, -354.478233703349, -75.1242017393757, -10.8753180355343,
				-1.06221498588947, -0.670191154593408e-01, -0.246781078275479e-02, -0.402962525080404e-04},
			0.334801051324544e-02, 0.996727416185620, 7},
		{"Longley", "I(1000 * Employed) ~ .", table(t, "longley"), []float64{-3482258.63459582,
			15.0618722713733, -0.358191792925910e-01 * 1000, -2.02022980381683 * 10,
			-1.03322686717359 * 10, -0.511041056535807e-01 * 1000, 1829.15146461355},
			304.854073561965, 0.995479004577296, 12},
		{"Wampler 1", quintic, table(t, "wampler1"), ones, 0, 1, 9},
		{"Wampler 2", quintic, wampler(0, 0.1), []float64{1, 0.1, 0.01, 0.001, 0.0001, 0.00001}, 0, 1, 11},
		{"Wampler 3", quintic, wampler(1, 1), ones, 2360.14502379268, 0.999995559025820, 8.5},
		{"Wampler 4", quintic, wampler(100, 1), ones, 236014.502379268, 0.957478440825662, 7.5},
		{"Wampler 5", quintic, wampler(1e4, 1), ones, 23601450.2379268, 0.224668921574940e-02, 5.5},
	} {
		f := fit(t, c.frame, c.formula)
		got := f.Coef
		if f.Design.Formula.Intercept {
			got = append([]float64{f.Intercept}, got...)
		}
		if len(got) != len(c.coef) || len(f.Aliased) > 0 {
			t.Errorf("%s: %d coefficients, dropped %v", c.name, len(got), f.Aliased)
			continue
		}
		for i, want := range c.coef {
			near(t, fmt.Sprint(c.name, ", coefficient ", i), got[i], want, c.digits)
		}
		digits := 11.0
		if c.name == "Filip" {
			digits = c.digits
		}
		near(t, c.name+", R2", f.R2(), c.r2, digits)
		if c.sigma == 0 {
			if f.Sigma() > 1e-3 {
				t.Errorf("%s: sigma %v, expected 0", c.name, f.Sigma())
			}
			continue
		}
		near(t, c.name+", sigma", f.Sigma(), c.sigma, digits)
	}
}

// TestCars has values of R 4.2.2.
func TestCars(t *testing.T) {
	cars := table(t, "mtcars")
	main := fit(t, cars, "mpg ~ wt + hp + disp + qsec")
	near(t, "intercept", main.Intercept, 27.3296379, 7)
	for i, want := range []float64{-4.6091226, -0.0186662, 0.0026664, 0.5441603} {
		near(t, main.Design.Names[i], main.Coef[i], want, 4.2)
	}
	near(t, "R2", main.R2(), 0.8351442755, 9)
	near(t, "equation 6", main.R2Adjusted(), 0.8107212, 6)
	near(t, "sigma", main.Sigma(), 2.6220950, 7)
	near(t, "PRESS", main.PRESS(), 257.8313856, 9)
	full := fit(t, cars, "mpg ~ (wt + hp + disp + qsec)^2")
	near(t, "R2 of all two-way", full.R2(), 0.8979015366, 9)
	near(t, "sigma of all two-way", full.Sigma(), 2.3397973824, 9)
	test := Test(main, full)
	near(t, "F", test.F, 2.15136, 5)
	near(t, "p", test.P, 0.089805, 4)
	if test.DF1 != 6 || test.DF2 != 21 {
		t.Errorf("F on %d and %d", test.DF1, test.DF2)
	}
	for _, by := range []Criterion{BIC, Equation5} {
		terms, way, err := full.Design.Search(by, nil)
		if err != nil {
			t.Fatal(err)
		}
		step, err := full.Design.Terms(terms).Fit()
		if err != nil {
			t.Fatal(err)
		}
		if got := step.Design.Formula.String(); got != "mpg ~ wt + hp + wt:hp" {
			t.Errorf("%s: %s", by, got)
			continue
		}
		near(t, "stepwise R2", step.R2(), 0.884763712, 8)
		near(t, "stepwise PRESS", step.PRESS(), 175.525056, 8)
		test = Test(step, full)
		near(t, "stepwise F", test.F, 0.38603, 4)
		near(t, "stepwise p", test.P, 0.90011, 4)
		near(t, "last of the way", way[len(way)-1].Value, by.of(32, step.P, step.RSS), 12)
		near(t, "equation 5 of stepwise", step.Equation5(), 6.062721288, 9)
		near(t, "BIC of stepwise", step.BIC(), 152.939537, 8)
	}
	near(t, "equation 5 of main", main.Equation5(), 9.524269474, 9)
	near(t, "equation 5 of full", full.Equation5(), 10.11494867, 8)
	near(t, "BIC of main", main.BIC(), 167.864025, 8)
	near(t, "BIC of full", full.BIC(), 173.326184, 8)
	mpg := cars.Column("mpg").Numbers
	for name, want := range map[string][2]float64{"disp": {0.8260672, 0.8362665},
		"wt": {0.7857440, 0.7900741}, "gear": {0.2946118, 0.4620435}} {
		linear, quadratic := Strength(cars.Column(name).Numbers, mpg)
		near(t, name+" linear", linear, want[0], 6)
		near(t, name+" quadratic", quadratic, want[1], 6)
	}
	var list [][]float64
	for _, c := range cars.Columns[2:] {
		list = append(list, c.Numbers)
	}
	for i, want := range []float64{0.860537, 0.735698, 0.652360, 0.626585, 0.600124, 0.471379,
		0.401569, 0.109827, 0.004143} {
		near(t, "merge", Clusters(list)[i].Similarity, want, 3)
	}
	rows := make([]int, 32)
	for i := range rows {
		rows[i] = i
	}
	left, err := main.Design.Validate(rows, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, p := range left {
		sum += math.Pow(main.Design.Y[p.Row]-p.Value, 2)
	}
	near(t, "leave-one-out", sum, main.PRESS(), 12)
}
