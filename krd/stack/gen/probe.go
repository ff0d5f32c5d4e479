package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// hashed emits the places of keys (see table.go). Prefetching does not wait for the lines, as loads
// would.
func hashed(c *build.Context) {
	c.Function("placesBMI2")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(keys *uint64, n int, lines *uint64, length uint64, places *uint32)")
	c.Pragma("noescape")
	c.Doc("placesBMI2 is placesPortable for n keys, at least one, and prefetches the lines.")
	keys, left, lines, length, places := c.GP64(), c.GP64(), c.GP64(), c.GP64(), c.GP64()
	c.Load(c.Param("keys"), keys)
	c.Load(c.Param("n"), left)
	c.Load(c.Param("lines"), lines)
	c.Load(c.Param("length"), length)
	c.Load(c.Param("places"), places)
	secret, factor := c.GP64(), c.GP64()
	c.MOVQ(operand.U64(hashSecret), secret)
	c.MOVQ(operand.U64(hashFactor), factor)
	c.Label("places_key")
	c.MOVQ(secret, reg.RDX)
	c.XORQ(operand.Mem{Base: keys}, reg.RDX)
	high, low := c.GP64(), c.GP64()
	c.MULXQ(factor, low, high)
	c.XORQ(low, high)
	c.MOVQ(high, reg.RDX)
	place := c.GP64()
	c.MULXQ(length, low, place)
	c.MOVL(place.As32(), operand.Mem{Base: places})
	c.SHLQ(operand.U8(6), place)
	c.PREFETCHT0(operand.Mem{Base: lines, Index: place, Scale: 1})
	c.ADDQ(operand.U8(8), keys)
	c.ADDQ(operand.U8(4), places)
	c.DECQ(left)
	c.JNZ(operand.LabelRef("places_key"))
	c.RET()
}

// The constants of package stack's hash.
const (
	hashSecret = 0xa0761d6478bd642f
	hashFactor = 0xe7037ed1a0b428db
)

// Offsets in bytes in a state of a line, as the structs line and blockState of package stack have
// them.
const (
	states               = 32
	stateLast, stateSize = 0, 4
)

func hits(c *build.Context) {
	c.Function("hitsAVX2")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(keys *uint64, n int, sizes *uint64, places *uint32, lines *uint64, at " +
		"uint32, prev *uint32) int")
	c.Pragma("noescape")
	c.Doc("hitsAVX2 is hitsPortable for n keys, at least one.")
	keys, n, sizes, places, lines, at, prev := c.GP64(), c.GP64(), c.GP64(), c.GP64(), c.GP64(),
		c.GP32(), c.GP64()
	c.Load(c.Param("keys"), keys)
	c.Load(c.Param("n"), n)
	c.Load(c.Param("sizes"), sizes)
	c.Load(c.Param("places"), places)
	c.Load(c.Param("lines"), lines)
	c.Load(c.Param("at"), at)
	c.Load(c.Param("prev"), prev)
	i := c.GP64()
	c.XORQ(i, i)
	c.Label("hits_key")
	of := func(base reg.GPVirtual, scale uint8) operand.Mem {
		return operand.Mem{Base: base, Index: i, Scale: scale}
	}
	key := c.YMM()
	c.VPBROADCASTQ(of(keys, 8), key)
	line := c.GP64()
	c.MOVL(of(places, 4), line.As32())
	c.SHLQ(operand.U8(6), line)
	c.ADDQ(lines, line)
	c.VPCMPEQQ(operand.Mem{Base: line}, key, key)
	found := c.GP32()
	c.VMOVMSKPD(key, found)
	c.TZCNTL(found, found) // 32 if there is none, with the carry
	c.JCS(operand.LabelRef("hits_end"))
	state := func(at int) operand.Mem {
		return operand.Mem{Base: line, Disp: states + at, Index: found.As64(), Scale: 8}
	}
	last, size := c.GP32(), c.GP32()
	c.MOVL(state(stateLast), last)
	c.TESTL(last, last)
	c.JZ(operand.LabelRef("hits_end"))
	c.MOVL(state(stateSize), size)
	c.CMPQ(size.As64(), of(sizes, 8))
	c.JNE(operand.LabelRef("hits_end"))
	c.MOVL(at, state(stateLast))
	c.MOVL(last, of(prev, 4))
	c.INCL(at)
	c.INCQ(i)
	c.CMPQ(i, n)
	c.JLT(operand.LabelRef("hits_key"))
	c.Label("hits_end")
	c.VZEROUPPER()
	c.Store(i, c.ReturnIndex(0))
	c.RET()
}
