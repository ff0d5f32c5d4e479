package model

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/read/model/regress"
	"krdlab/hw/failure"
	"krdlab/krd/doc"
)

const cars = "regress/testdata/mtcars.csv"

func read(t testing.TB, path string) *Table {
	t.Helper()
	table, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func of(t testing.TB, table *Table, o Options) *Report {
	t.Helper()
	r, err := Of(table, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// saved writes the document of r, after a change, and reads it as a model.
func saved(t testing.TB, r *Report, change func(map[string]any)) (*Report, error) {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		document := map[string]any{}
		if err := json.Unmarshal(data, &document); err != nil {
			t.Fatal(err)
		}
		change(document)
		if data, err = json.Marshal(document); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadModel(path)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
		t.Errorf("%s is %.12g, expected %.12g", what, got, want)
	}
}

// The numbers are those of R 4: lm(mpg ~ wt * hp, mtcars), BIC(), the PRESS and the errors of rows
// left out from hatvalues(), HC3 from its definition, standardized of lm(mpg ~ scale(wt) *
// scale(hp)).
func TestCars(t *testing.T) {
	r := of(t, read(t, cars), Options{Formula: "mpg ~ wt * hp", Folds: 32, Seed: 1})
	want := []struct {
		name                                 string
		estimate, err, t, p, standardized, h float64
	}{
		{"(Intercept)", 49.8084234287603, 3.60515579869117, 13.81588652752, 5.00576063421e-14,
			18.89840008211, 5.11339386282570},
		{"wt", -8.2166242972436, 1.26970813923061, -6.47127008434, 5.19928727958e-07,
			-4.04264275573, 1.65483232746187},
		{"hp", -0.1201020909780, 0.02469834701828, -4.86275826026, 4.03624302068e-05,
			-2.09169102124, 0.03217949721173},
		{"wt:hp", 0.0278481483187, 0.00741958045779, 3.75333194069, 8.10830737371e-04,
			1.86821667265, 0.00964255172061},
	}
	robust := of(t, read(t, cars), Options{Formula: "mpg ~ wt * hp", HC3: true})
	for i, w := range want {
		c := r.Terms[i]
		if c.Name != w.name {
			t.Errorf("term %d is %s, expected %s", i, c.Name, w.name)
		}
		near(t, w.name, c.Estimate.Float(), w.estimate)
		near(t, w.name+" error", c.StdError.Float(), w.err)
		near(t, w.name+" t", c.T.Float(), w.t)
		near(t, w.name+" p", c.P.Float(), w.p)
		near(t, w.name+" standardized", c.Standardized.Float(), w.standardized)
		near(t, w.name+" HC3", robust.Terms[i].StdError.Float(), w.h)
	}
	near(t, "R2", r.R2.Float(), 0.884763711991)
	near(t, "adjusted", r.R2Adjusted.Float(), 0.872416966847)
	near(t, "sigma", r.Sigma.Float(), 2.152751545036)
	near(t, "BIC", r.BIC.Float(), 152.939537062134)
	near(t, "PRESS", r.PRESS.Float(), 175.525056406148)
	near(t, "error", r.CV.ErrorPercent.Float(), 10.508646794083)
	near(t, "low", r.CV.Low.Float(), -1.072062375)
	near(t, "high", r.CV.High.Float(), 22.089355963)
	near(t, "2.5 %", r.CV.P2_5.Float(), 2.53837793089)
	near(t, "97.5 %", r.CV.P97_5.Float(), 21.28887765849)
	// R's step(k = log(32)) of the same formula
	r = of(t, read(t, cars), Options{Select: regress.BIC,
		Formula: "mpg ~ (wt + hp + qsec)^2 + factor(cyl) + log(disp) + I(wt^2)"})
	if want := "mpg ~ wt + qsec + I(wt^2)"; r.Formula != want {
		t.Errorf("%s is selected, R has %s", r.Formula, want)
	}
}

// A model from its document predicts of its own rows what it was fitted with.
func TestPredictIsFitted(t *testing.T) {
	for _, o := range []Options{
		{Formula: "mpg ~ wt * hp"},
		{Formula: "log(mpg) ~ 0 + factor(cyl) * wt + log(hp) + I(disp / 100)"},
		{Formula: "mpg ~ (wt + hp + qsec)^3 + factor(cyl):gear + log(disp)", Select: regress.BIC},
		{Formula: "mpg ~ wt + I(2 * wt) + hp"}, // one has no coefficient
		{Formula: "mpg ~ 1"},
	} {
		r := of(t, read(t, cars), o)
		m, err := saved(t, r, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Predict("m", read(t, cars))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Rows) != 32 || p.Outside != 0 {
			t.Errorf("%s: %d rows, %d outside of the data; expected 32 and 0", r.Formula,
				len(p.Rows), p.Outside)
		}
		for i, row := range p.Rows {
			near(t, r.Formula, row.Value.Float(), r.fit.Fitted[i])
			near(t, r.Formula+" response", row.Response.Float(), r.fit.Design.Y[i])
		}
	}
}

func TestOutside(t *testing.T) {
	m, err := saved(t, of(t, read(t, cars), Options{Formula: "mpg ~ wt + hp"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &regress.Frame{N: 4, Columns: []regress.Column{
		{Name: "wt", Numbers: []float64{3, 9, 5.4, math.NaN()}},
		{Name: "hp", Numbers: []float64{150, 400, 60, 100}}}}
	p, err := m.Predict("m", &Table{Frame: f})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{}, {"wt", "hp"}, {together}}
	for i, row := range p.Rows {
		if !slices.Equal(row.Outside, want[i]) {
			t.Errorf("row %d is outside by %q, expected %q", row.Row, row.Outside, want[i])
		}
		if row.Response.Known() {
			t.Errorf("row %d has a response, which the table has not", row.Row)
		}
	}
	if len(p.Rows) != 3 || p.Outside != 2 || p.ErrorPercent.Known() || len(p.Lost) != 1 {
		t.Errorf("%d rows, %d outside, error %v, lost %v; expected 3, 2, none, 1 row", len(p.Rows),
			p.Outside, p.ErrorPercent, p.Lost)
	}
}

// Two levels of a and b, twice each, y = 10 + 2a + 3b -+ 1: coefficients are these, sigma^2 is 8/5,
// and the variance of a coefficient a 1/8 of it. t(0.975, 5) = 2.570581835636.
func TestChange(t *testing.T) {
	f := &regress.Frame{Columns: []regress.Column{{Name: "y"}, {Name: "a"}, {Name: "b"}}}
	for i := range 8 {
		a, b, e := float64(i&1*2-1), float64(i&2-1), float64(i&4/2-1)
		for k, v := range []float64{10 + 2*a + 3*b + e, a, b} {
			f.Columns[k].Numbers = append(f.Columns[k].Numbers, v)
		}
		f.N++
	}
	m, err := saved(t, of(t, &Table{Frame: f}, Options{Formula: "y ~ a + b"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Change("a=+1", []string{"b=-1"})
	if err != nil {
		t.Fatal(err)
	}
	half := 2.570581835636 * math.Sqrt(8.0/5/8)
	near(t, "before", c.Before.Float(), 7)
	near(t, "after", c.After.Float(), 9)
	near(t, "low", c.Low.Float(), 2-half)
	near(t, "high", c.High.Float(), 2+half)
	near(t, "percent", c.Percent.Float(), 200.0/7)
	if c, err = m.Change("a=3", nil); err != nil || !slices.Equal(c.Outside, []string{"a"}) {
		t.Errorf("a=3 is outside by %v, %v; expected a", c.Outside, err)
	}
	for _, text := range []string{"", "a", "a=", "a=x", "a=NaN", "a=true", "a=%", "c=1", "=1",
		"a=1e999"} {
		if _, err := m.Change(text, nil); failure.Of(err) != failure.Request {
			t.Errorf("change %q: %v; expected an error of the request", text, err)
		}
	}
	cars := of(t, read(t, cars), Options{Formula: "mpg ~ wt + I(wt^2) + hp"})
	if c, err = cars.Change("wt=3", nil); err != nil || !slices.Equal(c.Shared,
		[]string{"I(wt^2)"}) {
		t.Errorf("with wt %v change, %v; expected I(wt^2)", c.Shared, err)
	}
}

// A document that was edited is refused, or its numbers would be of another model.
func TestEdited(t *testing.T) {
	r := of(t, read(t, cars), Options{Formula: "mpg ~ wt * hp"})
	hull := func(d map[string]any) map[string]any { return d["hull"].(map[string]any) }
	for name, change := range map[string]func(d map[string]any){
		"version":  func(d map[string]any) { d["schema_version"] = 2 },
		"formula":  func(d map[string]any) { d["formula"] = "mpg ~ wt" },
		"rubbish":  func(d map[string]any) { d["formula"] = "rubbish" },
		"columns":  func(d map[string]any) { d["columns"] = []any{} },
		"term":     func(d map[string]any) { d["terms"] = d["terms"].([]any)[:3] },
		"estimate": func(d map[string]any) { d["terms"].([]any)[1].(map[string]any)["estimate"] = nil },
		"text":     func(d map[string]any) { d["terms"].([]any)[1].(map[string]any)["estimate"] = "1" },
		"no hull":  func(d map[string]any) { d["hull"] = nil },
		"empty":    func(d map[string]any) { d["hull"] = map[string]any{} },
		"name":     func(d map[string]any) { hull(d)["columns"].([]any)[1] = "foo" },
		"factor":   func(d map[string]any) { hull(d)["factor"] = hull(d)["factor"].([]any)[:3] },
		"df":       func(d map[string]any) { d["df"] = 0 },
	} {
		if _, err := saved(t, r, change); failure.Of(err) != failure.Data {
			t.Errorf("%s: %v; expected an error of the data", name, err)
		}
	}
	if _, err := saved(t, r, func(map[string]any) {}); err != nil {
		t.Error(err)
	}
}

func TestFormulaErrors(t *testing.T) {
	for _, o := range []Options{
		{Formula: "mpg ~ wt + mpg"},
		{Formula: "mpg ~ foo"},
		{Formula: "mpg ~ wt", Without: []string{"hp"}},
		{Formula: "mpg ~ wt", Groups: "foo", Folds: 2},
		{Formula: "mpg ~ wt", LeaveOne: []string{"foo"}},
		{Formula: "mpg ~ wt", Against: []string{"hp ~ wt"}},
	} {
		if _, err := Of(read(t, cars), o); failure.Of(err) != failure.Request {
			t.Errorf("%+v: %v; expected an error of the request", o, err)
		}
	}
}

// Nothing that is not known is printed as a number.
func TestDegenerate(t *testing.T) {
	for _, c := range []struct{ table, formula, warning string }{
		{"y,x\n1,5\n2,5\n3,5\n1,5\n", "y ~ x", "x is the same in all rows"},
		{"y,x\n3,1\n3,2\n3,5\n3,7\n", "y ~ x", "there is nothing to explain"},
		{"y,x\n1,1\n2,2\n4,4\n", "y ~ x", "the fit is perfect"},
		{"y,x\n1,1\n2,5\n", "y ~ x", "as many coefficients as rows"},
		{"y,x\n1,1\n,5\n3,4\n2,NA\n5,3\n", "y ~ x", "1 row without y left out"},
		{"y,x,z\n1,1,2\n3,2,4\n4,5,10\n9,6,12\n", "y ~ x + z", "z is 2 x x in all rows"},
	} {
		frame, err := readCSV([]byte(c.table), 0)
		if err != nil {
			t.Fatal(err)
		}
		r := of(t, frame, Options{Formula: c.formula, Folds: 10})
		if !strings.Contains(strings.Join(r.Warnings, "\n"), c.warning) {
			t.Errorf("%q: warnings %q; expected %q", c.table, r.Warnings, c.warning)
		}
		var text strings.Builder
		if err := r.View(true).Text(doc.NewPage(&text, 80)); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"NaN", "Inf", "%!"} {
			if strings.Contains(text.String(), bad) {
				t.Errorf("%q prints %s:\n%s", c.table, bad, text.String())
			}
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%q: %v", c.table, err)
		}
	}
}

func TestConstructedError(t *testing.T) {
	var e *ConstructedError
	frame, err := readCSV([]byte("cores,ovr,wti,core_time\n2,1.5,2,3\n4,2,1.5,3\n8,1,4,4\n"+
		"2,1,2,2\n3,2,2,4\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Of(frame, Options{Formula: "core_time ~ ovr * wti"}); !errors.As(err, &e) {
		t.Errorf("%v; expected a relation by construction, which holds in each row", err)
	}
	frame.Frame.Column("core_time").Numbers[4] = 7 // another quantity of the same name
	if _, err := Of(frame, Options{Formula: "core_time ~ ovr + wti"}); err != nil {
		t.Error(err)
	}
	frame.Folds = "cell" // one of krdlab's
	if _, err := Of(frame, Options{Formula: "core_time ~ ovr + wti"}); !errors.As(err, &e) {
		t.Errorf("%v; expected a relation by construction", err)
	}
}
