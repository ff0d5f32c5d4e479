package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// prefetch emits the prefetch of the coefficients of a cell.
func prefetch(c *build.Context) {
	c.Function("prefetch")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(m *float32, mBytes int, l *float32, lBytes int)")
	c.Pragma("noescape")
	c.Doc("prefetch asks for the cache lines of two ranges that begin on a line, neither empty.")
	for _, s := range []string{"m", "l"} {
		p := c.Load(c.Param(s), c.GP64()).(reg.GPVirtual)
		end := c.Load(c.Param(s+"Bytes"), c.GP64()).(reg.GPVirtual)
		c.ADDQ(p, end)
		c.Label("prefetch_" + s)
		c.PREFETCHT0(operand.Mem{Base: p})
		c.ADDQ(operand.I8(64), p)
		c.CMPQ(p, end)
		c.JCS(operand.LabelRef("prefetch_" + s))
	}
	c.RET()
}
