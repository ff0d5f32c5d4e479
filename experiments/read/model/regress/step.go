package regress

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A Step is one of a search: a term that was dropped, or added, and the criterion after it. The
// first has no term.
type Step struct {
	Term  string
	Added bool
	Value float64
}

// Search drops and adds terms of d, the one first that makes the criterion least, as R's step with
// direction = "both" does from the model of all terms: until none does. Marginality is respected: a
// term is dropped only when no term of the model has all its predictors and more, and added only
// with all its parts (W. Venables, "Exegeses on linear models", 1998). It returns the terms that
// are left, and the way. each is called after each step. Columns that others determine count for
// nothing. The error is that of [Design.Fit]. Cost: 8/3 p^3 for each step.
func (d *Design) Search(by Criterion, each func(Step)) ([]Term, []Step, error) {
	full, err := d.Fit()
	if err != nil {
		return nil, nil, err
	}
	s := &search{d: d, by: by, own: full.P - len(full.kept)}
	columns, y, _, _, _ := d.centred()
	slices.Sort(full.kept)
	s.compress(columns, y, full)
	in := make([]bool, len(d.Formula.Terms))
	for i := range in {
		in[i] = true
	}
	value := by.of(len(d.Y), full.P, full.RSS)
	way := []Step{{Value: value}}
	for !math.IsInf(value, -1) && !math.IsNaN(value) {
		best, at := Step{Value: value}, -1
		for _, c := range s.candidates(in) {
			if v := by.of(len(d.Y), c.p, c.rss); v < best.Value {
				best = Step{d.Formula.Name(d.Formula.Terms[c.term]), !in[c.term], v}
				at = c.term
			}
		}
		if at < 0 {
			break
		}
		in[at] = !in[at]
		value = best.Value
		way = append(way, best)
		if each != nil {
			each(best)
		}
	}
	var terms []Term
	for i, t := range d.Formula.Terms {
		if in[i] {
			terms = append(terms, t)
		}
	}
	return terms, way, nil
}

// A search works on the triangle of the whole matrix and y: sums of squares in its few rows are
// those in all rows.
type search struct {
	d   *Design
	by  Criterion
	own int // intercepts

	columns [][]int // of each term, in triangle
	r       blas64.General
	y       []float64
	rest    float64 // squares of y outside the space of all columns
}

// compress factorises the kept columns of full once.
func (s *search) compress(columns [][]float64, y []float64, full *Fit) {
	p, n := len(full.kept), len(y)
	s.columns = make([][]int, len(s.d.Formula.Terms))
	a := general(n, p)
	for k, j := range full.kept {
		for i, v := range columns[j] {
			a.Data[i*a.Stride+k] = v
		}
		t := s.d.Term[j]
		s.columns[t] = append(s.columns[t], k)
	}
	s.r, s.y = general(p, p), make([]float64, p)
	s.rest = full.RSS
	if p == 0 {
		return
	}
	z := blas64.General{Rows: n, Cols: 1, Stride: 1, Data: slices.Clone(y)}
	triangle(a, z)
	for i := range p {
		copy(s.r.Data[i*p+i:(i+1)*p], a.Data[i*p+i:(i+1)*p])
		s.y[i] = z.Data[i]
	}
}

// triangle turns a into its triangle by Householder QR, and y with it.
func triangle(a, y blas64.General) {
	tau, work := make([]float64, min(a.Rows, a.Cols)), make([]float64, 1)
	lapack64.Geqrf(a, tau, work, -1)
	size := int(work[0])
	lapack64.Ormqr(blas.Left, blas.Trans, a, tau, y, work, -1)
	work = make([]float64, max(size, int(work[0])))
	lapack64.Geqrf(a, tau, work, len(work))
	lapack64.Ormqr(blas.Left, blas.Trans, a, tau, y, work, len(work))
}

// A candidate is a model that is one term away.
type candidate struct {
	term, p int
	rss     float64
}

