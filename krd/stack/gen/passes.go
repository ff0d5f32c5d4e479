package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in bytes, as the structs tally and item of package stack have them.
const (
	windowAt = 0 // eight words of zeros, eight of ones
	level0   = 64
	level1   = level0 + 4*8
	level2   = level1 + 4*64
	level3   = level2 + 4*512

	dealAhead   = 128 // bytes: what the streams of a pass write next is fetched
	finishAhead = 24  // items: where the result will go is fetched

	itemKey, itemAt, itemW, itemAcc, itemSize = 0, 4, 8, 12, 16
)

// loop holds the registers of a loop over items.
type loop struct {
	*build.Context
	items, left, tally reg.GPVirtual
	three, seven       reg.GPVirtual
	// level 0: every item adds to it, so it stays in a register and is stored to be read
	top reg.VecVirtual
}

func begin(c *build.Context, name, signature string, doc ...string) *loop {
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr(signature)
	c.Pragma("noescape")
	c.Doc(doc...)
	p := &loop{c, c.GP64(), c.GP64(), c.GP64(), c.GP32(), c.GP32(), c.YMM()}
	c.Load(c.Param("items"), p.items)
	c.Load(c.Param("n"), p.left)
	c.Load(c.Param("t"), p.tally)
	c.MOVL(operand.U32(3), p.three)
	c.MOVL(operand.U32(7), p.seven)
	c.VMOVDQU(p.at(level0, nil, 1), p.top)
	return p
}

// at returns a place in the tally.
func (p *loop) at(level int, index reg.Register, scale uint8) operand.Mem {
	return operand.Mem{Base: p.tally, Disp: level, Index: index, Scale: scale}
}

func (p *loop) item(field int) operand.Mem { return operand.Mem{Base: p.items, Disp: field} }

// collect adds the weights of the smaller keys to sum, and then the item's weight to the tally.
func (p *loop) collect(key, sum reg.GPVirtual) {
	keys := [4]reg.GPVirtual{3: key} // by level
	for l := 2; l >= 0; l-- {
		keys[l] = p.GP32()
		p.SHRXL(p.three, keys[l+1], keys[l])
	}
	levels := [4]int{level0, level1, level2, level3}
	for l, at := range levels {
		p.ADDL(p.at(at, keys[l].As64(), 4), sum)
	}
	w := p.YMM()
	p.VPBROADCASTD(p.item(itemW), w)
	for l, at := range levels {
		// The window that begins 7-d words after the first has ones in the lanes above d.
		above := p.GP32()
		p.ANDNL(p.seven, keys[l], above)
		lanes := p.YMM()
		p.VPAND(p.at(windowAt, above.As64(), 4), w, lanes)
		if l == 0 {
			p.VPADDD(lanes, p.top, p.top)
			p.VMOVDQU(p.top, p.at(level0, nil, 1))
			continue
		}
		group := p.GP32()
		p.ANDNL(keys[l], p.seven, group)
		p.VPADDD(p.at(at, group.As64(), 4), lanes, lanes)
		p.VMOVDQU(lanes, p.at(at, group.As64(), 4))
	}
}

// end closes the loop.
func (p *loop) end(label string) {
	p.ADDQ(operand.U8(itemSize), p.items)
	p.DECQ(p.left)
	p.JNZ(operand.LabelRef(label))
	p.VZEROUPPER()
	p.RET()
}

func deal(c *build.Context) {
	p := begin(c, "dealAVX2", "func(items *uint32, n int, low uint, mask uint32, to *uint32, "+
		"ends *uint32, t *uint32)",
		"dealAVX2 is dealPortable for n items, at least one, with sums modulo 1<<32.")
	low, mask, to, ends := c.GP64(), c.GP32(), c.GP64(), c.GP64()
	c.Load(c.Param("low"), low)
	c.Load(c.Param("mask"), mask)
	c.Load(c.Param("to"), to)
	c.Load(c.Param("ends"), ends)
	c.Label("deal_item")
	d, sum := c.GP32(), c.GP32()
	c.SHRXL(low.As32(), p.item(itemKey), d)
	c.ANDL(mask, d)
	c.MOVL(p.item(itemAcc), sum)
	p.collect(d, sum)
	place := c.GP32()
	end := operand.Mem{Base: ends, Index: d.As64(), Scale: 4}
	c.MOVL(end, place)
	next := c.GP32()
	c.LEAL(operand.Mem{Base: place.As64(), Disp: 1}, next)
	c.MOVL(next, end)
	it := c.XMM()
	c.VMOVDQU(p.item(0), it)
	c.VPINSRD(operand.U8(3), sum, it, it)
	c.SHLQ(operand.U8(4), place.As64())
	c.VMOVDQU(it, operand.Mem{Base: to, Index: place.As64(), Scale: 1})
	c.PREFETCHT0(operand.Mem{Base: to, Index: place.As64(), Scale: 1, Disp: dealAhead})
	p.end("deal_item")
}

func finish(c *build.Context) {
	p := begin(c, "finishAVX2", "func(items *uint32, n int, cum *uint64, dist *uint64, shift "+
		"uint, t *uint32)",
		"finishAVX2 is finishPortable for n items, at least one, with sums modulo 1<<32.")
	cum, dist, shift := c.GP64(), c.GP64(), c.GP64()
	c.Load(c.Param("cum"), cum)
	c.Load(c.Param("dist"), dist)
	c.Load(c.Param("shift"), shift)
	last := c.GP64()
	c.MOVQ(p.left, last)
	c.SHLQ(operand.U8(4), last)
	c.LEAQ(operand.Mem{Base: p.items, Index: last, Scale: 1, Disp: -itemSize}, last)
	c.Label("finish_item")
	ahead := c.GP64()
	c.LEAQ(p.item(finishAhead*itemSize), ahead)
	c.CMPQ(ahead, last)
	c.CMOVQHI(last, ahead)
	c.MOVL(operand.Mem{Base: ahead, Disp: itemAt}, ahead.As32())
	c.PREFETCHT0(operand.Mem{Base: dist, Index: ahead, Scale: 8})
	key, sum := c.GP32(), c.GP32()
	c.MOVL(p.item(itemKey), key)
	c.ANDL(operand.U32(1<<12-1), key)
	c.MOVL(p.item(itemAcc), sum)
	p.collect(key, sum)
	before := c.GP64()
	c.SHRXQ(shift, operand.Mem{Base: cum, Index: key.As64(), Scale: 8}, before)
	c.SUBL(before.As32(), sum)
	result := c.GP64()
	c.SHLXQ(shift, sum.As64(), result)
	at := c.GP32()
	c.MOVL(p.item(itemAt), at)
	c.MOVQ(result, operand.Mem{Base: dist, Index: at.As64(), Scale: 8})
	p.end("finish_item")
}
