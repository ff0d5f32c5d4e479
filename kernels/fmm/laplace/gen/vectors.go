package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// emptied emits r <- 0 and marks for avo that r need not be set before: avo has that of VXORPS, not
// of VPXORD.
func emptied(c *build.Context, r reg.VecVirtual) {
	i, err := x86.VPXORD(r, r, r)
	if err != nil {
		panic(err) // three ZMM registers are a form of VPXORD
	}
	i.CancellingInputs = true
	c.Instruction(i)
}

// tables are the static data of the functions that a context has emitted so far, by name.
var tables = map[*build.Context]map[string]operand.Mem{}

// table returns the static data called name, 32-bit words, which it makes of v the first time.
func table(c *build.Context, name string, v ...uint32) operand.Mem {
	if tables[c] == nil {
		tables[c] = map[string]operand.Mem{}
	}
	m, ok := tables[c][name]
	if !ok {
		m = c.StaticGlobal(name)
		c.DataAttributes(attr.RODATA | attr.NOPTR)
		for i, x := range v {
			c.AddDatum(4*i, operand.U32(x))
		}
		tables[c][name] = m
	}
	return m
}

// groups lists, for lanes that hold width values lanes/width times side by side, the value of each
// lane.
func groups(lanes, width int) (v []uint32) {
	for i := range lanes {
		v = append(v, uint32(i*width/lanes))
	}
	return v
}

// firsts lists the first lane of each such group, then that of group 0 again.
func firsts(lanes, width int) (v []uint32) {
	for i := range lanes {
		v = append(v, uint32(i%width*lanes/width))
	}
	return v
}

type avx512 struct {
	*build.Context
	three, none reg.VecVirtual
}

func (*avx512) name() string               { return "AVX512" }
func (*avx512) about() string              { return "with AVX-512F" }
func (*avx512) lanes() int                 { return 16 }
func (c *avx512) register() reg.VecVirtual { return c.ZMM() }
func (c *avx512) zero(x reg.VecVirtual)    { emptied(c.Context, x) }

func (c *avx512) ready() {
	c.three, c.none = c.ZMM(), c.ZMM()
	c.VBROADCASTSS(table(c.Context, "three", math.Float32bits(3)), c.three)
	c.zero(c.none)
}

// lanesMask sets k to the first n lanes, n <= 16.
func (c *avx512) lanesMask(n reg.GPVirtual, k reg.Register) {
	m := c.GP64()
	c.MOVQ(operand.I32(-1), m)
	c.BZHIQ(n, m, m)
	c.KMOVW(m.As32(), k)
}

func (c *avx512) targets(n reg.GPVirtual, width int) { c.lanesMask(n, reg.K1) }

func (c *avx512) spread(m operand.Mem, width int) reg.VecVirtual {
	x := c.ZMM()
	c.VMOVUPS_Z(m, reg.K1, x)
	if width < 16 {
		i := c.ZMM()
		c.VMOVUPS(table(c.Context, fmt.Sprintf("groups16by%d", width), groups(16, width)...), i)
		c.VPERMPS(x, i, x)
	}
	return x
}

func (c *avx512) source(m operand.Mem, width int) source {
	switch width {
	case 16:
		return source{m, true}
	case 8:
		x := c.ZMM()
		c.VBROADCASTSD(m, x)
		return source{x, false}
	}
	x := c.ZMM()
	c.VBROADCASTF32X4(m, x)
	return source{x, false}
}

func (c *avx512) rest(m operand.Mem, width int, n reg.GPVirtual) source {
	c.lanesMask(n, reg.K3)
	x := c.ZMM()
	c.VMOVUPS_Z(m, reg.K3, x)
	if width == 8 {
		c.VBROADCASTSD(x.AsX(), x)
	} else {
		c.VSHUFF32X4(operand.U8(0), x, x, x)
	}
	return source{x, false}
}

func (c *avx512) sub(from reg.VecVirtual, s source) reg.VecVirtual {
	d := c.ZMM()
	if s.broadcast {
		c.VSUBPS_BCST(s.op, from, d)
	} else {
		c.VSUBPS(s.op, from, d)
	}
	return d
}

func (c *avx512) times(x reg.VecVirtual, s source) reg.VecVirtual {
	d := c.ZMM()
	if s.broadcast {
		c.VMULPS_BCST(s.op, x, d)
	} else {
		c.VMULPS(s.op, x, d)
	}
	return d
}

func (c *avx512) inverse(x reg.VecVirtual) reg.VecVirtual {
	y := c.ZMM()
	c.VCMPPS(operand.U8(4), c.none, x, reg.K2) // not equal
	c.VRSQRT14PS_Z(x, reg.K2, y)
	c.VMULPS(x, y, x)
	c.VFNMADD213PS(c.three, y, x) // 3 - x y^2
	c.VMULPS(x, y, y)
	return y
}

