package fft

import (
	"math"
	"sync"
	"unsafe"

	"krdlab/kernels/isa"
)

// A vector is one point of as many transforms as there are lanes: real parts, then imaginary parts.
type vector = [2 * lanes]float64

// A pass is a stage by radix 4: n butterflies of four points n*stride apart, each for stride
// neighbours, which go to four places stride apart; w are n roots of [stages].
type pass func(to, from *vector, w *[6]float64, n, stride int)

// leaves holds the tables for transforms of panels.
type leaves struct {
	columns, rows stages
	roots         roots
	scratch       sync.Pool // of [2][]vector
	pass          pass
}

// stages are the roots of one of the stages of a transform, by radix 4, and a last one by radix 2 if
// need be (Stockham's, which leaves no order of bits to be undone).
type stages struct {
	points int
	w      [][][6]float64 // of stage i, for p: the first to third power of root p of its length
}

func newStages(points int) stages {
	s := stages{points: points}
	for n := points; n >= 4; n /= 4 {
		var w [][6]float64
		for p := range n / 4 {
			var x [6]float64
			for i := range 3 {
				sin, cos := math.Sincos(-2 * math.Pi * float64((i+1)*p) / float64(n))
				x[2*i], x[2*i+1] = cos, sin
			}
			w = append(w, x)
		}
		s.w = append(s.w, w)
	}
	return s
}

// roots are the n-th roots of one, as products of two from tables of about the square root of n.
type roots struct {
	low, high []complex128
	shift     int
}

func newRoots(s sizes) roots {
	n := s.rows * s.cols
	r := roots{low: make([]complex128, s.rows), high: make([]complex128, s.cols)}
	for 1<<r.shift < s.rows {
		r.shift++
	}
	for i := range r.low {
		sin, cos := math.Sincos(-2 * math.Pi * float64(i) / float64(n))
		r.low[i] = complex(cos, sin)
	}
	for i := range r.high {
		sin, cos := math.Sincos(-2 * math.Pi * float64(i) / float64(s.cols))
		r.high[i] = complex(cos, sin)
	}
	return r
}

// at returns exp(-2 pi i k / n) for k from 0 to n-1.
func (r *roots) at(k int) complex128 { return r.high[k>>r.shift] * r.low[k&(len(r.low)-1)] }

func newLeaves(s sizes, set isa.Set) *leaves {
	l := &leaves{columns: newStages(s.rows), rows: newStages(s.cols), roots: newRoots(s),
		pass: passes[set]}
	l.scratch.New = func() any {
		return &[2][]vector{make([]vector, s.rows), make([]vector, s.rows)}
	}
	return l
}

// transform transforms x, with y as scratch, and returns which of them the result is in.
func (l *leaves) transform(s *stages, x, y []vector) []vector {
	n, stride := s.points, 1
	for _, w := range s.w {
		l.pass(&y[0], &x[0], &w[0], n/4, stride)
		x, y = y, x
		n, stride = n/4, 4*stride
	}
	if n == 2 {
		for q := range stride {
			a, b := &x[q], &x[q+stride]
			c, d := &y[q], &y[q+stride]
			for i := range a {
				c[i], d[i] = a[i]+b[i], a[i]-b[i]
			}
		}
		x = y
	}
	return x
}

// byColumns makes the first phase of column panel i: its tiles are columns, transformed and turned.
func (in *instance) byColumns(i int) {
	l := in.leaf
	space := l.scratch.Get().(*[2][]vector)
	defer l.scratch.Put(space)
	for group := range in.wide / lanes {
		c := i*in.wide + group*lanes
		x := space[0][:in.rows]
		for r := range x {
			row := (*[lanes]complex128)(in.in.Data[r*in.cols+c:])
			v := &x[r]
			for k, z := range row {
				v[k], v[lanes+k] = real(z), imag(z)
			}
		}
		y := l.transform(&l.columns, x, space[1][:in.rows])
		l.turn(y, c)
		columns, rows := in.panels()
		for panel := range rows {
			copy(in.tile(panel*columns+i, group), y[panel*in.high:(panel+1)*in.high])
		}
	}
}

// turn multiplies point r of lane k by root r (c + k).
func (l *leaves) turn(y []vector, c int) {
	for r := range y {
		v := &y[r]
		for k := range lanes {
			w := l.roots.at(r * (c + k))
			re, im := v[k], v[lanes+k]
			v[k], v[lanes+k] = re*real(w)-im*imag(w), re*imag(w)+im*real(w)
		}
	}
}

// tile returns the part of a tile in one group of columns: all its rows, a vector each.
func (in *instance) tile(number, group int) []vector {
	from := (number*in.wide/lanes + group) * in.high
	return in.tiles.Data[from : from+in.high]
}

// byRows makes the second phase of row panel i: rows are transformed to columns of the output.
func (in *instance) byRows(i int) {
	l := in.leaf
	space := l.scratch.Get().(*[2][]vector)
	defer l.scratch.Put(space)
	columns, _ := in.panels()
	for r := 0; r < in.high; r += lanes {
		x := space[0][:in.cols]
		at := 0
		for panel := range columns {
			for group := range in.wide / lanes {
				transpose((*[lanes]vector)(x[at:]),
					(*[lanes]vector)(in.tile(i*columns+panel, group)[r:]))
				at += lanes
			}
		}
		y := l.transform(&l.rows, x, space[1][:in.cols])
		for c := range y {
			to := (*[lanes]complex128)(in.out.Data[c*in.rows+i*in.high+r:])
			v := &y[c]
			for k := range to {
				to[k] = complex(v[k], v[lanes+k])
			}
		}
	}
}

// transpose makes lanes of points and points of lanes.
func transpose(to, from *[lanes]vector) {
	for r := range from {
		v := &from[r]
		for k := range lanes {
			to[k][r], to[k][lanes+r] = v[k], v[lanes+k]
		}
	}
}

// portable makes a [pass] in Go.
func portable(to, from *vector, w *[6]float64, n, stride int) {
	x := unsafe.Slice(from, 4*n*stride)
	y := unsafe.Slice(to, 4*n*stride)
	for p, w := range unsafe.Slice(w, n) {
		for q := range stride {
			a, b := &x[q+stride*p], &x[q+stride*(p+n)]
			c, d := &x[q+stride*(p+2*n)], &x[q+stride*(p+3*n)]
			at := q + stride*4*p
			e, f, g, h := &y[at], &y[at+stride], &y[at+2*stride], &y[at+3*stride]
			for i := range lanes {
				sr, si := a[i]+c[i], a[lanes+i]+c[lanes+i]
				dr, di := a[i]-c[i], a[lanes+i]-c[lanes+i]
				tr, ti := b[i]+d[i], b[lanes+i]+d[lanes+i]
				ur, ui := b[i]-d[i], b[lanes+i]-d[lanes+i]
				e[i], e[lanes+i] = sr+tr, si+ti
				vr, vi := dr+ui, di-ur // (a-c) - i (b-d)
				f[i], f[lanes+i] = vr*w[0]-vi*w[1], vr*w[1]+vi*w[0]
				vr, vi = sr-tr, si-ti
				g[i], g[lanes+i] = vr*w[2]-vi*w[3], vr*w[3]+vi*w[2]
				vr, vi = dr-ui, di+ur
				h[i], h[lanes+i] = vr*w[4]-vi*w[5], vr*w[5]+vi*w[4]
			}
		}
	}
}
