// Command gen writes the assembly of a row of package heat, and its Go declarations, into the
// working directory: row_amd64.s and row_amd64.go.
package main

import (
	"fmt"
	"math"
	"os"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	asm, stubs, err := generate()
	if err == nil {
		err = os.WriteFile("row_amd64.s", asm, 0o644)
	}
	if err == nil {
		err = os.WriteFile("row_amd64.go", stubs, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generate returns the assembly and the declarations, the same bytes each time.
func generate() (asm, stubs []byte, err error) {
	c := build.NewContext()
	c.Constraint(buildtags.Term("amd64"))
	row(c, "rowAVX512", "AVX-512F", 64, func() reg.VecVirtual { return c.ZMM() })
	row(c, "rowAVX2", "AVX", 32, func() reg.VecVirtual { return c.YMM() })
	file, err := c.Result()
	if err != nil {
		return nil, nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, nil, err
	}
	cfg := printer.Config{Argv: []string{"go", "run", "./gen"}, Pkg: "heat"}
	if asm, err = printer.NewGoAsm(cfg).Print(file); err != nil {
		return nil, nil, err
	}
	stubs, err = printer.NewStubs(cfg).Print(file)
	return asm, stubs, err
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
