package regress

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A Fit is a model of least squares: y = intercept + sum of Coef x column.
type Fit struct {
	Design *Design
	// P is the number of parameters that were estimated, the intercept and absorbed groups among
	// them; DF is that of rows less P.
	P, DF int
	// Coef has the coefficient of each column, NaN of those in Aliased. Intercept is 0 where there
	// is none, or where groups are absorbed.
	Coef      []float64
	Intercept float64
	Aliased   []Alias
	Fitted    []float64
	Residuals []float64
	Leverage  []float64 // the diagonal of the hat matrix
	RSS, TSS  float64   // squares of residuals; of y about its mean (groups: means; none: 0)

	kept   []int     // columns, in the order of q and inverse
	centre []float64 // of each column, without groups
	scale  []float64
	q      blas64.General // n x kept
	// inverse is that of the triangle of the kept columns, centred and scaled, row by row.
	inverse blas64.Triangular
}

// An Alias is a column that others determine in all rows: name = sum of factors x names. Without
// names it is constant.
type Alias struct {
	Column  string    `json:"column"`
	Names   []string  `json:"sum_of"`
	Factors []float64 `json:"factors"`
}

// epsilon is the distance of 1 and the next number.
const epsilon = 0x1p-52

// centred returns the columns of d and y less their means, in groups where there are some, columns
// scaled to length 1, and by how much rounding can have moved each, in units of that length.
func (d *Design) centred() (columns [][]float64, y, centre, scale, noise []float64) {
	off := func(x []float64) ([]float64, float64) {
		r := slices.Clone(x)
		switch {
		case d.Group != nil:
			sum, n := make([]float64, d.Groups), make([]float64, d.Groups)
			for i, g := range d.Group {
				sum[g] += x[i]
				n[g]++
			}
			rest := make([]float64, d.Groups) // what rounding left of the means
			for g := range sum {
				sum[g] /= n[g]
			}
			for i, g := range d.Group {
				rest[g] += (x[i] - sum[g]) / n[g]
			}
			for i, g := range d.Group {
				r[i] = x[i] - sum[g] - rest[g]
			}
		case d.Formula.Intercept:
			m, rest := meanOf(x)
			for i := range r {
				r[i] = x[i] - m - rest
			}
			return r, m + rest
		}
		return r, 0
	}
	y, m := off(d.Y)
	columns = make([][]float64, len(d.Columns))
	centre = append(make([]float64, len(columns)), m)
	scale, noise = make([]float64, len(columns)), make([]float64, len(columns))
	for j, x := range d.Columns {
		columns[j], centre[j] = off(x)
		length := blas64.Nrm2(vector(columns[j]))
		noise[j] = epsilon * blas64.Nrm2(vector(x)) / length
		scale[j] = length
		if length > 0 {
			blas64.Scal(1/length, vector(columns[j]))
		}
	}
	return columns, y, centre, scale, noise
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }

// rankTolerance is how small a column may be beside those before it, for each sqrt(p): enough for
// rounding, and for Filip's tenth power.
const rankTolerance = 16

// Fit computes the least squares of d by Householder QR with column pivoting of the columns,
// centred and scaled to length 1. Columns that others determine are left out, the later ones in the
// formula first, and named. The error is an [*Error] where there are not more rows than
// coefficients. Cost: 4 n p^2.
func (d *Design) Fit() (*Fit, error) {
	largest := 0 // row
	for i, v := range d.Y {
		if math.Abs(v) > math.Abs(d.Y[largest]) {
			largest = i
		}
	}
	// the squares of y, and sums of them, must be numbers
	if v := math.Abs(d.Y[largest]); v != 0 && !(v > 1e-140 && v < 1e140) {
		return nil, bad("row "+strconv.Itoa(d.Rows[largest]+1), "%s is %v; expected numbers "+
			"between 1e-140 and 1e140", d.Formula.Response, d.Y[largest])
	}
	columns, y, centre, scale, noise := d.centred()
	f := &Fit{Design: d, centre: centre, scale: scale}
	for _, name := range d.Constant {
		f.Aliased = append(f.Aliased, Alias{Column: name})
	}
	for j := range columns {
		if !(noise[j] < 1/(rankTolerance*math.Sqrt(float64(len(d.Y))))) { // constant, or 0
			f.Aliased = append(f.Aliased, Alias{Column: d.Names[j]})
			continue
		}
		f.kept = append(f.kept, j)
	}
	own := 0 // intercepts
	switch {
	case d.Group != nil:
		own = d.Groups
	case d.Formula.Intercept:
		own = 1
	}
	if len(d.Y) <= own {
		return nil, bad("table", "%d rows with all values for %d intercepts; expected more rows",
			len(d.Y), own)
	}
	if len(f.kept)+own > len(d.Y) {
		return nil, bad("table", "%d rows with all values for %d coefficients of %s; expected "+
			"more "+
			"rows than coefficients, or fewer terms", len(d.Y), len(f.kept)+own, short(d.Formula))
	}
	tolerance := func(j int) float64 {
		return rankTolerance * math.Sqrt(float64(len(f.kept))) * max(epsilon, noise[j]/8)
	}
	qr := factorise(columns, f.kept, len(d.Y))
	if rank := qr.rank(tolerance); rank < len(f.kept) {
		f.drop(columns, rank, tolerance)
		qr = factorise(columns, f.kept, len(d.Y))
	}
	f.P = len(f.kept) + own
	f.DF = len(d.Y) - f.P
	f.solve(qr, columns, y)
	return f, nil
}

