package main

import (
	"fmt"
	"math"
	"slices"
)

// cgClass is a size of CG: the order of the matrix, the elements of each random vector, the shift
// of the diagonal, and the estimate of the eigenvalue after all steps.
type cgClass struct {
	n, nonzeros int
	shift, zeta float64
}

var cgClasses = [...]cgClass{
	{1400, 7, 10, 8.5971775078648},
	{7000, 8, 12, 10.362595087124},
	{14000, 11, 20, 17.130235054029},
}

const (
	cgSteps  = 15
	cgInner  = 25  // steps of the conjugate gradients in each
	cgSmooth = 0.1 // the reciprocal of the condition number
)

// sparse is a vector that is 0 but for its elements.
type sparse struct {
	index []int32
	value []float64
}

// matrix has compressed rows: those of row r are elements row[r] to row[r+1]-1.
type matrix struct {
	row []int32
	sparse
}

// runCG estimates the eigenvalue of a sparse matrix that is nearest to the shift, by inverse
// iteration whose systems conjugate gradients solve.
func runCG(class, steps int) (string, []float64, []float64) {
	c := cgClasses[class]
	a := makeMatrix(c)
	x, z := make([]float64, c.n), make([]float64, c.n)
	for i := range x {
		x[i] = 1
	}
	var zeta, residual float64
	for range steps {
		residual = conjugateGradients(a, x, z)
		zeta = c.shift + 1/dot(x, z)
		scale(x, 1/math.Sqrt(dot(z, z)), z)
	}
	return fmt.Sprintf("order %d, %d elements, eigenvalue %.13g, residual %.2g", c.n, len(a.value),
		zeta, residual), []float64{zeta}, []float64{c.zeta}
}

// conjugateGradients sets z to an approximate solution of A z = x, and returns the norm of x - A z.
func conjugateGradients(a matrix, x, z []float64) float64 {
	r, p, q := slices.Clone(x), slices.Clone(x), make([]float64, len(x))
	clear(z)
	rho := dot(r, r)
	for range cgInner {
		multiply(q, a, p)
		alpha := rho / dot(p, q)
		addScaled(z, alpha, p)
		addScaled(r, -alpha, q)
		before := rho
		rho = dot(r, r)
		extend(p, r, rho/before)
	}
	multiply(q, a, z)
	addScaled(q, -1, x)
	return math.Sqrt(dot(q, q))
}

// multiply computes y = A x.
func multiply(y []float64, a matrix, x []float64) {
	for r := range y {
		sum := 0.0
		for i := a.row[r]; i < a.row[r+1]; i++ {
			sum += a.value[i] * x[a.index[i]]
		}
		y[r] = sum
	}
}

// dot returns the product of two vectors.
func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// scale computes y = c x.
func scale(y []float64, c float64, x []float64) {
	for i := range y {
		y[i] = c * x[i]
	}
}

// addScaled computes y += c x.
func addScaled(y []float64, c float64, x []float64) {
	for i := range y {
		y[i] += c * x[i]
	}
}

// extend computes p = r + c p.
func extend(p, r []float64, c float64) {
	for i := range p {
		p[i] = r[i] + c*p[i]
	}
}

// makeMatrix returns the sum of w^(i/n) x x' over n random vectors x, numbered by i, and of the
// identity times w - shift, where w is cgSmooth.
func makeMatrix(c cgClass) matrix {
	vectors, weights := makeVectors(c)
	in := transpose(vectors)
	a := matrix{row: make([]int32, 1, c.n+1)}
	sum, seen := make([]float64, c.n), make([]bool, c.n)
	for r := range in {
		first := len(a.index)
		for k, i := range in[r].index {
			factor := weights[i] * in[r].value[k]
			for l, column := range vectors[i].index {
				if !seen[column] {
					seen[column] = true
					a.index = append(a.index, column)
				}
				sum[column] += factor * vectors[i].value[l]
			}
		}
		sum[r] += cgSmooth - c.shift
		slices.Sort(a.index[first:])
		for _, column := range a.index[first:] {
			a.value = append(a.value, sum[column])
			sum[column], seen[column] = 0, false
		}
		a.row = append(a.row, int32(len(a.index)))
	}
	return a
}

// makeVectors returns n random vectors (number i has element i) and their weights.
func makeVectors(c cgClass) ([]sparse, []float64) {
	r := newRandom()
	r.next() // the benchmark begins with the second number
	vectors, weights := make([]sparse, c.n), make([]float64, c.n)
	weight, ratio := 1.0, math.Pow(cgSmooth, 1/float64(c.n))
	for i := range vectors {
		vectors[i], weights[i] = makeVector(r, c), weight
		vectors[i].set(int32(i), 0.5)
		weight *= ratio
	}
	return vectors, weights
}

// makeVector returns a vector of random elements in random positions.
func makeVector(r *random, c cgClass) sparse {
	var v sparse
	power := 1
	for power < c.n {
		power *= 2
	}
	for len(v.index) < c.nonzeros {
		value, at := r.next(), int32(r.next()*float64(power))
		if int(at) < c.n && !slices.Contains(v.index, at) {
			v.set(at, value)
		}
	}
	return v
}

// set sets an element, which may be there.
func (v *sparse) set(at int32, value float64) {
	if k := slices.Index(v.index, at); k >= 0 {
		v.value[k] = value
		return
	}
	v.index, v.value = append(v.index, at), append(v.value, value)
}

// transpose returns for each position the vectors that have an element there.
func transpose(vectors []sparse) []sparse {
	in := make([]sparse, len(vectors))
	for i, v := range vectors {
		for k, at := range v.index {
			in[at].index = append(in[at].index, int32(i))
			in[at].value = append(in[at].value, v.value[k])
		}
	}
	return in
}
