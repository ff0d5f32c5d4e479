package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is a register and what derivatives it holds.
type lanes struct {
	r    reg.VecVirtual
	held []index
}

// none marks an idle lane.
var none = index{-1, -1, -1}

// permute returns want from the registers p and q.
func (e *small) permute(name string, p, q lanes, want []index) reg.VecVirtual {
	w := make([]uint32, 16)
	for i, n := range want {
		if n == none {
			continue
		}
		if at := slices.Index(p.held, n); at >= 0 {
			w[i] = uint32(at)
		} else if at := slices.Index(q.held, n); at >= 0 {
			w[i] = uint32(16 + at)
		} else {
			panic(fmt.Sprintf("%s: %v is in neither register", name, n))
		}
	}
	r := e.ZMM()
	e.VMOVUPS(table(e.Context, name, w...), r)
	e.VPERMI2PS(q.r, p.r, r)
	return r
}

// pick returns lanes of a register by number, from a table.
func (e *small) pick(name string, from reg.VecVirtual, w ...uint32) reg.VecVirtual {
	r := e.ZMM()
	e.VMOVUPS(table(e.Context, name, w...), r)
	e.VPERMPS(from, r, r)
	return r
}

// derivatives fills b1, b2, c1, c2 and a0 by the closed form.
func (e *small) derivatives(minus reg.VecVirtual) {
	vx2, vy2 := e.ZMM(), e.ZMM()
	square := e.XMM()
	e.VMULPS(minus.AsX(), minus.AsX(), square)
	for axis, v := range []reg.VecVirtual{vx2, vy2} {
		e.VPERMILPS(operand.U8(1+axis), square, v.AsX())
		e.VBROADCASTSS(v.AsX(), v)
	}
	// odd holds the products of v_x, v_y and v_z, bit by bit.
	var odd reg.VecVirtual
	for axis := range 3 {
		var w []uint32
		for lane := range 16 {
			w = append(w, uint32(1+axis)*uint32(lane>>axis&1))
		}
		f := e.pick(fmt.Sprintf("axis%d", axis), minus, w...)
		if odd == nil {
			odd = f
			continue
		}
		e.VMULPS(f, odd, odd)
	}
	all := terms(0, 5)
	e.b1.held = append(slices.Clone(all[32:36]), all[4:16]...)
	e.b2.held = all[16:32]
	e.b1.r = e.polynomials("b1", e.b1.held, odd, vx2, vy2)
	e.b2.r = e.polynomials("b2", e.b2.held, odd, vx2, vy2)

	e.a0 = lanes{e.ZMM(), all[:16]}
	first := e.XMM() // 1 and degree 1 in the order of the terms: x, z, y
	e.VPERMILPS(operand.U8(0xb4), minus.AsX(), first)
	e.VINSERTF32X4(operand.U8(0), first, e.b1.r, e.a0.r)

	var z1, z2, xx, yy []index
	for _, n := range terms(2, 5) {
		if n.z == 1 {
			z1 = append(z1, n)
		}
		if n.z == 0 && n.x >= 2 { // n = m + 2 e_x for some m of z = 0, and m + 2 e_z is wanted
			m := index{n.x - 2, n.y, 0}
			z2, xx, yy = append(z2, index{m.x, m.y, 2}), append(xx, n),
				append(yy, index{m.x, m.y + 2, 0})
		}
	}
	e.c1 = lanes{e.permute("z1", e.b1, e.b2, z1), z1}
	if e.dipoles {
		// One idle lane takes the z of degree 1.
		e.c1.held = append(e.c1.held, index{0, 0, 1})
		k := e.GP32()
		e.MOVL(operand.U32(1<<14), k)
		e.KMOVW(k, reg.K1)
		three := e.ZMM()
		e.VMOVUPS(table(e.Context, "threes", slices.Repeat([]uint32{3}, 16)...), three)
		e.VPERMPS(minus, three, reg.K1, e.c1.r)
	}
	e.c2 = lanes{e.ZMM(), z2}
	emptied(e.Context, e.c2.r)
	e.VSUBPS(e.permute("xx", e.b1, e.b2, xx), e.c2.r, e.c2.r)
	e.VSUBPS(e.permute("yy", e.b1, e.b2, yy), e.c2.r, e.c2.r)
}

// polynomials returns T_n(u) for what the lanes hold.
func (e *small) polynomials(name string, held []index, odd, vx2,
	vy2 reg.VecVirtual) reg.VecVirtual {
	var w []uint32
	c := map[[2]int][]float64{}
	for i, n := range held {
		p := polynomialOf(n)
		w = append(w, uint32(p.odd.x+2*p.odd.y+4*p.odd.z))
		for k, v := range p.coeff {
			if c[k] == nil {
				c[k] = make([]float64, 16)
			}
			c[k][i] = v
		}
	}
	if len(c) > 6 {
		panic("polynomials of degree 6 and more need more terms")
	}
	at := func(i, j int) operand.Mem {
		return e.f32(fmt.Sprintf("%sx%dy%d", name, i, j),
			c[[2]int{i, j}]...)
	}
	load := func(i, j int) reg.VecVirtual {
		r := e.ZMM()
		e.VMOVUPS(at(i, j), r)
		return r
	}
	add := func(i, j int, f, to reg.VecVirtual) {
		if c[[2]int{i, j}] != nil {
			e.VFMADD231PS(at(i, j), f, to)
		}
	}
	p, x, y := load(0, 0), load(1, 0), load(0, 1)
	add(2, 0, vx2, x)
	add(1, 1, vy2, x)
	add(0, 2, vy2, y)
	e.VFMADD231PS(x, vx2, p)
	e.VFMADD231PS(y, vy2, p)
	f := e.pick(name+"odd", odd, w...)
	e.VMULPS(f, p, p)
	return p
}
