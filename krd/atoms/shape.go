package atoms

import (
	"fmt"
	"math/bits"

	"krdlab/hw/failure"
)

// A Shape is the part of an object's bytes that an access covers: Rows rows of Bytes bytes each,
// whose beginnings are Stride bytes apart. With Rows of 0 or 1 it is one range, and Stride is not
// looked at. Shapes that cover the same bytes with the same rows are equal, and rows that touch
// each other (Stride = Bytes) are one range.
type Shape struct {
	Offset uint64 // of the first byte
	Bytes  uint64 // of each row, at least 1
	Stride uint64 // at least Bytes
	Rows   uint32
}

// MaxEnd is the largest offset of the end of a shape: addresses of an object are below it.
const MaxEnd = 1 << 62

// ErrShape is wrapped by the error of a shape that can be no access.
var ErrShape = failure.New(failure.Data, "invalid shape")

// ErrTooMany is wrapped by the error of more rows than can be numbered.
var ErrTooMany = failure.New(failure.Data, "too many rows")

// A ShapeError refuses a shape.
type ShapeError struct {
	Object int
	Shape  Shape
	What   string
}

// Error returns one line: the object, the shape, the fault.
func (e *ShapeError) Error() string {
	s := e.Shape
	if s.Rows <= 1 {
		return fmt.Sprintf("atoms: object %d, %d bytes at offset %d: %s", e.Object, s.Bytes,
			s.Offset, e.What)
	}
	return fmt.Sprintf("atoms: object %d, %d rows of %d bytes at offset %d with a stride of %d: %s",
		e.Object, s.Rows, s.Bytes, s.Offset, s.Stride, e.What)
}

// Class implements [failure.Classed].
func (*ShapeError) Class() failure.Class { return failure.Data }

// Unwrap returns [ErrShape].
func (e *ShapeError) Unwrap() error { return ErrShape }

// Check returns the fault of s as an access to object, a *[ShapeError], or nil.
func (s Shape) Check(object int) error {
	fail := func(what string) error { return &ShapeError{Object: object, Shape: s, What: what} }
	if object < 0 || uint64(object) > 1<<32-1 {
		return fail("the number of the object is not between 0 and 2^32-1")
	}
	if s.Bytes == 0 {
		return fail("no bytes, at least 1 expected")
	}
	end := s.Offset
	if s.Rows > 1 {
		if s.Stride < s.Bytes {
			return fail(
				"its rows overlap each other: the stride must be at least the bytes of a row")
		}
		over, skipped := bits.Mul64(uint64(s.Rows-1), s.Stride)
		if over != 0 || skipped > MaxEnd {
			return fail("it ends beyond offset 2^62")
		}
		end += skipped
	}
	// Offset and Bytes are looked at before they are added.
	if s.Offset > MaxEnd || s.Bytes > MaxEnd || end+s.Bytes > MaxEnd {
		return fail("it ends beyond offset 2^62")
	}
	return nil
}

// Size returns the number of bytes that s covers.
func (s Shape) Size() uint64 { return s.Bytes * uint64(max(s.Rows, 1)) }

// canonical returns the one shape that stands for all that cover the same bytes in the same way.
func (s Shape) canonical() Shape {
	if s.Rows > 1 && s.Stride == s.Bytes {
		s.Bytes *= uint64(s.Rows)
		s.Rows = 1
	}
	if s.Rows <= 1 {
		s.Rows, s.Stride = 1, 0
	}
	return s
}
