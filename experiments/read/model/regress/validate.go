package regress

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"krdlab/experiments/run/estimate"

	"gonum.org/v1/gonum/stat"
)

// A Prediction is of a row of a design, by a fit that has not seen it.
type Prediction struct {
	Row int // of the design
	// Value is the prediction, Base that without predictors: the mean of the rows of the fit, with
	// absorbed groups that of the row's group. NaN where the fit determines none.
	Value, Base float64
}

// Folds deals n rows to k folds at random, of the same size but for one row. groups are kept
// together, where there are any: each group is one thing to deal.
func Folds(n, k int, groups []int, seed uint64) []int {
	units := n
	if groups != nil {
		units = 0
		for _, g := range groups {
			units = max(units, g+1)
		}
	}
	order := rand.New(rand.NewPCG(seed, 0)).Perm(units)
	fold := make([]int, units)
	for i, u := range order {
		fold[u] = i % k
	}
	if groups == nil {
		return fold
	}
	rows := make([]int, n)
	for i, g := range groups {
		rows[i] = fold[g]
	}
	return rows
}

// Validate fits d without each fold in turn and predicts it. With a criterion the terms are
// searched for anew in each fit, so that what a search adds by chance shows. A fold whose rest
// cannot be fitted is an error. each is called after each fold. Cost: a fit, or a search, for each
// fold.
func (d *Design) Validate(folds []int, by Criterion, each func(done, of int)) ([]Prediction,
	error) {
	k := slices.Max(folds) + 1
	list := make([]Prediction, len(d.Y))
	for fold := range k {
		var train, test []int
		for i, f := range folds {
			if f == fold {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		if len(test) == 0 {
			continue
		}
		part := d.part(train)
		if by != "" {
			terms, _, err := part.Search(by, nil)
			if err != nil {
				return nil, without(fold, err)
			}
			part = part.Terms(terms)
		}
		f, err := part.Fit()
		if err != nil {
			return nil, without(fold, err)
		}
		values, bases := f.predict(d.part(test).Terms(part.Formula.Terms))
		for i, row := range test {
			list[row] = Prediction{row, values[i], bases[i]}
		}
		if each != nil {
			each(fold+1, k)
		}
	}
	return list, nil
}

// without adds to an error of a fit the fold, numbered from 1, that was left out.
func without(fold int, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return bad(e.Place+" without fold "+strconv.Itoa(fold+1), "%s", e.Text)
	}
	return err
}

// unknown reports the rows of d in which an aliased column is not the sum that it is in all rows of
// the fit, so that the fit does not determine them.
func (f *Fit) unknown(d *Design) []bool {
	rows := make([]bool, len(d.Y))
	for _, a := range f.Aliased {
		if !slices.Contains(d.Names, a.Column) { // a category of one level has no column
			continue
		}
		rest := func(d *Design) (rest, size []float64) {
			x := d.Columns[slices.Index(d.Names, a.Column)]
			rest, size = slices.Clone(x), make([]float64, len(x))
			for i, v := range x {
				size[i] = math.Abs(v)
			}
			for k, name := range a.Names {
				for i, v := range d.Columns[slices.Index(d.Names, name)] {
					rest[i] -= a.Factors[k] * v
					size[i] = max(size[i], math.Abs(a.Factors[k]*v))
				}
			}
			return rest, size
		}
		seen, sizes := rest(f.Design)
		largest := slices.Max(sizes)
		got, size := rest(d)
		want := make([]float64, len(got))
		switch {
		case d.Group != nil:
			means, own := f.Design.means(seen), d.means(got)
			for i, g := range d.Group {
				if want[i] = means[g]; math.IsNaN(means[g]) {
					want[i] = own[g]
				}
			}
		case f.Design.Formula.Intercept:
			m := mean(seen)
			for i := range want {
				want[i] = m
			}
		}
		for i, v := range got {
			// an alias leaves out factors below 1e-7; sums of the fit's rows have rounding
			if !(math.Abs(v-want[i]) <= 1e-6*size[i]+1e-8*largest) {
				rows[i] = true
			}
		}
	}
	return rows
}

// predict computes the rows of d, which has the columns of the fit. A row is NaN where the fit does
// not determine it, such as one of a category that the fit has not seen. Of an absorbed
// group that it has not seen only differences can be predicted: they are from the mean of the
// group's rows in d.
func (f *Fit) predict(d *Design) (values, bases []float64) {
	values, bases = f.extend(d)
	for i, u := range f.unknown(d) {
		if u {
			values[i] = math.NaN()
		}
	}
	return values, bases
}

// extend computes the rows of d, those too that the fit does not determine.
func (f *Fit) extend(d *Design) (values, bases []float64) {
	values, bases = make([]float64, len(d.Y)), make([]float64, len(d.Y))
	add := func(d *Design, values []float64) {
		for j, x := range d.Columns {
			if !math.IsNaN(f.Coef[j]) {
				for i := range x {
					values[i] += f.Coef[j] * x[i]
				}
			}
		}
	}
	for i := range values {
		values[i], bases[i] = f.Intercept, f.centre[len(f.Coef)]
	}
	add(d, values)
	if d.Group == nil {
		return values, bases
	}
	seen := make([]float64, len(f.Design.Y))
	add(f.Design, seen)
	y, x := f.Design.means(f.Design.Y), f.Design.means(seen)
	ownY, ownX := d.means(d.Y), d.means(values)
	for i, g := range d.Group {
		if math.IsNaN(y[g]) {
			y[g], x[g] = ownY[g], ownX[g]
		}
		values[i], bases[i] = values[i]-x[g]+y[g], y[g]
	}
	return values, bases
}

// means returns the mean of x in each group, NaN of one without rows.
func (d *Design) means(x []float64) []float64 {
	sum, n := make([]float64, d.Groups), make([]float64, d.Groups)
	for i, g := range d.Group {
		sum[g] += x[i]
		n[g]++
	}
	for g := range sum {
		sum[g] /= n[g]
	}
	return sum
}

// Accuracy sums up predictions of y.
type Accuracy struct {
	// N rows were predicted; NoValue could not be, and Zero have y = 0 and no error in %.
	N, NoValue, Zero int
	// Error is the mean of 100 |y - value| / |y|; Low and High are 1.96 standard deviations below
	// and above it, and P2_5 and P97_5 percentiles of the rows.
	Error, Low, High, P2_5, P97_5 float64
	RMSE                          float64 // in units of y
	// R2 is the part of the squares of y about Base that the predictions explain: 0 is no better
	// than without predictors, below 0 worse.
	R2 float64
}

// Assess compares predictions with the response.
func (d *Design) Assess(list []Prediction) Accuracy {
	a := Accuracy{}
	var percent []float64
	var rest, base float64
	for _, p := range list {
		y := d.Y[p.Row]
		if math.IsNaN(p.Value) {
			a.NoValue++
			continue
		}
		a.N++
		rest += float64((y - p.Value) * (y - p.Value))
		base += float64((y - p.Base) * (y - p.Base))
		if y == 0 {
			a.Zero++
			continue
		}
		percent = append(percent, 100*math.Abs(y-p.Value)/math.Abs(y))
	}
	a.RMSE, a.R2 = math.Sqrt(rest/float64(a.N)), 1-rest/base
	var sd float64
	a.Error, sd = stat.MeanStdDev(percent, nil)
	a.Low, a.High = a.Error-1.96*sd, a.Error+1.96*sd
	slices.Sort(percent)
	a.P2_5, a.P97_5 = estimate.Quantile(percent, 0.025), estimate.Quantile(percent, 0.975)
	return a
}