func short(f *Formula) string {
	s := f.String()
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return s
}

// A factored matrix is Q and R of some columns, the largest remainder first.
type factored struct {
	order []int // columns
	qr    blas64.General
	tau   []float64
}

func factorise(columns [][]float64, kept []int, n int) *factored {
	p := len(kept)
	f := &factored{qr: general(n, p), tau: make([]float64, p)}
	if p == 0 {
		return f
	}
	for k, j := range kept {
		for i, v := range columns[j] {
			f.qr.Data[i*p+k] = v
		}
	}
	pivots := make([]int, p)
	for i := range pivots {
		pivots[i] = -1
	}
	work := make([]float64, 1)
	lapack64.Geqp3(f.qr, pivots, f.tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqp3(f.qr, pivots, f.tau, work, len(work))
	for _, k := range pivots {
		f.order = append(f.order, kept[k])
	}
	return f
}

func general(n, p int) blas64.General {
	return blas64.General{Rows: n, Cols: p, Stride: max(1, p), Data: make([]float64, n*p)}
}

// rank returns the number of columns that are more than the tolerance of the rest.
func (f *factored) rank(tolerance func(int) float64) int {
	for k, j := range f.order {
		if k >= f.qr.Rows || math.Abs(f.qr.Data[k*f.qr.Stride+k]) <= tolerance(j) {
			return k
		}
	}
	return len(f.order)
}

// drop leaves rank of the kept columns: those that are not, in the order of the formula, a sum of
// columns before them. The others are named with these.
func (f *Fit) drop(columns [][]float64, rank int, tolerance func(int) float64) {
	var basis [][]float64 // orthonormal
	var kept []int
	var products [][]float64 // of each kept column with the basis
	for _, j := range f.kept {
		r := slices.Clone(columns[j])
		with := make([]float64, len(basis))
		for range 2 { // once more for what rounding left
			for k, b := range basis {
				c := blas64.Dot(vector(b), vector(r))
				with[k] += c
				blas64.Axpy(-c, vector(b), vector(r))
			}
		}
		length := blas64.Nrm2(vector(r))
		if length > tolerance(j) && len(kept) < rank {
			blas64.Scal(1/length, vector(r))
			basis, kept, products = append(basis, r), append(kept, j), append(products,
				append(with, length))
			continue
		}
		a := Alias{Column: f.Design.Names[j]}
		for k := len(kept) - 1; k >= 0; k-- { // back substitution
			c := with[k] / products[k][k]
			for m := range k {
				with[m] -= c * products[k][m]
			}
			if math.Abs(c) > 1e-7 {
				a.Names = append(a.Names, f.Design.Names[kept[k]])
				a.Factors = append(a.Factors, c*f.scale[j]/f.scale[kept[k]])
			}
		}
		slices.Reverse(a.Names)
		slices.Reverse(a.Factors)
		f.Aliased = append(f.Aliased, a)
	}
	f.kept = kept
}

// solve fills in what follows from the factors.
func (f *Fit) solve(qr *factored, columns [][]float64, y []float64) {
	n, p := len(y), len(qr.order)
	f.kept = qr.order
	f.q = qr.qr
	r := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: p, Stride: max(1, p),
		Data: make([]float64, p*p)}
	for i := range p {
		copy(r.Data[i*p+i:(i+1)*p], f.q.Data[i*p+i:(i+1)*p])
	}
	if p > 0 {
		work := make([]float64, 1)
		lapack64.Orgqr(f.q, qr.tau, work, -1)
		work = make([]float64, int(work[0]))
		lapack64.Orgqr(f.q, qr.tau, work, len(work))
	}
	b := make([]float64, p)
	f.Residuals = slices.Clone(y)
	for range 2 { // the second is a step of refinement
		if p == 0 {
			break
		}
		step := make([]float64, p)
		blas64.Gemv(blas.Trans, 1, f.q, vector(f.Residuals), 0, vector(step))
		blas64.Trsv(blas.NoTrans, r, vector(step))
		blas64.Axpy(1, vector(step), vector(b))
		f.Residuals = remainder(columns, f.kept, y, b)
	}
	f.inverse = r
	if p > 0 {
		lapack64.Trtri(f.inverse)
	}
	f.Coef = make([]float64, len(columns))
	for j := range f.Coef {
		f.Coef[j] = math.NaN()
	}
	f.Intercept = f.centre[len(columns)]
	for k, j := range f.kept {
		f.Coef[j] = b[k] / f.scale[j]
	}
	for j := range columns {
		if !math.IsNaN(f.Coef[j]) {
			f.Intercept -= f.Coef[j] * f.centre[j]
		}
	}
	f.Fitted, f.Leverage = make([]float64, n), make([]float64, n)
	shares := f.Design.shares()
	for i := range n {
		f.Fitted[i] = f.Design.Y[i] - f.Residuals[i]
		f.Leverage[i] = float64(squares(f.q.Data[i*p:(i+1)*p], 0)) + shares[i]
	}
	f.RSS, f.TSS = squares(f.Residuals, 0), squares(y, 0)
	// what rounding leaves of a perfect fit is none: y is as given, however large its mean is
	if f.DF == 0 || f.RSS <= 1e-28*f.TSS {
		f.RSS = 0
	}
}

