package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// steps is how many steps of the inner dimension one turn of the loop makes.
const steps = 4

// emitter holds the registers that live as long as the function, sizes in bytes.
type emitter struct {
	*build.Context
	vectors
	aStride, aStride3 reg.GPVirtual
	bStride           reg.GPVirtual
	a, b, c           reg.GPVirtual // of the present micro-tile
	ahead             reg.GPVirtual // of what is prefetched of B
	rows, cols        reg.GPVirtual // left, those of the present micro-tile included
	tiles             int           // emitted so far, to number labels
	fn                string        // the name of the function
	minus             bool          // C -= A B
}

// leaf emits one kernel: for each panel of columns, for each group of `high` rows (and then for
// what rows are left), a micro-tile. Meanwhile it prefetches memory from bAhead bytes past the
// block of B on, bStep bytes for every `steps` steps. minus subtracts the product from C.
func leaf(c *build.Context, v vectors, high int, minus bool) {
	fn, does := v.name(), " is leafPortable "
	if minus {
		fn, does = fn+"Sub", " subtracts the product of leafPortable, "
	}
	c.Function(fn)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(rows, cols, inner int, a *float32, aStride int, b *float32, bStride " +
		"int, c *float32, cStride int, bAhead, bStep int)")
	c.Pragma("noescape")
	c.Doc(fn+does+v.about()+". It prefetches from bAhead bytes past b on, "+
		"bStep bytes for every four", "steps of the inner dimension in each micro-tile.")
	e := &emitter{Context: c, vectors: v, fn: fn, minus: minus}
	width := perTile * v.lanes()
	label := func(s string) string { return fn + "_" + s }
	ref := func(s string) operand.LabelRef { return operand.LabelRef(label(s)) }

	e.aStride, e.aStride3 = e.strides("aStride")
	e.bStride = c.GP64()
	c.Load(c.Param("bStride"), e.bStride)
	c.SHLQ(operand.U8(2), e.bStride)
	e.a, e.b, e.c = c.GP64(), c.GP64(), c.GP64()
	e.rows, e.cols = c.GP64(), c.GP64()
	c.Load(c.Param("b"), e.b)
	c.Load(c.Param("cols"), e.cols)
	e.ahead = c.GP64()
	c.Load(c.Param("bAhead"), e.ahead)
	c.ADDQ(e.b, e.ahead)

	c.Label(label("panel"))
	c.Load(c.Param("a"), e.a)
	c.Load(c.Param("rows"), e.rows)
	done := c.GP64()
	c.Load(c.Param("cols"), done)
	c.SUBQ(e.cols, done)
	c.Load(c.Param("c"), e.c)
	c.LEAQ(operand.Mem{Base: e.c, Index: done, Scale: 4}, e.c)
	c.CMPQ(e.rows, operand.U8(high))
	c.JLT(ref("rest"))
	c.Label(label("rows"))
	e.tile(high)
	c.SUBQ(operand.U8(high), e.rows)
	c.CMPQ(e.rows, operand.U8(high))
	c.JGE(ref("rows"))
	c.Label(label("rest"))
	for r := high - 1; r >= 1; r-- {
		c.CMPQ(e.rows, operand.U8(r))
		c.JEQ(ref(fmt.Sprintf("rest%d", r)))
	}
	c.Label(label("next"))
	c.ADDQ(operand.U32(4*width), e.b)
	c.SUBQ(operand.U8(width), e.cols)
	c.JGT(ref("panel"))
	v.leave()
	c.RET()
	for r := 1; r < high; r++ {
		c.Label(label(fmt.Sprintf("rest%d", r)))
		e.tile(r)
		c.JMP(ref("next"))
	}
}

// strides loads a stride in floats and returns it in bytes, and three times it.
func (e *emitter) strides(param string) (one, three reg.GPVirtual) {
	one, three = e.GP64(), e.GP64()
	e.Load(e.Param(param), one)
	e.SHLQ(operand.U8(2), one)
	e.LEAQ(operand.Mem{Base: one, Index: one, Scale: 2}, three)
	return one, three
}

// groups returns a register for every fourth row from base on.
func (e *emitter) groups(base, stride reg.GPVirtual, rows int) []reg.GPVirtual {
	var g []reg.GPVirtual
	for r := 0; r < rows; r += 4 {
		p := e.GP64()
		if r == 0 {
			e.MOVQ(base, p)
		} else {
			e.LEAQ(operand.Mem{Base: g[len(g)-1], Index: stride, Scale: 4}, p)
		}
		g = append(g, p)
	}
	return g
}

