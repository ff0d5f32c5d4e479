package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// small emits an M2L of an order up to 5 with AVX-512, where two registers hold all derivatives of
// degrees 2 to 5.
//
// Lanes are locals. For each multipole k a permutation of the derivatives puts D_{n+k} into the
// lane of L_n, and serves both directions; multipoles are broadcast from memory. The sums for each
// degree of k are kept apart, and put together with powers of scale over distance by Horner's rule.
// Derivatives come from the closed form (8), so that none waits for those of a lower degree.
type small struct {
	*build.Context
	order   int
	dipoles bool
	mutual  bool
	fn      string

	// derivatives with z <= 1: degrees 2 and 3 in lanes 4 to 15 of b1, degree 4 and what fits of 5
	// in b2,
	b1, b2 lanes
	// the last four in lanes 0 to 3 of b1, where they are the last four locals
	c1, c2 lanes // those with z = 1, z = 2
	a0     lanes // those of degrees 0 to 3
}

func (e *small) f32(name string, v ...float64) operand.Mem {
	w := make([]uint32, len(v))
	for i, x := range v {
		w[i] = math.Float32bits(float32(x))
	}
	return table(e.Context, name, w...)
}

func smallM2L(c *build.Context, order int, dipoles, mutual bool) {
	e := &small{Context: c, order: order, dipoles: dipoles, mutual: mutual}
	e.fn = fmt.Sprintf("m2l%dAVX512", order)
	if mutual {
		e.fn = fmt.Sprintf("mutual%dAVX512", order)
	}
	doc := "without dipoles"
	if dipoles {
		e.fn = e.fn[:len(e.fn)-len("AVX512")] + "DipolesAVX512"
		doc = "with dipoles"
	}
	c.Function(e.fn)
	c.Attributes(attr.NOSPLIT)
	if mutual {
		c.SignatureExpr("func(ci, cj *float64, mi, mj, li, lj *float32)")
		doc = "M2LMutual " + doc
	} else {
		c.SignatureExpr("func(ci, cj *float64, mj, li *float32)")
		doc = "M2L " + doc
	}
	c.Pragma("noescape")
	c.Doc(fmt.Sprintf("%s is %s at order %d with AVX-512F.", e.fn, doc, order))
	e.emit()
}

func (e *small) pointer(param string) reg.GPVirtual {
	return e.Load(e.Param(param), e.GP64()).(reg.GPVirtual)
}

// side is one direction: its inputs, outputs and sums.
type side struct {
	m, l  reg.GPVirtual
	odd   bool              // the reversed direction: odd degrees of k change sign
	t, t2 reg.VecVirtual    // scale of the source over distance, and its square
	low   [5]reg.VecVirtual // sums of degree g for locals 0 to 15
	high  reg.VecVirtual    // sum of degree 1 for locals 16 to 31
}

func (e *small) emit() {
	ci, cj := e.pointer("ci"), e.pointer("cj")
	i := &side{m: e.pointer("mj"), l: e.pointer("li")}
	sides := []*side{i}
	if e.mutual {
		j := &side{m: e.pointer("mi"), l: e.pointer("lj"), odd: true}
		sides = append(sides, j)
	}
	minus, powers := e.geometry(ci, cj, sides)
	e.derivatives(minus)
	for _, s := range sides {
		s.low[0] = e.ZMM()
		e.VMULPS_BCST(operand.Mem{Base: s.m}, e.a0.r, s.low[0])
	}
	e.sums(sides)
	e.finish(sides, powers)
	e.VZEROUPPER()
	e.RET()
}