// shares returns the leverage of each row from the intercept, or from that of its group.
func (d *Design) shares() []float64 {
	shares := make([]float64, len(d.Y))
	switch {
	case d.Group != nil:
		size := make([]float64, d.Groups)
		for _, g := range d.Group {
			size[g]++
		}
		for i, g := range d.Group {
			shares[i] = 1 / size[g]
		}
	case d.Formula.Intercept:
		for i := range shares {
			shares[i] = 1 / float64(len(shares))
		}
	}
	return shares
}

// remainder returns y less the sum of b x column, its sums in twice the precision (Dekker, "A
// floating-point technique for extending the available precision", 1971).
func remainder(columns [][]float64, kept []int, y, b []float64) []float64 {
	r := make([]float64, len(y))
	for i := range y {
		hi, lo := y[i], 0.0
		for k, j := range kept {
			p := float64(-b[k] * columns[j][i])
			e := math.FMA(-b[k], columns[j][i], -p)
			s := hi + p
			t := s - hi
			lo += (hi - (s - t)) + (p - t) + e
			hi = s
		}
		r[i] = hi + lo
	}
	return r
}

// Sigma returns the residual standard deviation (regression paper, II-C): NaN without degrees of
// freedom.
func (f *Fit) Sigma() float64 {
	if f.DF <= 0 {
		return math.NaN()
	}
	return math.Sqrt(f.RSS / float64(f.DF))
}

// R2 returns the part of the squares of y that the fit explains; NaN where y is constant.
func (f *Fit) R2() float64 { return 1 - f.RSS/f.TSS }

// R2Adjusted returns 1 - sigma^2 / s^2, the paper's equation 6; NaN without degrees of freedom.
func (f *Fit) R2Adjusted() float64 {
	if f.DF <= 0 {
		return math.NaN()
	}
	own := f.P - len(f.kept)
	return 1 - f.RSS/float64(f.DF)/(f.TSS/float64(len(f.Design.Y)-own))
}

// PRESS returns the sum of the squares of what each row is off from a fit to the others; NaN where
// one is fitted exactly by a coefficient of its own.
func (f *Fit) PRESS() (sum float64) {
	for i, e := range f.Residuals {
		rest := 1 - f.Leverage[i]
		if rest < 1e-10 {
			return math.NaN()
		}
		sum += float64(e / rest * (e / rest))
	}
	return sum
}
