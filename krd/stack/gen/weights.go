package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// addWeights emits Weights.Add: for each level it adds delta to the words of the group of 16 before
// the slot's. window is 16 words of ones and 16 of zeros; those from 16-d on are the mask for the
// words before the d-th.
func addWeights(c *build.Context) {
	c.Function("addAVX2")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(levels *[]uint64, n int, slot int, delta uint64, window *uint64)")
	c.Pragma("noescape")
	c.Doc("addAVX2 is addPortable for n levels, at least one.")
	levels, n, slot, window := c.GP64(), c.GP64(), c.GP64(), c.GP64()
	c.Load(c.Param("levels"), levels)
	c.Load(c.Param("n"), n)
	c.Load(c.Param("slot"), slot)
	c.Load(c.Param("window"), window)
	delta := c.YMM()
	arg, err := c.Param("delta").Resolve()
	if err != nil {
		panic(err)
	}
	c.VPBROADCASTQ(arg.Addr, delta)
	c.Label("add_level")
	within, group := c.GP64(), c.GP64()
	c.MOVQ(slot, within)
	c.ANDQ(operand.U8(15), within)
	c.MOVQ(slot, group)
	c.SUBQ(within, group)
	c.NEGQ(within)
	base := c.GP64()
	c.MOVQ(operand.Mem{Base: levels}, base)
	c.LEAQ(operand.Mem{Base: base, Index: group, Scale: 8}, base)
	for i := range 4 {
		words := c.YMM()
		c.VPAND(operand.Mem{Base: window, Index: within, Scale: 8, Disp: 8*16 + 32*i}, delta, words)
		c.VPADDQ(operand.Mem{Base: base, Disp: 32 * i}, words, words)
		c.VMOVDQU(words, operand.Mem{Base: base, Disp: 32 * i})
	}
	c.SHRQ(operand.U8(4), slot)
	c.ADDQ(operand.U8(24), levels)
	c.DECQ(n)
	c.JNZ(operand.LabelRef("add_level"))
	c.VZEROUPPER()
	c.RET()
}
