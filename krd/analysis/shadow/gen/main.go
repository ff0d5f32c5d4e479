// Command gen writes the assembly of package shadow, and its Go declarations, into the working
// directory: cut_amd64.s and cut_amd64.go.
package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"

	"krdlab/hw/asmgen"
)

func main() { asmgen.Main("shadow", file) }

var file = asmgen.File{Asm: "cut_amd64.s", Stubs: "cut_amd64.go", Emit: cut}

// cut emits a loop over vectors of 32 tags. Each tag becomes the smaller one of itself and most.
func cut(c *build.Context) {
	c.Function("cutAVX2")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(tags *uint8, vectors int, most uint8)")
	c.Pragma("noescape")
	c.Doc("cutAVX2 is cut for vectors of 32 tags, at least one.")
	tags, n := c.GP64(), c.GP64()
	c.Load(c.Param("tags"), tags)
	c.Load(c.Param("vectors"), n)
	most := c.YMM()
	arg, err := c.Param("most").Resolve()
	if err != nil {
		panic(err)
	}
	c.VPBROADCASTB(arg.Addr, most)
	c.Label("vector")
	x := c.YMM()
	c.VPMINUB(operand.Mem{Base: tags}, most, x)
	c.VMOVDQU(x, operand.Mem{Base: tags})
	c.ADDQ(operand.U8(32), tags)
	c.DECQ(n)
	c.JNZ(operand.LabelRef("vector"))
	c.VZEROUPPER()
	c.RET()
}
