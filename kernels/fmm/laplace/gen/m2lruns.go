package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maxOrder is the highest order that M2L has assembly for. The portable one serves above.
const maxOrder = 6

// listed is the degree up to which derivatives are listed. One more than the assembly needs fills
// the last vectors: with lanes left empty an M2L of order 6 takes 7 to 10 % longer (AVX2).
const listed = maxOrder + 1

// runs emits an M2L of any order with either instruction set.
//
// Derivatives go to memory in two arrays in the order of the coefficients: flat holds those with z
// = 0 and 1, raised those with z = 1 and 2 in the place of z-1. For a multipole k of degree g the
// D_{n+k} of all n of degree m are then a run of flat from (m+g)^2 + 2 k_y on (k_z = 0) or of
// raised from (m+g-1)^2 + 2 k_y on (k_z = 1), without permutations. Degrees of k go from high to
// low, the sums being multiplied by scale over distance in between: Horner's rule. Lanes past the
// end of a run hold what happens to be there and are overwritten by the next degree.
type runs struct {
	*build.Context
	order   int
	lanes   int
	dipoles bool
	mutual  bool
	fn      string
	flat    operand.Mem
	raised  operand.Mem
}

// vector is a piece of the locals of one degree.
type vector struct{ degree, from int }

// way is one direction.
type way struct {
	m, l reg.GPVirtual
	odd  bool           // the reversed direction: odd degrees change sign
	in   reg.VecVirtual // scale of the source over distance, with that sign
	out  reg.VecVirtual // of the target
	p    reg.VecVirtual // out^degree/r
	sums operand.Mem
	acc  map[vector]reg.VecVirtual
}

func runsM2L(c *build.Context, order, lanes int, dipoles, mutual bool) {
	e := &runs{Context: c, order: order, lanes: lanes, dipoles: dipoles, mutual: mutual}
	isa, with := "AVX512", "AVX-512F"
	if lanes == 8 {
		isa, with = "AVX2", "AVX2 and FMA"
	}
	what, name, doc := "M2L", "m2l", "without dipoles"
	if mutual {
		what, name = "M2LMutual", "mutual"
	}
	if dipoles {
		doc = "with dipoles"
		isa = "Dipoles" + isa
	}
	e.fn = fmt.Sprintf("%s%d%s", name, order, isa)
	c.Function(e.fn)
	if mutual {
		c.SignatureExpr("func(ci, cj *float64, mi, mj, li, lj *float32)")
	} else {
		c.SignatureExpr("func(ci, cj *float64, mj, li *float32)")
	}
	c.Pragma("noescape")
	c.Doc(fmt.Sprintf("%s is %s at order %d %s, with %s.", e.fn, what, order, doc, with))
	e.emit()
}

func (e *runs) register() reg.VecVirtual {
	if e.lanes == 16 {
		return e.ZMM()
	}
	return e.YMM()
}

func (e *runs) pointer(param string) reg.GPVirtual {
	return e.Load(e.Param(param), e.GP64()).(reg.GPVirtual)
}

// up rounds a number of floats up to whole cache lines, one more than needed, in bytes.
func up(floats int) int { return (floats+15)/16*64 + 64 }

func (e *runs) emit() {
	locals := (e.order + 1) * (e.order + 1)
	size := up(locals)
	frame := e.AllocLocal(64 + 4*size)
	base := e.GP64()
	e.LEAQ(frame.Offset(63), base)
	e.ANDQ(operand.I8(-64), base)
	area := func(i int) operand.Mem { return operand.Mem{Base: base, Disp: i * size} }
	e.flat, e.raised = area(0), area(1)

	ci, cj := e.pointer("ci"), e.pointer("cj")
	ways := []*way{{m: e.pointer("mj"), l: e.pointer("li"), sums: area(2)}}
	if e.mutual {
		ways = append(ways, &way{m: e.pointer("mi"), l: e.pointer("lj"), odd: true, sums: area(3)})
	}
	e.derivatives(e.geometry(ci, cj, ways))
	for first, vectors := 0, e.vectors(); first < len(vectors); {
		n := min(len(vectors)-first, e.blockSize(len(ways)))
		e.block(ways, vectors[first:first+n], first)
		first += n
	}
	zero := e.register()
	e.VXORPS(zero.AsX(), zero.AsX(), zero.AsX())
	for _, w := range ways {
		e.VMOVUPS(zero, w.sums.Offset(4*locals))
	}
	for _, w := range ways {
		for from := 0; from < locals; from += e.lanes {
			s, to := e.register(), operand.Mem{Base: w.l, Disp: 4 * from}
			e.VMOVUPS(to, s)
			e.VADDPS(w.sums.Offset(4*from), s, s)
			e.VMOVUPS(s, to)
		}
	}
	e.VZEROUPPER()
	e.RET()
}

