// Command gen writes the assembly of the stages of package fft, and their Go declarations, into the
// working directory: pass_amd64.s and stubs_amd64.go. A vector is one register with AVX-512 for
// real parts and one for imaginary parts, and two of each with AVX2, one half after the other.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"krdlab/hw/asmgen"
)

func main() { asmgen.Main("fft", file) }

var file = asmgen.File{
	Asm: "pass_amd64.s", Stubs: "stubs_amd64.go",
	Emit: func(c *build.Context) {
		radix4(c, "passAVX512", 64, func() reg.VecVirtual { return c.ZMM() })
		radix4(c, "passAVX2", 32, func() reg.VecVirtual { return c.YMM() })
	},
}

const vectorBytes = 128 // 8 real parts, 8 imaginary parts

// radix4 writes what portable does, with registers of some bytes.
func radix4(c *build.Context, name string, bytes int, register func() reg.VecVirtual) {
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(to, from *[16]float64, w *[6]float64, n, stride int)")
	c.Doc(name + " is portable in registers of " + fmt.Sprint(8*bytes) + " bits.")
	c.Pragma("noescape")
	to, from := c.Load(c.Param("to"), c.GP64()), c.Load(c.Param("from"), c.GP64())
	w, n := c.Load(c.Param("w"), c.GP64()), c.Load(c.Param("n"), c.GP64())
	stride := c.Load(c.Param("stride"), c.GP64())
	// far is from a point of a butterfly to the next one, near from a result to the next one
	far, near := c.GP64(), c.GP64()
	c.MOVQ(stride, near)
	c.SHLQ(operand.U8(7), near)
	c.MOVQ(near, far)
	c.IMULQ(n, far)
	far3, near3 := c.GP64(), c.GP64()
	c.LEAQ(operand.Mem{Base: far, Index: far, Scale: 2}, far3)
	c.LEAQ(operand.Mem{Base: near, Index: near, Scale: 2}, near3)

	c.Label(name + "Root")
	var roots [6]reg.VecVirtual
	for i := range roots {
		roots[i] = register()
		if bytes == 64 {
			c.VBROADCASTSD(operand.Mem{Base: w, Disp: 8 * i}, roots[i])
		}
	}
	q := c.GP64()
	c.MOVQ(stride, q)
	c.Label(name + "Neighbour")
	for at := 0; at < vectorBytes/2; at += bytes {
		butterfly(c, register, to, from, w, far, far3, near, near3, roots, at, bytes == 64)
	}
	c.ADDQ(operand.I32(vectorBytes), to)
	c.ADDQ(operand.I32(vectorBytes), from)
	c.DECQ(q)
	c.JNZ(operand.LabelRef(name + "Neighbour"))
	c.ADDQ(near3, to) // to is past the first result
	c.ADDQ(operand.I32(48), w)
	c.DECQ(n)
	c.JNZ(operand.LabelRef(name + "Root"))
	c.VZEROUPPER()
	c.RET()
}

// butterfly writes one of four points, from byte at of their real parts on. Roots are in registers,
// or are read where they are needed.
func butterfly(c *build.Context, register func() reg.VecVirtual, to, from, w, far, far3, near,
	near3 reg.Register, roots [6]reg.VecVirtual, at int, kept bool) {
	const imaginary = vectorBytes / 2
	point := func(base, step, step3 reg.Register, i, disp int) operand.Mem {
		m := operand.Mem{Base: base, Disp: disp}
		switch i {
		case 1:
			m.Index, m.Scale = step, 1
		case 2:
			m.Index, m.Scale = step, 2
		case 3:
			m.Index, m.Scale = step3, 1
		}
		return m
	}
	var sum, diff [2][2]reg.VecVirtual // of points 0 and 2, and of 1 and 3; real, imaginary
	for pair := range 2 {
		for part := range 2 {
			x, s, d := register(), register(), register()
			disp := at + part*imaginary
			c.VMOVUPD(point(from, far, far3, pair, disp), x)
			other := point(from, far, far3, pair+2, disp)
			c.VADDPD(other, x, s)
			c.VSUBPD(other, x, d)
			sum[pair][part], diff[pair][part] = s, d
		}
	}
	out := func(i int, re, im reg.VecVirtual) {
		c.VMOVUPD(re, point(to, near, near3, i, at))
		c.VMOVUPD(im, point(to, near, near3, i, at+imaginary))
	}
	combine := func(minus bool, a, b reg.VecVirtual) reg.VecVirtual {
		r := register()
		if minus {
			c.VSUBPD(b, a, r)
		} else {
			c.VADDPD(b, a, r)
		}
		return r
	}
	turned := func(i int, re, im reg.VecVirtual) {
		wr, wi := roots[2*(i-1)], roots[2*(i-1)+1]
		if !kept {
			wr, wi = register(), register()
			c.VBROADCASTSD(operand.Mem{Base: w, Disp: 16 * (i - 1)}, wr)
			c.VBROADCASTSD(operand.Mem{Base: w, Disp: 16*(i-1) + 8}, wi)
		}
		x, y := register(), register()
		c.VMULPD(im, wi, x)
		c.VFMSUB231PD(re, wr, x) // re wr - im wi
		c.VMULPD(re, wi, y)
		c.VFMADD231PD(im, wr, y)
		out(i, x, y)
	}
	out(0, combine(false, sum[0][0], sum[1][0]), combine(false, sum[0][1], sum[1][1]))
	turned(1, combine(false, diff[0][0], diff[1][1]), combine(true, diff[0][1], diff[1][0]))
	turned(2, combine(true, sum[0][0], sum[1][0]), combine(true, sum[0][1], sum[1][1]))
	turned(3, combine(true, diff[0][0], diff[1][1]), combine(false, diff[0][1], diff[1][0]))
}
