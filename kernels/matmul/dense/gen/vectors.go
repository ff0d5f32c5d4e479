package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// perTile is the number of vectors in a row of a micro-tile.
const perTile = 2

// vectors is the part that differs between instruction sets.
type vectors interface {
	name() string
	about() string
	lanes() int // floats in a vector
	register() reg.VecVirtual
	zero(x reg.VecVirtual)
	// mask readies masked and store for the first cols lanes of perTile vectors, 0 < cols <
	// perTile*lanes.
	mask(cols reg.Register)
	// masked loads the lanes of vector v that are in the mask from m and zeroes the others.
	masked(m operand.Mem, v int, to reg.VecVirtual)
	// store writes the lanes of vector v that are in the mask to m.
	store(from reg.VecVirtual, v int, m operand.Mem)
	// leave comes before RET.
	leave()
}

type avx512 struct{ *build.Context }

var opmasks = [perTile]reg.Register{reg.K1, reg.K2}

func (*avx512) name() string               { return "leafAVX512" }
func (*avx512) about() string              { return "with AVX-512F, micro-tiles of 8x32" }
func (*avx512) lanes() int                 { return 16 }
func (c *avx512) register() reg.VecVirtual { return c.ZMM() }

func (c *avx512) zero(x reg.VecVirtual) {
	i, err := x86.VPXORD(x, x, x)
	if err != nil {
		panic(err) // three ZMM registers are a form of VPXORD
	}
	i.CancellingInputs = true // avo has it for VXORPS, not for VPXORD
	c.Instruction(i)
}

func (c *avx512) mask(cols reg.Register) {
	m := c.GP64()
	c.MOVQ(operand.I32(-1), m)
	c.BZHIQ(cols, m, m)
	for v, k := range opmasks {
		if v > 0 {
			c.SHRQ(operand.U8(16), m)
		}
		c.KMOVW(m.As32(), k)
	}
}

func (c *avx512) masked(m operand.Mem, v int, to reg.VecVirtual) { c.VMOVUPS_Z(m, opmasks[v], to) }
func (c *avx512) store(from reg.VecVirtual, v int, m operand.Mem) {
	c.VMOVUPS(from, opmasks[v], m)
}
func (c *avx512) leave() { c.VZEROUPPER() }

type avx2 struct {
	*build.Context
	table operand.Mem // perTile*8 words of ones, then as many of zeros
	masks [perTile]reg.VecVirtual
}

func (*avx2) name() string               { return "leafAVX2" }
func (*avx2) about() string              { return "with AVX2 and FMA, micro-tiles of 6x16" }
func (*avx2) lanes() int                 { return 8 }
func (c *avx2) register() reg.VecVirtual { return c.YMM() }
func (c *avx2) zero(x reg.VecVirtual)    { c.VXORPS(x, x, x) }

func (c *avx2) mask(cols reg.Register) {
	if c.table.Base == nil {
		c.table = c.StaticGlobal("lanes")
		c.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := range 2 * perTile * c.lanes() {
			word := operand.U32(0)
			if i < perTile*c.lanes() {
				word = 1<<32 - 1
			}
			c.AddDatum(4*i, word)
		}
	}
	from, back := c.GP64(), c.GP64()
	c.LEAQ(c.table.Offset(4*perTile*c.lanes()), from)
	c.MOVQ(cols, back)
	c.NEGQ(back)
	for v := range c.masks {
		c.masks[v] = c.YMM()
		c.VMOVUPS(operand.Mem{Base: from, Index: back, Scale: 4, Disp: 4 * v * c.lanes()},
			c.masks[v])
	}
}

func (c *avx2) masked(m operand.Mem, v int, to reg.VecVirtual) { c.VMASKMOVPS(m, c.masks[v], to) }
func (c *avx2) store(from reg.VecVirtual, v int, m operand.Mem) {
	c.VMASKMOVPS(from, c.masks[v],
		m)
}
func (c *avx2) leave() { c.VZEROUPPER() }
