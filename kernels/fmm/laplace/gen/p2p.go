package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectors is the part of the direct sums that differs between instruction sets.
type vectors interface {
	name() string
	about() string
	lanes() int
	register() reg.VecVirtual
	zero(x reg.VecVirtual)
	ready() // constants, at the start of a function
	// spread returns the first n floats at m, each in lanes/width lanes side by side, and readies
	// gather for them; the lanes that are left are zero.
	targets(n reg.GPVirtual, width int)
	spread(m operand.Mem, width int) reg.VecVirtual
	// source returns lanes/width floats from m on, over and over.
	source(m operand.Mem, width int) source
	// rest is source for n < lanes/width floats; the others are zero.
	rest(m operand.Mem, width int, n reg.GPVirtual) source
	sub(from reg.VecVirtual, s source) reg.VecVirtual
	times(x reg.VecVirtual, s source) reg.VecVirtual
	// inverse returns 2/sqrt(x) to about 2e-7, or 0 where x = 0; it spoils x.
	inverse(x reg.VecVirtual) reg.VecVirtual
	// gather adds f times the sums over groups of lanes to the floats at m.
	gather(sum reg.VecVirtual, f operand.Mem, width int, m operand.Mem)
}

// A source is a register or a float in memory to be broadcast.
type source struct {
	op        operand.Op
	broadcast bool
}

// sums emits the direct sums of some instruction set.
type sums struct {
	*build.Context
	vectors
	b          reg.GPVirtual
	x, y, z, q reg.GPVirtual // bases of the arrays
	t, tEnd    reg.GPVirtual
	s, sEnd    reg.GPVirtual
	sBegin     reg.GPVirtual
	fn         string
}

// directSums emits p2pNAME, one way, and mutualNAME, both ways.
//
// Lanes are targets, sources are broadcast. A last group of at most half (a quarter, with 16 lanes)
// as many targets as there are lanes takes two (four) sources at a time, for leaves of a dozen
// bodies leave many groups half empty. The way back of a mutual pair is a second pass: keeping the
// sources' sums would need a sum over lanes for each of them.
func directSums(c *build.Context, v vectors) {
	for _, both := range []bool{false, true} {
		e := &sums{Context: c, vectors: v, fn: "p2p" + v.name()}
		doc := " adds to the bodies tlo to thi-1 the field of the bodies slo to shi-1, "
		if both {
			e.fn = "mutual" + v.name()
			doc = " adds to the bodies tlo to thi-1 the field of the bodies slo to shi-1 and the " +
				"other way round, "
		}
		c.Function(e.fn)
		c.Attributes(attr.NOSPLIT)
		c.SignatureExpr("func(b *[8][]float32, tlo, thi, slo, shi int)")
		c.Pragma("noescape")
		c.Doc(e.fn + doc + v.about() + ".")
		e.emit(both)
	}
}

func (e *sums) label(s string) string         { return e.fn + "_" + s }
func (e *sums) ref(s string) operand.LabelRef { return operand.LabelRef(e.label(s)) }
func (e *sums) base(field int) operand.Mem    { return operand.Mem{Base: e.b, Disp: 24 * field} }
func (e *sums) load(param string) reg.GPVirtual {
	return e.Load(e.Param(param), e.GP64()).(reg.GPVirtual)
}

func (e *sums) emit(both bool) {
	e.b, e.t, e.tEnd, e.sBegin, e.sEnd = e.load("b"), e.load("tlo"), e.load("thi"), e.load("slo"),
		e.load("shi")
	for i, p := range []*reg.GPVirtual{&e.x, &e.y, &e.z, &e.q} {
		*p = e.GP64()
		e.MOVQ(e.base(i), *p)
	}
	e.s = e.GP64()
	e.ready()
	var back reg.GPVirtual
	if both {
		back = e.GP64()
		e.MOVQ(operand.U32(1), back)
	}
	left := e.GP64()
	e.Label(e.label("targets"))
	e.MOVQ(e.tEnd, left)
	e.SUBQ(e.t, left)
	e.JLE(e.ref("end"))
	e.MOVQ(e.sBegin, e.s)
	widths := []int{e.lanes(), e.lanes() / 2}
	if e.lanes() == 16 {
		widths = append(widths, 4)
	}
	for i, w := range widths {
		if i > 0 {
			e.Label(e.label(fmt.Sprintf("narrow%d", w)))
		}
		if i+1 < len(widths) {
			e.CMPQ(left, operand.U8(widths[i+1]))
			e.JLE(e.ref(fmt.Sprintf("narrow%d", widths[i+1])))
		}
		e.group(left, w)
		e.JMP(e.ref("targets"))
	}
	e.Label(e.label("end"))
	if both {
		e.DECQ(back)
		e.JNE(e.ref("done"))
		e.Load(e.Param("slo"), e.t)
		e.Load(e.Param("shi"), e.tEnd)
		e.Load(e.Param("tlo"), e.sBegin)
		e.Load(e.Param("thi"), e.sEnd)
		e.JMP(e.ref("targets"))
		e.Label(e.label("done"))
	}
	e.VZEROUPPER()
	e.RET()
}