// at returns the address disp bytes into row r of those that groups returned.
func at(g []reg.GPVirtual, one, three reg.GPVirtual, r, disp int) operand.Mem {
	m := operand.Mem{Base: g[r/4], Disp: disp}
	switch r % 4 {
	case 1:
		m.Index, m.Scale = one, 1
	case 2:
		m.Index, m.Scale = one, 2
	case 3:
		m.Index, m.Scale = three, 1
	}
	return m
}

// down moves p by rows strides.
func (e *emitter) down(p, stride reg.GPVirtual, rows int) {
	for range rows / 4 {
		e.LEAQ(operand.Mem{Base: p, Index: stride, Scale: 4}, p)
	}
	for range rows % 4 {
		e.ADDQ(stride, p)
	}
}

// tile adds a product to a micro-tile of the given number of rows and perTile vectors, and moves a
// and c below it. C is prefetched first, accumulated from zero and added at the end, so that the
// multiplications do not wait for it.
func (e *emitter) tile(rows int) {
	e.tiles++
	label := func(s string) string { return fmt.Sprintf("%s_%s%d", e.fn, s, e.tiles) }
	ref := func(s string) operand.LabelRef { return operand.LabelRef(label(s)) }
	vector := 4 * e.lanes() // bytes

	one, three := e.strides("cStride")
	g := e.groups(e.c, one, rows)
	for r := range rows {
		for line := 0; line < perTile*vector; line += 64 {
			e.PREFETCHT0(at(g, one, three, r, line))
		}
	}
	sum := make([][perTile]reg.VecVirtual, rows)
	for r := range rows {
		for v := range perTile {
			sum[r][v] = e.register()
			e.zero(sum[r][v])
		}
	}

	inner, b := e.GP64(), e.GP64()
	e.Load(e.Param("inner"), inner)
	a := e.groups(e.a, e.aStride, rows)
	e.MOVQ(e.b, b)
	// step makes the step that b points to, or the one below it.
	step := func(s, below int) {
		var bv [perTile]reg.VecVirtual
		for v := range perTile {
			bv[v] = e.register()
			e.VMOVUPS(at([]reg.GPVirtual{b}, e.bStride, e.bStride, below, v*vector), bv[v])
		}
		for r := range rows {
			av := e.register()
			e.VBROADCASTSS(at(a, e.aStride, e.aStride3, r, 4*s), av)
			for v := range perTile {
				if e.minus {
					e.VFNMADD231PS(av, bv[v], sum[r][v])
				} else {
					e.VFMADD231PS(av, bv[v], sum[r][v])
				}
			}
		}
	}
	right := func(s int) {
		for _, p := range a {
			e.ADDQ(operand.U8(4*s), p)
		}
	}
	e.SUBQ(operand.U8(steps), inner)
	e.JLT(ref("few"))
	e.Label(label("inner"))
	for s := range steps {
		step(s, s%2)
		if s%2 == 1 {
			e.LEAQ(operand.Mem{Base: b, Index: e.bStride, Scale: 2}, b)
		}
	}
	right(steps)
	// Prefetch two lines of what B will be wanted next, into the second-level cache: it is likely,
	// not certain.
	e.PREFETCHT1(operand.Mem{Base: e.ahead})
	e.PREFETCHT1(operand.Mem{Base: e.ahead, Disp: 64})
	bStep, err := e.Param("bStep").Resolve()
	if err != nil {
		panic(err) // the signature has it
	}
	e.ADDQ(bStep.Addr, e.ahead)
	e.SUBQ(operand.U8(steps), inner)
	e.JGE(ref("inner"))
	e.Label(label("few"))
	e.ADDQ(operand.U8(steps), inner)
	e.JEQ(ref("add"))
	e.Label(label("single"))
	step(0, 0)
	e.ADDQ(e.bStride, b)
	right(1)
	e.DECQ(inner)
	e.JNE(ref("single"))

	e.Label(label("add"))
	e.down(e.a, e.aStride, rows)
	one, three = e.strides("cStride")
	g = e.groups(e.c, one, rows)
	e.CMPQ(e.cols, operand.U8(perTile*e.lanes()))
	e.JLT(ref("narrow"))
	for r := range rows {
		for v, s := range sum[r] {
			m := at(g, one, three, r, v*vector)
			e.VADDPS(m, s, s)
			e.VMOVUPS(s, m)
		}
	}
	e.JMP(ref("done"))
	e.Label(label("narrow"))
	e.mask(e.cols)
	for r := range rows {
		for v, s := range sum[r] {
			m := at(g, one, three, r, v*vector)
			x := e.register()
			e.masked(m, v, x)
			e.VADDPS(x, s, s)
			e.store(s, v, m)
		}
	}
	e.Label(label("done"))
	e.down(e.c, one, rows)
}
