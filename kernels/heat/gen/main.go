// Command gen writes the assembly of a row of package heat, and its Go declarations, into the
// working directory: row_amd64.s and row_amd64.go.
package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"krdlab/hw/asmgen"
)

func main() { asmgen.Main("heat", file) }

var file = asmgen.File{
	Asm: "row_amd64.s", Stubs: "row_amd64.go",
	Emit: func(c *build.Context) {
		row(c, "rowAVX512", "AVX-512F", 64, func() reg.VecVirtual { return c.ZMM() })
		row(c, "rowAVX2", "AVX", 32, func() reg.VecVirtual { return c.YMM() })
	},
}

// row emits a loop over two vectors of so many bytes a turn.
func row(c *build.Context, name, about string, bytes int, register func() reg.VecVirtual) {
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(n int, to, up, mid, down *float64)")
	c.Pragma("noescape")
	c.Doc(fmt.Sprintf("%s is rowPortable with %s. n is a multiple of %d, not 0.", name, about,
		2*bytes/8))
	n := c.Load(c.Param("n"), c.GP64())
	to, up := c.Load(c.Param("to"), c.GP64()), c.Load(c.Param("up"), c.GP64())
	mid, down := c.Load(c.Param("mid"), c.GP64()), c.Load(c.Param("down"), c.GP64())
	quarter, bits := register(), c.GP64()
	c.MOVQ(operand.U64(math.Float64bits(0.25)), bits)
	low := c.XMM()
	c.VMOVQ(bits, low)
	c.VBROADCASTSD(low, quarter)
	at := c.GP64()
	c.XORQ(at, at)
	c.Label(name + "_loop")
	for v := range 2 {
		mem := func(base reg.Register, disp int) operand.Mem {
			return operand.Mem{Base: base, Index: at, Scale: 8, Disp: v*bytes + disp}
		}
		beside, above := register(), register()
		c.VMOVUPD(mem(mid, 0), beside)
		c.VADDPD(mem(mid, 16), beside, beside)
		c.VMOVUPD(mem(up, 0), above)
		c.VADDPD(mem(down, 0), above, above)
		c.VADDPD(above, beside, beside)
		c.VMULPD(quarter, beside, beside)
		c.VMOVUPD(beside, mem(to, 0))
	}
	c.ADDQ(operand.U8(2*bytes/8), at)
	c.CMPQ(at, n)
	c.JLT(operand.LabelRef(name + "_loop"))
	c.VZEROUPPER()
	c.RET()
}