// geometry returns (1, -u) in the first lanes of a register, and the powers (s_i/r)^n/r from lane 0
// on and those of -s_j/r from lane 8 on; lanes 6 and 7 are zero. It sets t and t2 of the sides.
func (e *small) geometry(ci, cj reg.GPVirtual, sides []*side) (minus, powers reg.VecVirtual) {
	d, dj := e.YMM(), e.YMM()
	e.VMOVUPD(operand.Mem{Base: cj}, dj)
	e.VSUBPD(operand.Mem{Base: ci}, dj, d) // minus R
	e.VCVTPD2PSY(d, d.AsX())
	si, sj := e.ZMM(), e.ZMM()
	e.VXORPS(si.AsX(), si.AsX(), si.AsX())
	e.VXORPS(sj.AsX(), sj.AsX(), sj.AsX())
	e.VCVTSD2SS(operand.Mem{Base: ci, Disp: 24}, si.AsX(), si.AsX())
	e.VCVTSD2SS(operand.Mem{Base: cj, Disp: 24}, sj.AsX(), sj.AsX())
	e.VBROADCASTSS(si.AsX(), si)
	e.VBROADCASTSS(sj.AsX(), sj)

	square := e.XMM()
	e.VMULPS(d.AsX(), d.AsX(), square)
	r2 := e.ZMM()
	e.VBROADCASTSS(square, r2)
	for _, lane := range []uint8{1, 2} {
		s := e.ZMM()
		e.VPERMILPS(operand.U8(lane), square, s.AsX())
		e.VBROADCASTSS(s.AsX(), s)
		e.VADDPS(s, r2, r2)
	}
	// 1/r: Newton's step y (3 - r2 y^2)/2 from 14 bits.
	inv := e.ZMM()
	e.VRSQRT14PS(r2, inv)
	e.VMULPS(inv, r2, r2)
	e.VFNMADD213PS_BCST(e.f32("three", 3), inv, r2)
	e.VMULPS_BCST(e.f32("half", 0.5), inv, inv)
	e.VMULPS(r2, inv, inv)

	minus = e.ZMM()
	m := minus.AsX()
	e.VMULPS(inv.AsX(), d.AsX(), m)
	e.VPERMILPS(operand.U8(0x93), m, m) // up by one lane
	one := e.XMM()
	e.VMOVSS(e.f32("one", 1), one)
	e.VBLENDPS(operand.U8(1), one, m, m)

	e.VMULPS(inv, si, si)
	e.VMULPS(inv, sj, sj)
	t := e.ZMM() // 1, s_i/r, -s_j/r, 0
	e.VUNPCKLPS(si.AsX(), one, t.AsX())
	neg := e.XMM()
	e.VXORPS(neg, neg, neg)
	e.VSUBSS(sj.AsX(), neg, neg)
	e.VMOVLHPS(neg, t.AsX(), t.AsX())
	t2, t4 := e.ZMM(), e.ZMM()
	e.VMULPS(t.AsX(), t.AsX(), t2.AsX())
	e.VMULPS(t2.AsX(), t2.AsX(), t4.AsX())
	var w [3][]uint32 // lanes n and 8+n take the factor t^(2^b) where n has bit b
	for lane := range uint32(16) {
		n := lane % 8
		for b := range w {
			pick := uint32(0)
			switch {
			case int(n) > e.order:
				pick = 3
			case n>>b&1 == 1:
				pick = 1 + lane/8
			}
			w[b] = append(w[b], pick)
		}
	}
	powers = e.pick(fmt.Sprintf("bit0of%d", e.order), t, w[0]...)
	e.VMULPS(inv, powers, powers)
	p := e.pick(fmt.Sprintf("bit1of%d", e.order), t2, w[1]...)
	e.VMULPS(p, powers, powers)
	p = e.pick(fmt.Sprintf("bit2of%d", e.order), t4, w[2]...)
	e.VMULPS(p, powers, powers)

	for _, s := range sides {
		s.t = sj
		if s.odd {
			s.t = si
		}
		s.t2 = e.ZMM()
		e.VMULPS(s.t, s.t, s.t2)
	}
	return minus, powers
}

