package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// passes emits P2M or L2P of some order, lanes being bodies.
//
// With equation (6) the Taylor series over all n is one over those with n_z <= 1, of harmonic
// polynomials H_n(y) in place of y^n/n!. From the derivatives d_x H_n = H_{n-e_x}, d_y likewise,
// d_z H_(a,b,1) = H_(a,b,0), d_z H_(a,b,0) = - H_(a-2,b,1) - H_(a,b-2,1), and Euler's theorem, |n|
// H_n = y . grad H_n, each degree follows from the one below.
type passes struct {
	*build.Context
	vectors
	order int
	fn    string
	h     operand.Mem // the polynomials, a vector each
}

func newPasses(c *build.Context, v vectors, order int, what, doc, signature string) *passes {
	e := &passes{Context: c, vectors: v, order: order, fn: fmt.Sprintf("%s%d%s", what, order,
		v.name())}
	c.Function(e.fn)
	c.SignatureExpr(signature)
	c.Pragma("noescape")
	c.Doc(fmt.Sprintf("%s %s at order %d, %s.", e.fn, doc, order, v.about()))
	frame := c.AllocLocal(64 + 4*v.lanes()*(order+1)*(order+1))
	base := c.GP64()
	c.LEAQ(frame.Offset(63), base)
	c.ANDQ(operand.I8(-64), base)
	e.h = operand.Mem{Base: base}
	return e
}

func (e *passes) one() operand.Mem { return table(e.Context, "one", math.Float32bits(1)) }

func (e *passes) load(param string) reg.GPVirtual {
	return e.Load(e.Param(param), e.GP64()).(reg.GPVirtual)
}

// at returns the polynomial n.
func (e *passes) at(n index) operand.Mem {
	d := n.degree()
	return e.h.Offset(4 * e.lanes() * (d*d + 2*n.y + n.z))
}

// centre returns those of a cell: the leading and the trailing digits of x, y and z in a register
// each, and 1/scale in all lanes of another. Single precision alone would lose the digits of a
// small cell far from the origin.
func (e *passes) centre() (lead, trail, inv reg.VecVirtual) {
	c := e.load("c")
	x, back := e.YMM(), e.YMM()
	lead, trail = e.XMM(), e.XMM()
	e.VMOVUPD(operand.Mem{Base: c}, x)
	e.VCVTPD2PSY(x, lead)
	e.VCVTPS2PD(lead, back)
	e.VSUBPD(back, x, x)
	e.VCVTPD2PSY(x, trail)
	s := e.XMM()
	e.VPERMILPS(operand.U8(0xff), lead, s)
	unit := e.XMM()
	e.VMOVSS(e.one(), unit)
	e.VDIVSS(s, unit, unit)
	inv = e.register()
	e.VBROADCASTSS(unit, inv)
	return lead, trail, inv
}

// positions returns those of the bodies from t on that are in the mask; negative: those of the
// centre seen from the bodies.
func (e *passes) positions(b, t reg.GPVirtual, lead, trail, inv reg.VecVirtual,
	negative bool) (p [3]reg.VecVirtual) {
	for axis := range p {
		base := e.GP64()
		e.MOVQ(operand.Mem{Base: b, Disp: 24 * axis}, base)
		x := e.spread(operand.Mem{Base: base, Index: t, Scale: 4}, e.lanes())
		hi, lo := e.register(), e.register()
		e.VPERMILPS(operand.U8(axis), lead, hi.AsX())
		e.VBROADCASTSS(hi.AsX(), hi)
		e.VPERMILPS(operand.U8(axis), trail, lo.AsX())
		e.VBROADCASTSS(lo.AsX(), lo)
		if negative {
			e.VSUBPS(x, hi, x)
			e.VADDPS(lo, x, x)
		} else {
			e.VSUBPS(hi, x, x)
			e.VSUBPS(lo, x, x)
		}
		e.VMULPS(inv, x, x)
		p[axis] = x
	}
	return p
}

// polynomials writes H_n times the factor that is in the place of H_0, degree by degree up to top,
// and calls use for each.
func (e *passes) polynomials(p [3]reg.VecVirtual, top int, use func(n index, h reg.VecVirtual)) {
	for _, n := range terms(1, top) {
		if d := n.degree(); n == (index{d, 0, 0}) && d > 1 {
			// From y/(d-1) to y/d.
			f := e.register()
			e.VBROADCASTSS(table(e.Context, fmt.Sprintf("step%d", d),
				math.Float32bits(float32(d-1)/float32(d))), f)
			for _, x := range p {
				e.VMULPS(f, x, x)
			}
		}
		h := e.register()
		first := true
		add := func(from index, axis int, minus bool) {
			switch {
			case from.x < 0 || from.y < 0:
			case first && minus:
				panic("the first term is positive")
			case first:
				e.VMULPS(e.at(from), p[axis], h)
				first = false
			case minus:
				e.VFNMADD231PS(e.at(from), p[axis], h)
			default:
				e.VFMADD231PS(e.at(from), p[axis], h)
			}
		}
		add(index{n.x - 1, n.y, n.z}, 0, false)
		add(index{n.x, n.y - 1, n.z}, 1, false)
		if n.z == 1 {
			add(index{n.x, n.y, 0}, 2, false)
		} else {
			add(index{n.x - 2, n.y, 1}, 2, true)
			add(index{n.x, n.y - 2, 1}, 2, true)
		}
		if n.degree() < top {
			e.VMOVUPS(h, e.at(n))
		}
		use(n, h)
	}
}