// blockSize returns how many vectors of locals can be summed at a time: each way has its sums,
// broadcast multipole and three factors in registers, one holds derivatives, and one is to spare.
func (e *runs) blockSize(ways int) int { return (2*e.lanes - 2 - 4*ways) / ways }

func (e *runs) vectors() (v []vector) {
	for d := range e.order + 1 {
		for from := 0; from < 2*d+1; from += e.lanes {
			v = append(v, vector{d, from})
		}
	}
	return v
}

// geometry returns (1, -u) in the first lanes of a register and sets the factors of the ways.
func (e *runs) geometry(ci, cj reg.GPVirtual, ways []*way) (minus reg.VecVirtual) {
	d := e.YMM()
	e.VMOVUPD(operand.Mem{Base: cj}, d)
	e.VSUBPD(operand.Mem{Base: ci}, d, d) // minus R
	e.VCVTPD2PSY(d, d.AsX())
	sum, part := e.XMM(), e.XMM()
	square := e.XMM()
	e.VMULPS(d.AsX(), d.AsX(), square)
	e.VPERMILPS(operand.U8(1), square, part)
	e.VADDSS(part, square, sum)
	e.VPERMILPS(operand.U8(2), square, part)
	e.VADDSS(part, sum, sum)
	e.VSQRTSS(sum, sum, sum)
	one, inv := e.XMM(), e.XMM()
	e.VMOVSS(table(e.Context, "one", math.Float32bits(1)), one)
	e.VDIVSS(sum, one, inv)
	all := e.register()
	e.VBROADCASTSS(inv, all)

	minus = e.register()
	m := minus.AsX()
	e.VMULPS(all.AsX(), d.AsX(), m)
	e.VPERMILPS(operand.U8(0x93), m, m) // up by one lane
	e.VBLENDPS(operand.U8(1), one, m, m)

	scale := func(c reg.GPVirtual, negative bool) reg.VecVirtual {
		s, r := e.XMM(), e.register()
		e.VXORPS(s, s, s)
		e.VCVTSD2SS(operand.Mem{Base: c, Disp: 24}, s, s)
		e.VMULSS(inv, s, s)
		if negative {
			z := e.XMM()
			e.VXORPS(z, z, z)
			e.VSUBSS(s, z, s)
		}
		e.VBROADCASTSS(s, r)
		return r
	}
	for _, w := range ways {
		w.in, w.out = scale(cj, false), scale(ci, false)
		if w.odd {
			w.in, w.out = scale(ci, true), scale(cj, true)
		}
		w.p = e.register()
		e.VMOVAPS(all, w.p)
	}
	return minus
}

// derivatives fills flat and raised by the closed form.
func (e *runs) derivatives(minus reg.VecVirtual) {
	x, y := e.register(), e.register()
	square := e.XMM()
	e.VMULPS(minus.AsX(), minus.AsX(), square)
	for axis, v := range []reg.VecVirtual{x, y} {
		e.VPERMILPS(operand.U8(1+axis), square, v.AsX())
		e.VBROADCASTSS(v.AsX(), v)
	}
	var odd reg.VecVirtual // products of v_x, v_y and v_z, bit by bit
	for axis := range 3 {
		var w []uint32
		for lane := range 16 {
			w = append(w, uint32(1+axis)*uint32(lane>>axis&1))
		}
		f := e.register()
		e.VMOVUPS(table(e.Context, fmt.Sprintf("axis%d", axis), w...), f)
		e.VPERMPS(minus, f, f)
		if odd == nil {
			odd = f
			continue
		}
		e.VMULPS(f, odd, odd)
	}
	var raised []index
	for _, n := range terms(1, listed) {
		if n.z == 0 && n.y < n.degree() {
			raised = append(raised, index{n.x - 1, n.y, 1})
			if n.x >= 2 {
				raised = append(raised, index{n.x - 2, n.y, 2})
			}
		}
	}
	e.polynomials("flat", e.flat, terms(0, listed), (e.order+1)*(e.order+1), x, y, odd)
	e.polynomials("raised", e.raised, raised, e.order*e.order, x, y, odd)
}