// group makes the sums of the next width targets, or of the left ones if these are fewer, and moves
// t past them.
func (e *sums) group(left reg.GPVirtual, width int) {
	at := func(base, i reg.Register) operand.Mem {
		return operand.Mem{Base: base, Index: i,
			Scale: 4}
	}
	n := e.GP64()
	if width == e.lanes() {
		e.MOVQ(operand.U32(width), n)
		e.CMPQ(left, n)
		e.CMOVQLT(left, n)
	} else {
		e.MOVQ(left, n)
	}
	e.targets(n, width)
	x, y, z := e.spread(at(e.x, e.t), width), e.spread(at(e.y, e.t), width), e.spread(at(e.z, e.t),
		width)
	var sum [4]reg.VecVirtual
	for i := range sum {
		sum[i] = e.register()
		e.zero(sum[i])
	}
	step := func(src func(m operand.Mem) source) {
		dx := e.sub(x, src(at(e.x, e.s)))
		dy := e.sub(y, src(at(e.y, e.s)))
		dz := e.sub(z, src(at(e.z, e.s)))
		r2 := e.register()
		e.VMULPS(dx, dx, r2)
		e.VFMADD231PS(dy, dy, r2)
		e.VFMADD231PS(dz, dz, r2)
		r := e.inverse(r2)
		w := e.times(r, src(at(e.q, e.s)))
		e.VADDPS(w, sum[0], sum[0])
		e.VMULPS(r, r, r)
		e.VMULPS(w, r, r)
		e.VFNMADD231PS(dx, r, sum[1])
		e.VFNMADD231PS(dy, r, sum[2])
		e.VFNMADD231PS(dz, r, sum[3])
	}
	per := e.lanes() / width // sources a step
	name := func(s string) string { return fmt.Sprintf("%s%d", s, width) }
	if per > 1 {
		e.ADDQ(operand.U8(per), e.s)
		e.CMPQ(e.s, e.sEnd)
		e.JGT(e.ref(name("few")))
		e.Label(e.label(name("sources")))
		e.SUBQ(operand.U8(per), e.s)
	} else {
		e.Label(e.label(name("sources")))
	}
	step(func(m operand.Mem) source { return e.source(m, width) })
	if per > 1 {
		e.ADDQ(operand.U8(2*per), e.s)
		e.CMPQ(e.s, e.sEnd)
		e.JLE(e.ref(name("sources")))
		e.Label(e.label(name("few")))
		e.SUBQ(operand.U8(per), e.s)
		rest := e.GP64()
		e.MOVQ(e.sEnd, rest)
		e.SUBQ(e.s, rest)
		e.JLE(e.ref(name("sum")))
		step(func(m operand.Mem) source { return e.rest(m, width, rest) })
		e.Label(e.label(name("sum")))
	} else {
		e.INCQ(e.s)
		e.CMPQ(e.s, e.sEnd)
		e.JLT(e.ref(name("sources")))
	}
	for i, s := range sum {
		f := e.constant("half", 0.5)
		if i > 0 {
			f = e.constant("eighth", 0.125)
		}
		to := e.GP64()
		e.MOVQ(e.base(4+i), to)
		e.gather(s, f, width, at(to, e.t))
	}
	e.ADDQ(n, e.t)
}

// constant returns one float in memory.
func (e *sums) constant(name string, v float32) operand.Mem {
	return table(e.Context, name, math.Float32bits(v))
}