// count sets n to the bodies of the next group, at most as many as there are lanes, and jumps to
// end if there are none.
func (e *passes) count(t, tEnd reg.GPVirtual) reg.GPVirtual {
	n, most := e.GP64(), e.GP64()
	e.MOVQ(tEnd, n)
	e.SUBQ(t, n)
	e.JLE(operand.LabelRef(e.fn + "_end"))
	e.MOVQ(operand.U32(e.lanes()), most)
	e.CMPQ(n, most)
	e.CMOVQGT(most, n)
	e.targets(n, e.lanes())
	return n
}

func l2p(c *build.Context, v vectors, order int) {
	e := newPasses(c, v, order, "l2p", "is L2P of the bodies lo to hi-1",
		"func(c *float64, l *float32, b *[8][]float32, lo, hi int)")
	l, b, t, tEnd := e.load("l"), e.load("b"), e.load("lo"), e.load("hi")
	lead, trail, inv := e.centre()
	one := e.register()
	e.VBROADCASTSS(e.one(), one)
	e.VMOVUPS(one, e.at(index{}))
	e.Label(e.fn + "_group")
	n := e.count(t, tEnd)
	p := e.positions(b, t, lead, trail, inv, false)
	var sum [4]reg.VecVirtual
	local := func(n index) operand.Mem {
		d := n.degree()
		return operand.Mem{Base: l, Disp: 4 * (d*d + 2*n.y + n.z)}
	}
	// add adds or subtracts L_n h.
	add := func(to int, n index, h reg.VecVirtual, minus bool) {
		first := sum[to] == nil
		if first {
			sum[to] = e.register()
		}
		c := e.register()
		e.VBROADCASTSS(local(n), c)
		switch {
		case first:
			e.VMULPS(c, h, sum[to])
		case minus:
			e.VFNMADD231PS(c, h, sum[to])
		default:
			e.VFMADD231PS(c, h, sum[to])
		}
	}
	use := func(n index, h reg.VecVirtual) {
		add(0, n, h, false)
		if n.degree() == e.order {
			return
		}
		add(1, n.plus(index{1, 0, 0}), h, false)
		add(2, n.plus(index{0, 1, 0}), h, false)
		if n.z == 0 {
			add(3, n.plus(index{0, 0, 1}), h, false)
		} else {
			add(3, index{n.x + 2, n.y, 0}, h, true)
			add(3, index{n.x, n.y + 2, 0}, h, true)
		}
	}
	use(index{}, one)
	e.polynomials(p, order, use)
	for i, s := range sum {
		if i > 0 {
			e.VMULPS(inv, s, s)
		}
		to := e.GP64()
		e.MOVQ(operand.Mem{Base: b, Disp: 24 * (4 + i)}, to)
		e.gather(s, e.one(), e.lanes(), operand.Mem{Base: to, Index: t, Scale: 4})
	}
	e.ADDQ(n, t)
	e.JMP(operand.LabelRef(e.fn + "_group"))
	e.Label(e.fn + "_end")
	e.VZEROUPPER()
	e.RET()
}

func p2m(c *build.Context, v vectors, order int) {
	e := newPasses(c, v, order, "p2m", "adds to m the multipoles of the bodies lo to hi-1",
		"func(c *float64, m *float32, b *[8][]float32, lo, hi int)")
	m, b, t, tEnd := e.load("m"), e.load("b"), e.load("lo"), e.load("hi")
	lead, trail, inv := e.centre()
	// Sums are vectors until all bodies are in.
	moments := terms(0, order-1)
	sums := e.AllocLocal(64 + 4*e.lanes()*len(moments))
	base, zero := e.GP64(), e.register()
	e.LEAQ(sums.Offset(63), base)
	e.ANDQ(operand.I8(-64), base)
	at := func(i int) operand.Mem { return operand.Mem{Base: base, Disp: 4 * e.lanes() * i} }
	e.VXORPS(zero.AsX(), zero.AsX(), zero.AsX())
	for i := range moments {
		e.VMOVUPS(zero, at(i))
	}
	e.Label(e.fn + "_group")
	n := e.count(t, tEnd)
	p := e.positions(b, t, lead, trail, inv, true)
	charges := e.GP64()
	e.MOVQ(operand.Mem{Base: b, Disp: 24 * 3}, charges)
	q := e.spread(operand.Mem{Base: charges, Index: t, Scale: 4}, e.lanes())
	e.VMOVUPS(q, e.at(index{}))
	i := 0
	use := func(n index, h reg.VecVirtual) {
		s := e.register()
		e.VADDPS(at(i), h, s)
		e.VMOVUPS(s, at(i))
		i++
	}
	use(index{}, q)
	e.polynomials(p, order-1, use)
	e.ADDQ(n, t)
	e.JMP(operand.LabelRef(e.fn + "_group"))
	e.Label(e.fn + "_end")
	for i := range moments {
		s, half := e.YMM(), e.YMM()
		e.VMOVUPS(at(i), s)
		if e.lanes() == 16 {
			e.VADDPS(at(i).Offset(32), s, s)
		}
		e.VEXTRACTF128(operand.U8(1), s, half.AsX())
		e.VADDPS(half.AsX(), s.AsX(), s.AsX())
		e.VPERMILPS(operand.U8(0x4e), s.AsX(), half.AsX())
		e.VADDPS(half.AsX(), s.AsX(), s.AsX())
		e.VMOVSHDUP(s.AsX(), half.AsX())
		e.VADDSS(half.AsX(), s.AsX(), s.AsX())
		to := operand.Mem{Base: m, Disp: 4 * i}
		e.VADDSS(to, s.AsX(), s.AsX())
		e.VMOVSS(s.AsX(), to)
	}
	e.VZEROUPPER()
	e.RET()
}