// sums makes the sums over the multipoles of degrees 1 to order-1.
func (e *small) sums(sides []*side) {
	add := func(to *reg.VecVirtual, s *side, k int, d reg.VecVirtual) {
		m := operand.Mem{Base: s.m, Disp: 4 * k}
		if *to == nil {
			*to = e.ZMM()
			e.VMULPS_BCST(m, d, *to)
			return
		}
		e.VFMADD231PS_BCST(m, d, *to)
	}
	for number, k := range terms(0, e.order-1) {
		g := k.degree()
		if g == 0 || g == 1 && !e.dipoles {
			continue
		}
		want := func(from int) []index {
			w := slices.Repeat([]index{none}, 16)
			for i, n := range terms(0, e.order-g) {
				if i >= from && i < from+16 {
					w[i-from] = n.plus(k)
				}
			}
			return w
		}
		name := fmt.Sprintf("k%dof%d", number, e.order)
		p, q := e.b1, e.b2
		if k.z == 1 {
			p, q = e.c1, e.c2
		} else if g == 1 {
			p = e.a0
		}
		d := e.permute(name, p, q, want(0))
		for _, s := range sides {
			add(&s.low[g], s, number, d)
		}
		if g == 1 && e.order > 4 { // locals of degree 4 meet dipoles
			if k.z == 0 {
				p = e.b1
			}
			d := e.permute(name+"high", p, q, want(16))
			for _, s := range sides {
				add(&s.high, s, number, d)
			}
		}
	}
}

// finish scales the sums and adds them to the locals.
func (e *small) finish(sides []*side, powers reg.VecVirtual) {
	// Locals of degrees above order-g take nothing from degree g: their lanes of that sum are
	// meaningless.
	within := map[int]reg.Register{}
	for g := 1; g < e.order; g++ {
		if n := (e.order - g + 1) * (e.order - g + 1); n < 16 {
			within[g] = []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4}[len(within)]
			m := e.GP32()
			e.MOVL(operand.U32(1<<n-1), m)
			e.KMOVW(m, within[g])
		}
	}
	var nine reg.Register
	if sides[0].high != nil {
		nine = reg.K5
		m := e.GP32()
		e.MOVL(operand.U32(1<<9-1), m)
		e.KMOVW(m, nine)
	}
	top := e.order - 1
	for _, s := range sides {
		// into adds f times the sum of degree g, where it has a meaning.
		into := func(sum, f reg.VecVirtual, g int, minus bool) {
			ops := []operand.Op{s.low[g], f, sum}
			if k := within[g]; k != nil {
				ops = []operand.Op{s.low[g], f, k, sum}
			}
			if minus {
				e.VFNMADD231PS(ops...)
			} else {
				e.VFMADD231PS(ops...)
			}
		}
		low := 2
		if e.dipoles {
			low = 1
		}
		for g := top; g > low; g-- {
			into(s.low[g-1], s.t, g, s.odd)
		}
		if low == 1 {
			into(s.low[0], s.t, 1, s.odd)
		} else if top >= 2 {
			into(s.low[0], s.t2, 2, false)
		}
		w := func(from int) reg.VecVirtual {
			p := make([]uint32, 16)
			for i := range p {
				p[i] = 7
			}
			for i, n := range terms(0, e.order) {
				if i >= from && i < from+16 {
					p[i-from] = uint32(n.degree())
				}
			}
			for i := range p {
				if s.odd {
					p[i] += 8
				}
			}
			name := fmt.Sprintf("powers%dof%d", from, e.order)
			if s.odd {
				name += "back"
			}
			return e.pick(name, powers, p...)
		}
		to := func(from int) operand.Mem { return operand.Mem{Base: s.l, Disp: 4 * from} }
		f := w(0)
		e.VFMADD213PS(to(0), f, s.low[0])
		e.VMOVUPS(s.low[0], to(0))
		if e.order < 4 {
			continue
		}
		m0 := e.ZMM()
		e.VBROADCASTSS(operand.Mem{Base: s.m}, m0)
		sum := e.ZMM()
		e.VMULPS(e.b2.r, m0, sum)
		if s.high != nil {
			if s.odd {
				e.VFNMADD231PS(s.high, s.t, nine, sum)
			} else {
				e.VFMADD231PS(s.high, s.t, nine, sum)
			}
		}
		e.VFMADD213PS(to(16), w(16), sum)
		e.VMOVUPS(sum, to(16))
		if e.order < 5 {
			continue
		}
		last := w(32)
		sum = e.ZMM()
		e.VMULPS(e.b1.r.AsX(), m0.AsX(), sum.AsX())
		e.VFMADD213PS(to(32), last.AsX(), sum.AsX())
		e.VMOVUPS(sum.AsX(), to(32))
	}
}