// polynomials writes the first count derivatives of a list. Tables are of 16 lanes and serve all
// orders, whose lists begin alike.
func (e *runs) polynomials(name string, to operand.Mem, list []index, count int, x, y,
	odd reg.VecVirtual) {
	for from := 0; from < count; from += e.lanes {
		first, half := from/16*16, 4*(from%16)
		var coeff [maxOrder][maxOrder][]uint32 // by powers of x^2 and y^2
		w := make([]uint32, 16)
		for i := range 16 {
			if first+i >= len(list) {
				break
			}
			p := polynomialOf(list[first+i])
			w[i] = uint32(p.odd.x + 2*p.odd.y + 4*p.odd.z)
			for k, v := range p.coeff {
				c := &coeff[k[0]][k[1]]
				if *c == nil {
					*c = make([]uint32, 16)
				}
				(*c)[i] = math.Float32bits(float32(v))
			}
		}
		// horner adds the terms to a sum from high to low, multiplying it by f in between.
		var sum reg.VecVirtual
		for i := maxOrder - 1; i >= 0; i-- {
			var inner reg.VecVirtual
			for j := maxOrder - 1; j >= 0; j-- {
				c := coeff[i][j]
				at := func() operand.Mem {
					return table(e.Context, fmt.Sprintf("%s%dx%dy%d", name, first, i, j),
						c...).Offset(half)
				}
				switch {
				case inner == nil && c != nil:
					inner = e.register()
					e.VMOVUPS(at(), inner)
				case inner != nil && c != nil:
					e.VFMADD213PS(at(), y, inner)
				case inner != nil:
					e.VMULPS(y, inner, inner)
				}
			}
			switch {
			case sum == nil:
				sum = inner
			case inner != nil:
				e.VFMADD213PS(inner, x, sum)
			default:
				e.VMULPS(x, sum, sum)
			}
		}
		f := e.register()
		e.VMOVUPS(table(e.Context, fmt.Sprintf("%s%dodd", name, first), w...).Offset(half), f)
		e.VPERMPS(odd, f, f)
		e.VMULPS(f, sum, sum)
		e.VMOVUPS(sum, to.Offset(4*from))
	}
}

// block makes the sums of some locals and writes them.
func (e *runs) block(ways []*way, vectors []vector, number int) {
	for _, w := range ways {
		w.acc = map[vector]reg.VecVirtual{}
	}
	low := 2
	if e.dipoles {
		low = 1
	}
	for g := e.order - 1; g >= low; g-- {
		if vectors[0].degree <= e.order-g {
			e.degree(ways, vectors, g, fmt.Sprintf("%s_block%d_degree%d", e.fn, number, g))
		}
		e.scale(ways, vectors)
	}
	if low == 2 {
		e.scale(ways, vectors)
	}
	// Degree 0.
	for _, w := range ways {
		m := e.register()
		e.VBROADCASTSS(operand.Mem{Base: w.m}, m)
		for _, v := range vectors {
			d := e.flat.Offset(4 * (v.degree*v.degree + v.from))
			if w.acc[v] == nil {
				w.acc[v] = e.register()
				e.VMULPS(d, m, w.acc[v])
			} else {
				e.VFMADD231PS(d, m, w.acc[v])
			}
		}
		for _, v := range vectors {
			if v.degree > 0 && v.from == 0 {
				e.VMULPS(w.out, w.p, w.p)
			}
			e.VMULPS(w.p, w.acc[v], w.acc[v])
			e.VMOVUPS(w.acc[v], w.sums.Offset(4*(v.degree*v.degree+v.from)))
		}
	}
}

// scale multiplies the sums that there are by the ways' factors.
func (e *runs) scale(ways []*way, vectors []vector) {
	for _, w := range ways {
		for _, v := range vectors {
			if a := w.acc[v]; a != nil {
				e.VMULPS(w.in, a, a)
			}
		}
	}
}

// degree adds the multipoles of degree g: for each y those with z = 0 and, but for the last y, with
// z = 1.
func (e *runs) degree(ways []*way, vectors []vector, g int, label string) {
	// add adds the multipole k, given without its y, which index counts in steps of two floats
	// unless nil.
	add := func(y, z int, index reg.Register) {
		at := func(m operand.Mem) operand.Mem {
			if index != nil {
				m.Index, m.Scale = index, 8
			}
			return m
		}
		var m []reg.VecVirtual
		for _, w := range ways {
			b := e.register()
			e.VBROADCASTSS(at(operand.Mem{Base: w.m, Disp: 4 * (g*g + 2*y + z)}), b)
			m = append(m, b)
		}
		for _, v := range vectors {
			if v.degree > e.order-g {
				continue
			}
			d := e.register()
			s := v.degree + g
			if z == 0 {
				e.VMOVUPS(at(e.flat.Offset(4*(s*s+2*y+v.from))), d)
			} else {
				e.VMOVUPS(at(e.raised.Offset(4*((s-1)*(s-1)+2*y+v.from))), d)
			}
			for i, w := range ways {
				if w.acc[v] == nil {
					w.acc[v] = e.register()
					if index == nil {
						e.VMULPS(m[i], d, w.acc[v])
						continue
					}
					panic("sums must begin before the loop")
				}
				e.VFMADD231PS(m[i], d, w.acc[v])
			}
		}
	}
	add(g, 0, nil) // the last y goes first, and begins sums
	if e.order <= 5 {
		for y := range g {
			add(y, 0, nil)
			add(y, 1, nil)
		}
		return
	}
	y := e.GP64()
	e.XORQ(y, y)
	e.Label(label)
	add(0, 0, y)
	add(0, 1, y)
	e.INCQ(y)
	e.CMPQ(y, operand.U8(g))
	e.JLT(operand.LabelRef(label))
}