// candidates returns the models that may follow, those with a term less first.
func (s *search) candidates(in []bool) []candidate {
	terms := s.d.Formula.Terms
	var order []int // columns of the model, then the others
	var others []int
	for t := range terms {
		if in[t] {
			order = append(order, s.columns[t]...)
		} else {
			others = append(others, s.columns[t]...)
		}
	}
	k, p := len(order), s.r.Cols
	order = append(order, others...)
	at := make([]int, p) // place of a column in order
	for i, j := range order {
		at[j] = i
	}
	a := general(p, p)
	for i := range p {
		for m, j := range order {
			a.Data[i*p+m] = s.r.Data[i*p+j]
		}
	}
	y := blas64.General{Rows: p, Cols: 1, Stride: 1, Data: slices.Clone(s.y)}
	if p > 0 {
		triangle(a, y)
	}
	rss := s.rest + squares(y.Data[k:], 0)
	var list []candidate
	// A term less: the squares of its columns' part of y, where they come last.
	inverse := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: k, Stride: max(1, k),
		Data: make([]float64, k*k)}
	b := slices.Clone(y.Data[:k])
	for i := range k {
		copy(inverse.Data[i*k+i:(i+1)*k], a.Data[i*p+i:i*p+k])
	}
	if k > 0 {
		blas64.Trsv(blas.NoTrans, inverse, vector(b))
		lapack64.Trtri(inverse)
	}
	for t, term := range terms {
		if !in[t] || len(s.columns[t]) == 0 || s.above(term, in) {
			continue
		}
		var rows [][]float64
		var own []float64
		for _, j := range s.columns[t] {
			i := at[j]
			rows = append(rows, append(make([]float64, i), inverse.Data[i*k+i:(i+1)*k]...))
			own = append(own, b[i])
		}
		list = append(list, candidate{t, s.own + k - len(own), rss + drop(rows, own)})
	}
	// A term more: what of y the remainder of its columns explains.
	for t, term := range terms {
		if in[t] || len(s.columns[t]) == 0 || s.lacks(term, in) {
			continue
		}
		var rest [][]float64
		for _, j := range s.columns[t] {
			column := make([]float64, p-k)
			for i := k; i < p; i++ {
				column[i-k] = value(a, i, at[j])
			}
			rest = append(rest, column)
		}
		gain := explains(rest, y.Data[k:])
		list = append(list, candidate{t, s.own + k + len(rest), max(0, rss-gain)})
	}
	return list
}

// value returns an element of the upper triangle.
func value(a blas64.General, i, j int) float64 {
	if i > j {
		return 0
	}
	return a.Data[i*a.Stride+j]
}

// above reports whether a term of the model has all predictors of t and more.
func (s *search) above(t Term, in []bool) bool {
	for i, u := range s.d.Formula.Terms {
		if in[i] && len(u) > len(t) && t.within(u) {
			return true
		}
	}
	return false
}

// lacks reports whether a term of the formula that is a part of t is not in the model.
func (s *search) lacks(t Term, in []bool) bool {
	for i, u := range s.d.Formula.Terms {
		if !in[i] && len(u) < len(t) && u.within(t) {
			return true
		}
	}
	return false
}

// drop returns by how much the squares of residuals grow without coefficients b, whose covariance
// is that of rows: b' (rows rows')^-1 b.
func drop(rows [][]float64, b []float64) float64 {
	if len(b) == 1 {
		return b[0] * b[0] / squares(rows[0], 0)
	}
	// with rows = L Q: the squares of z = L^-1 b
	var basis [][]float64
	var z []float64 // of each row of the basis
	for i, r := range rows {
		r, c := slices.Clone(r), b[i]
		for k, q := range basis {
			p := blas64.Dot(vector(q), vector(r))
			blas64.Axpy(-p, vector(q), vector(r))
			c -= p * z[k]
		}
		length := blas64.Nrm2(vector(r))
		if length == 0 {
			continue
		}
		blas64.Scal(1/length, vector(r))
		basis, z = append(basis, r), append(z, c/length)
	}
	return squares(z, 0)
}

// explains returns the squares of the part of y in the space of columns.
func explains(columns [][]float64, y []float64) (sum float64) {
	var basis [][]float64
	for _, r := range columns {
		for _, q := range basis {
			blas64.Axpy(-blas64.Dot(vector(q), vector(r)), vector(q), vector(r))
		}
		length := blas64.Nrm2(vector(r))
		if length == 0 {
			continue
		}
		blas64.Scal(1/length, vector(r))
		basis = append(basis, r)
		c := blas64.Dot(vector(r), vector(y))
		sum += c * c
	}
	return sum
}
