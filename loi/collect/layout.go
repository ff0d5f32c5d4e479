package collect

import (
	"encoding/binary"

	"krdlab/loi/front"
)

// A Layout lists the parts of a type that is known only when the program runs: a type parameter's
// argument.
type Layout struct {
	Bytes  uint64
	Leaves []front.Leaf // at least one, unless the type has no bytes
	tops   []int        // the field or element of the type that each leaf belongs to
}

// stored returns the leaves that a literal stores.
func (l *Layout) stored(s *front.Site) (some []front.Leaf) {
	for i, leaf := range l.Leaves {
		if s.Stores(l.tops[i]) {
			some = append(some, leaf)
		}
	}
	return some
}

// layout returns that of the data that pointers of a type point to.
func (r *Reader) layout(pointer uint64) *Layout {
	l := r.layouts[pointer]
	if l == nil {
		if r.Layout != nil {
			l = r.Layout(pointer)
		}
		if l == nil {
			l = &Layout{}
		}
		r.layouts[pointer] = l
	}
	return l
}

// Where the words of a type are (internal/abi: Type, PtrType, ArrayType, StructType).
const (
	typeSize     = 0
	typeKind     = 23
	typeEnd      = 48
	structFields = typeEnd + 8
	fieldBytes   = 24

	kindArray   = 17
	kindPointer = 22
	kindStruct  = 25
	kindMask    = 1<<5 - 1
)

// Layout returns what the data are made of that pointers of the type at an address point to; nil if
// the file does not have it.
func (p *Program) Layout(pointer uint64) *Layout {
	t := p.at(pointer)
	if len(t) < typeEnd+8 || t[typeKind]&kindMask != kindPointer {
		return nil
	}
	l := new(Layout)
	element := word(t, typeEnd)
	e := p.at(element)
	if len(e) < typeEnd {
		return nil
	}
	l.Bytes = word(e, typeSize)
	p.leaves(l, element, 0, -1)
	if len(l.Leaves) > front.MostLeaves {
		l.Leaves, l.tops = []front.Leaf{{Bytes: l.Bytes}}, []int{0}
	}
	return l
}

func word(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// leaves appends those of the type at an address, which stands at an offset in field or element top
// of l's type, -1: it is that itself.
func (p *Program) leaves(l *Layout, addr, at uint64, top int) {
	t := p.at(addr)
	if len(t) < structFields+24 || len(l.Leaves) > front.MostLeaves {
		return
	}
	below := func(i int) int {
		if top < 0 {
			return i
		}
		return top
	}
	switch t[typeKind] & kindMask {
	case kindStruct:
		fields, n := p.at(word(t, structFields)), int(word(t, structFields+8))
		for i := range n {
			if len(fields) < (i+1)*fieldBytes {
				return
			}
			f := fields[i*fieldBytes:]
			if name := p.at(word(f, 0)); len(name) > 2 && name[1] == 1 && name[2] == '_' {
				continue
			}
			p.leaves(l, word(f, 8), at+word(f, 16), below(i))
		}
	case kindArray:
		element, n := word(t, typeEnd), word(t, typeEnd+16)
		e := p.at(element)
		if len(e) < typeEnd {
			return
		}
		each := word(e, typeSize)
		for i := uint64(0); i < n && each > 0 && len(l.Leaves) <= front.MostLeaves; i++ {
			p.leaves(l, element, at+i*each, below(int(i)))
		}
	default:
		if n := word(t, typeSize); n > 0 {
			l.Leaves = append(l.Leaves, front.Leaf{Offset: at, Bytes: n})
			l.tops = append(l.tops, below(0))
		}
	}
}
