package dense

import (
	"fmt"
	"math"
	"runtime"
	"sync"
)

// CheckResult is the verdict on one product.
type CheckResult struct {
	// Method is "full" (every element compared with a naive product) or "freivalds".
	Method string
	// Exact records that the inputs are integers small enough for float32 to be exact: Error is
	// then the largest absolute difference, Tolerance 0. Otherwise both are in standard deviations
	// of the expected rounding error.
	Exact            bool
	Error, Tolerance float64
	Passed           bool
	// Row is the row of C with the largest error.
	Row int
}

// sigmas is the tolerance for inputs that are not exact, in standard deviations of the expected
// rounding error. A normal deviate passes it once in 10^15.
const sigmas = 8

// fullWork is the largest product rows x cols x inner that is compared element by element.
const fullWork = 1 << 21

// A Checker compares C with the right value of C + A B, independently of the leaf kernels.
//
// Small products are compared element by element. Large ones by random vectors x (Freivalds,
// "Probabilistic machines can use less running time", 1977): (C + A B) x is computed as C x + A (B
// x) before the run and compared with C x after it, in float64, at a cost of O(n^2), with two
// vectors. For exact inputs x holds odd integers of up to 28 - log2(n) bits and either sign, so
// that everything is exact: the residual must be 0, one wrong element in a row is always seen, and
// any other error escapes with a probability of at most 2^-(number of bits) for each vector.
//
// For other inputs the elements of x are real, 1 to 2 in magnitude, and the tolerance is
// statistical. The rounding errors of one element are treated as independent, each at most u =
// 2^-24 of a partial sum; partial sums of length t have the mean square t/k of the final one; hence
// a standard deviation of at most u sqrt((k+1)/2 * sum of squares), where the sum of squares is
// that of the row of C times the mean square of x, the row being that of C or the one expected from
// A and B, whichever is larger. The worst-case bound k u |A| |B| would also cover inputs whose
// partial sums are far larger than their result, for which this check may fail a right product; but
// at k = 1024 it exceeds the effect of a lost leaf.
type Checker struct {
	c     *Matrix
	exact bool
	inner int
	want  []float64 // full: C + A B, row by row
	x     []vec     // Freivalds: one per column of C
	y     []vec     // Freivalds: (C + A B) x, one per row
	power []float64 // not exact: expected sum of squares, per element (full) or per row
}

// vec is an element of each of two vectors, which are multiplied in one pass over a matrix.
type vec [2]float64

// NewChecker returns the checker for C += A B with the present contents of the three matrices, to
// be called before the run; C is retained. It reads A and B once or twice, on all CPUs.
func NewChecker(a, b, c *Matrix, seed uint64) (*Checker, error) {
	if a.Cols != b.Rows || a.Rows != c.Rows || b.Cols != c.Cols {
		return nil, fmt.Errorf("check of the product of %dx%d and %dx%d into %dx%d: the sizes do "+
			"not match", a.Rows, a.Cols, b.Rows, b.Cols, c.Rows, c.Cols)
	}
	k := &Checker{c: c, inner: a.Cols}
	ma, ia := magnitude(a)
	mb, ib := magnitude(b)
	mc, ic := magnitude(c)
	k.exact = ia && ib && ic && ma*mb*float64(a.Cols)+mc <= 1<<24
	if float64(c.Rows)*float64(c.Cols)*float64(a.Cols) <= fullWork {
		k.prepareFull(a, b)
	} else {
		k.prepareVectors(a, b, seed)
	}
	return k, nil
}

// Check compares C as it is now. It may be called any number of times, not concurrently with
// writers of C.
func (k *Checker) Check() CheckResult {
	r := CheckResult{Exact: k.exact}
	if !k.exact {
		r.Tolerance = sigmas
	}
	if k.want != nil {
		r.Method = "full"
		r.Error, r.Row = k.compareFull()
	} else {
		r.Method = "freivalds"
		r.Error, r.Row = k.compareVectors()
	}
	r.Passed = r.Error <= r.Tolerance // false for NaN
	return r
}

// scale divides a difference by its standard deviation, given the sum of squares of what it is the
// rounding error of.
func (k *Checker) scale(diff, power float64) float64 {
	diff = math.Abs(diff)
	if k.exact || diff == 0 {
		return diff
	}
	const u = 1.0 / (1 << 24)
	return diff / (u * math.Sqrt(float64(k.inner+1)/2*power))
}

const signBit = 1 << 31

// magnitude returns the largest absolute value in m (NaN if there is one) and whether all its
// elements are integers.
func magnitude(m *Matrix) (largest float64, integers bool) {
	var mu sync.Mutex
	integers = true
	parallel(m.blockRows, func(lo, hi int) {
		// bit patterns: without their sign they are ordered as the numbers are
		var most, fraction uint32
		m.eachSegment(lo*m.blockCols, hi*m.blockCols, func(_, _ int, s []float32) {
			top, rest := most, fraction
			for _, v := range s {
				top = max(top, math.Float32bits(v)&^signBit)
				rest |= math.Float32bits(v - float32(int32(v)))
			}
			most, fraction = top, rest
		})
		mu.Lock()
		largest = max(largest, float64(math.Float32frombits(most)))
		integers = integers && fraction&^signBit == 0
		mu.Unlock()
	})
	return largest, integers
}

// parallel cuts 0..n into pieces and calls f for them on all CPUs.
func parallel(n int, f func(lo, hi int)) {
	pieces := min(n, 4*runtime.GOMAXPROCS(0))
	work := make(chan int, pieces)
	for p := range pieces {
		work <- p
	}
	close(work)
	var wg sync.WaitGroup
	for range min(pieces, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for p := range work {
				f(p*n/pieces, (p+1)*n/pieces)
			}
		})
	}
	wg.Wait()
}

// worst returns the larger error, a NaN being larger than any number, and its row.
func worst(e1 float64, row1 int, e2 float64, row2 int) (float64, int) {
	if e2 > e1 || (math.IsNaN(e2) && !math.IsNaN(e1)) {
		return e2, row2
	}
	return e1, row1
}