func (c *avx512) gather(sum reg.VecVirtual, f operand.Mem, width int, m operand.Mem) {
	if width < 16 {
		s := c.ZMM()
		for i, swap := range []uint8{0xb1, 0x4e} { // neighbours, pairs
			if 16/width > 1<<i {
				c.VPERMILPS(operand.U8(swap), sum, s)
				c.VADDPS(s, sum, sum)
			}
		}
		i := c.ZMM()
		c.VMOVUPS(table(c.Context, fmt.Sprintf("firsts16by%d", width), firsts(16, width)...), i)
		c.VPERMPS(sum, i, sum)
	}
	old := c.ZMM()
	c.VMOVUPS_Z(m, reg.K1, old)
	c.VFMADD231PS_BCST(f, sum, old)
	c.VMOVUPS(old, reg.K1, m)
}

type avx2 struct {
	*build.Context
	three, none, mask reg.VecVirtual
}

func (*avx2) name() string               { return "AVX2" }
func (*avx2) about() string              { return "with AVX2 and FMA" }
func (*avx2) lanes() int                 { return 8 }
func (c *avx2) register() reg.VecVirtual { return c.YMM() }
func (c *avx2) zero(x reg.VecVirtual)    { c.VXORPS(x, x, x) }

func (c *avx2) ready() {
	c.three, c.none = c.YMM(), c.YMM()
	c.VBROADCASTSS(table(c.Context, "three", math.Float32bits(3)), c.three)
	c.zero(c.none)
}

// lanesMask returns the first n lanes, n <= 8.
func (c *avx2) lanesMask(n reg.GPVirtual) reg.VecVirtual {
	var w [16]uint32
	for i := range 8 {
		w[i] = 1<<32 - 1
	}
	t := table(c.Context, "lanes8", w[:]...)
	from, back, m := c.GP64(), c.GP64(), c.YMM()
	c.LEAQ(t.Offset(32), from)
	c.MOVQ(n, back)
	c.NEGQ(back)
	c.VMOVUPS(operand.Mem{Base: from, Index: back, Scale: 4}, m)
	return m
}

func (c *avx2) targets(n reg.GPVirtual, width int) { c.mask = c.lanesMask(n) }

func (c *avx2) spread(m operand.Mem, width int) reg.VecVirtual {
	x := c.YMM()
	c.VMASKMOVPS(m, c.mask, x)
	if width < 8 {
		i := c.YMM()
		c.VMOVUPS(table(c.Context, "groups8by4", groups(8, 4)...), i)
		c.VPERMPS(x, i, x)
	}
	return x
}

func (c *avx2) source(m operand.Mem, width int) source {
	x := c.YMM()
	if width == 8 {
		c.VBROADCASTSS(m, x)
	} else {
		c.VBROADCASTSD(m, x)
	}
	return source{x, false}
}

func (c *avx2) rest(m operand.Mem, width int, n reg.GPVirtual) source {
	x := c.YMM()
	c.VMOVSS(m, x.AsX()) // width 4: one source is left, the other is zero
	c.VBROADCASTSD(x.AsX(), x)
	return source{x, false}
}

func (c *avx2) sub(from reg.VecVirtual, s source) reg.VecVirtual {
	d := c.YMM()
	c.VSUBPS(s.op, from, d)
	return d
}

func (c *avx2) times(x reg.VecVirtual, s source) reg.VecVirtual {
	d := c.YMM()
	c.VMULPS(s.op, x, d)
	return d
}

func (c *avx2) inverse(x reg.VecVirtual) reg.VecVirtual {
	y, k := c.YMM(), c.YMM()
	c.VCMPPS(operand.U8(4), c.none, x, k) // not equal
	c.VRSQRTPS(x, y)
	c.VANDPS(k, y, y)
	c.VMULPS(x, y, x)
	c.VFNMADD213PS(c.three, y, x) // 3 - x y^2
	c.VMULPS(x, y, y)
	return y
}

func (c *avx2) gather(sum reg.VecVirtual, f operand.Mem, width int, m operand.Mem) {
	s := c.YMM()
	if width < 8 {
		c.VPERMILPS(operand.U8(0xb1), sum, s)
		c.VADDPS(s, sum, sum)
		c.VMOVUPS(table(c.Context, "firsts8by4", firsts(8, 4)...), s)
		c.VPERMPS(sum, s, sum)
	}
	c.VBROADCASTSS(f, s)
	old := c.YMM()
	c.VMASKMOVPS(m, c.mask, old)
	c.VFMADD231PS(s, sum, old)
	c.VMASKMOVPS(old, c.mask, m)
}
