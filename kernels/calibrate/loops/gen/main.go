// Command gen writes the assembly of package loops, and its Go declarations, into the working
// directory: packed_amd64.s and packed_amd64.go.
package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"krdlab/hw/asmgen"
)

func main() { asmgen.Main("loops", file) }

var file = asmgen.File{
	Asm: "packed_amd64.s", Stubs: "packed_amd64.go",
	Emit: func(c *build.Context) {
		for _, s := range []struct {
			name     string
			bytes    int
			register func() reg.VecVirtual
		}{{"AVX512", 64, func() reg.VecVirtual { return c.ZMM() }},
			{"AVX2", 32, func() reg.VecVirtual { return c.YMM() }}} {
			fused(c, "fused"+s.name, s.bytes, s.register)
			single(c, "single"+s.name, s.register)
			double(c, "double"+s.name, s.bytes, s.register)
		}
	},
}

// accumulators are as many as hide the latency of an operation: two in a cycle, four cycles each,
// and a few more.
const accumulators = 12

// loop begins a function that goes round n times, and returns the parameter, from which constants
// and vectors come, and what ends it.
func loop(c *build.Context, name, doc, of string) (x reg.GPVirtual, begin, end func()) {
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(n int, x *" + of + ")")
	c.Pragma("noescape")
	c.Doc(doc)
	n, at := c.GP64(), c.GP64()
	c.Load(c.Param("n"), n)
	c.Load(c.Param("x"), at)
	label := name + "_loop"
	return at, func() { c.Label(label) }, func() {
		c.DECQ(n)
		c.JNZ(operand.LabelRef(label))
		c.VZEROUPPER()
		c.RET()
	}
}

// fused emits n rounds of as many multiply-adds as there are accumulators, a factor of each from x.
func fused(c *build.Context, name string, bytes int, register func() reg.VecVirtual) {
	x, begin, end := loop(c, name, name+" makes n times multiply-adds with what is at x.", "float32")
	factor := register()
	c.VMOVUPS(operand.Mem{Base: x}, factor)
	var sums []reg.VecVirtual
	for range accumulators {
		s := register()
		c.VMOVUPS(operand.Mem{Base: x}, s)
		sums = append(sums, s)
	}
	begin()
	for i, s := range sums {
		c.VFMADD231PS(operand.Mem{Base: x, Disp: i * bytes}, factor, s)
	}
	end()
}

// single emits n rounds of a multiplication and an addition for each accumulator.
func single(c *build.Context, name string, register func() reg.VecVirtual) {
	x, begin, end := loop(c, name, name+" makes n times multiplications and additions.", "float32")
	other := register()
	c.VMOVUPS(operand.Mem{Base: x}, other)
	var values []reg.VecVirtual
	for range accumulators {
		s := register()
		c.VMOVUPS(operand.Mem{Base: x}, s)
		values = append(values, s)
	}
	begin()
	for i := range values { // half of them a step behind, so that both are at hand at any time
		if i%2 == 0 {
			c.VMULPS(other, values[i], values[i])
		} else {
			c.VADDPS(other, values[i], values[i])
		}
	}
	for i := range values {
		if i%2 == 0 {
			c.VADDPS(other, values[i], values[i])
		} else {
			c.VMULPS(other, values[i], values[i])
		}
	}
	end()
}

// double emits n rounds over vectors of x: the sum of two neighbours, times a constant, to others.
func double(c *build.Context, name string, bytes int, register func() reg.VecVirtual) {
	x, begin, end := loop(c, name, name+" makes n times sums of neighbours at x, times a constant.",
		"float64")
	factor := register()
	c.VMOVUPD(operand.Mem{Base: x, Disp: (2*accumulators + 1) * bytes}, factor)
	begin()
	for i := range accumulators {
		s := register()
		c.VMOVUPD(operand.Mem{Base: x, Disp: i * bytes}, s)
		c.VADDPD(operand.Mem{Base: x, Disp: i*bytes + bytes}, s, s)
		c.VMULPD(factor, s, s)
		c.VMOVUPD(s, operand.Mem{Base: x, Disp: (accumulators + 1 + i) * bytes})
	}
	end()
}
