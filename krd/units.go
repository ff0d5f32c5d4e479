package krd

import (
	"fmt"
	"math/bits"
	"slices"

	"krdlab/hw/failure"
	"krdlab/krd/atoms"
	"krdlab/loi"
)

// A numbering numbers what accesses touch, densely from 0: registered blocks as they are
// registered, keyed blocks as they are first seen, and of address spaces the atoms. It belongs to
// one analysis.
type numbering struct {
	trace *loi.Trace
	atoms *atoms.Map // nil: no object is an address space
	bytes []uint64   // by unit
	keyed []map[uint64]uint32
	total uint64
	first uint32 // the first atom
	found []uint32
}

func newNumbering(t *loi.Trace, sizes []uint64, m *atoms.Map) (*numbering, error) {
	u := &numbering{trace: t, atoms: m, keyed: make([]map[uint64]uint32,
		len(t.Header.Registry.Objects))}
	u.bytes = append(u.bytes, sizes...)
	u.first = uint32(len(u.bytes))
	if m != nil {
		if uint64(len(u.bytes))+uint64(m.Len()) > maxBlocks {
			return nil, fmt.Errorf("krd: the trace has %d blocks and %d atoms, expected at most %d",
				len(u.bytes), m.Len(), maxBlocks)
		}
		for i := range m.Len() {
			u.bytes = append(u.bytes, m.Bytes(uint32(i)))
		}
	}
	for _, b := range u.bytes {
		if u.total = sumBytes(u.total, b); u.total >= maxTotal {
			return nil, tooLarge()
		}
	}
	return u, nil
}

// of returns the units that a touches, valid until the next call.
func (u *numbering) of(a *loi.Access) ([]uint32, error) {
	u.found = u.found[:0]
	o := &u.trace.Header.Registry.Objects[a.Object]
	switch o.Kind {
	case loi.Partition:
		u.found = append(u.found, u.trace.BlockBase(a.Object)+uint32(a.Block))
	case loi.Span:
		u.found = u.atoms.Append(u.found, int(a.Object), shapeOf(a))
		for i := range u.found {
			u.found[i] += u.first
		}
	case loi.Keyed:
		m := u.keyed[a.Object]
		if m == nil {
			m = make(map[uint64]uint32)
			u.keyed[a.Object] = m
		}
		n, ok := m[a.Block]
		if !ok {
			if len(u.bytes) == maxBlocks {
				return nil, fmt.Errorf("krd: the trace touches more than %d blocks", maxBlocks)
			}
			n = uint32(len(u.bytes))
			m[a.Block] = n
			u.bytes = append(u.bytes, a.Bytes)
			if u.total = sumBytes(u.total, a.Bytes); u.total >= maxTotal {
				return nil, tooLarge()
			}
		} else if u.bytes[n] != a.Bytes {
			return nil, sizeError(o.Name, a.Block, u.bytes[n], a.Bytes)
		}
		u.found = append(u.found, n)
	}
	return u.found, nil
}

// Units numbers what the accesses of a trace touch, as [Analyze] does where it takes them one by
// one: registered and keyed blocks, and atoms of address spaces.
type Units struct{ of *numbering }

// NewUnits returns a numbering for a trace, after a pass over it if it has address spaces. Errors:
// [ErrTooLarge], those of package atoms and of [loi.Trace.Ordered].
func NewUnits(t *loi.Trace) (*Units, error) {
	sizes, err := blockSizes(t)
	if err != nil {
		return nil, err
	}
	var m *atoms.Map
	if hasSpans(&t.Header.Registry) {
		if m, err = cut(t, false, nil); err != nil {
			return nil, err
		}
	}
	u, err := newNumbering(t, sizes, m)
	return &Units{u}, err
}

func hasSpans(r *loi.Registry) bool {
	return slices.ContainsFunc(r.Objects, func(o loi.Object) bool { return o.Kind == loi.Span })
}

// Of returns the units that an access touches, valid until the next call. Errors: a [*SizeError],
// [ErrTooLarge].
func (u *Units) Of(a *loi.Access) ([]uint32, error) { return u.of.of(a) }

// Bytes returns the size of a unit.
func (u *Units) Bytes(unit uint32) uint64 { return u.of.bytes[unit] }

// sumBytes returns a + b, or the largest number if that is larger.
func sumBytes(a, b uint64) uint64 {
	s, carry := bits.Add64(a, b, 0)
	return s | -carry
}

// A SizeError is a block whose size changes.
type SizeError struct {
	Object        string
	Block         uint64
	Before, Bytes uint64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("krd: block %d of object %q has %d bytes here and had %d before; a block "+
		"keeps its size, or its object is an address space whose ranges are split into atoms",
		e.Block, e.Object, e.Bytes, e.Before)
}

// Class implements [failure.Classed].
func (*SizeError) Class() failure.Class { return failure.Data }

func sizeError(object string, block, before, now uint64) error {
	return &SizeError{Object: object, Block: block, Before: before, Bytes: now}
}

func shapeOf(a *loi.Access) atoms.Shape {
	return atoms.Shape{Offset: a.Block, Bytes: a.Bytes, Rows: a.Rows, Stride: a.Stride}
}

// cut goes through all accesses to address spaces of t and splits these into atoms, ordered ones if
// they are asked for. nil if there are none.
func cut(t *loi.Trace, ordered bool, p *loi.Progress) (*atoms.Map, error) {
	c := atoms.Cutter{Ordered: ordered}
	for x, err := range t.Ordered(loi.Order{ByWorker: true, AllowLoss: true, Progress: p}) {
		if err != nil {
			return nil, err
		}
		list := x.Accesses()
		for i := range list {
			o := &t.Header.Registry.Objects[list[i].Object]
			if o.Kind != loi.Span {
				continue
			}
			if err := c.Add(int(list[i].Object), shapeOf(&list[i])); err != nil {
				return nil, fmt.Errorf("krd: worker %d, the kernel that began at tick %d, object %q: %w",
					x.Worker, x.Record.Start, o.Name, err)
			}
		}
	}
	a, err := c.Atoms()
	if err != nil {
		return nil, fmt.Errorf("krd: %w", err)
	}
	return a, nil
}
