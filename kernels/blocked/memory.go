package blocked

import (
	"errors"
	"fmt"
	"unsafe"

	"krdlab/hw"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// An Array is an object with its data, which is nil in a dry instance.
type Array[T any] struct {
	ID   loi.ObjectID
	Data []T
}

// NewArray adds an object of a shape to s, with memory as [Alloc] has it.
func NewArray[T any](s *Space, name string, shape Shape) Array[T] {
	var zero T
	n := shape.Bytes() / uint64(unsafe.Sizeof(zero))
	return Array[T]{s.Add(name, shape), Alloc[T](s, int(n))}
}

// In returns the parameter of a kernel that reads a block of the array; Out and InOut those of one
// that writes it, and that does both.
func (a Array[T]) In() loi.Param    { return loi.Param{Object: a.ID, Mode: loi.In} }
func (a Array[T]) Out() loi.Param   { return loi.Param{Object: a.ID, Mode: loi.Out} }
func (a Array[T]) InOut() loi.Param { return loi.Param{Object: a.ID, Mode: loi.InOut} }

// Alloc returns n zero elements in pages of their own, outside Go's heap, spread over the NUMA
// nodes of s.Env.Interleave; nil for a dry instance, and where [Space.Err] has an error. T holds no
// pointers. A kernel may say [kernel.Kernel.Placed] if all its large data is from Alloc.
func Alloc[T any](s *Space, n int) []T {
	if s.Env.Dry || s.err != nil {
		return nil
	}
	var zero T
	b, err := hw.Map(n * int(unsafe.Sizeof(zero)))
	if err == nil {
		s.mapped = append(s.mapped, b)
		err = Interleave(b, s.Env)
	}
	if s.err = err; err != nil {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// Interleave spreads the pages of b over the NUMA nodes of env.Interleave, if there are any. Errors
// are the system's.
func Interleave(b []byte, env kernel.Env) error {
	if env.Interleave == nil {
		return nil
	}
	if err := hw.Interleave(b, env.Interleave); err != nil {
		return fmt.Errorf("interleave pages over NUMA nodes %v: %w", env.Interleave, err)
	}
	return nil
}

// Err returns the first error of [Alloc], the system's; with one, all memory was given back.
func (s *Space) Err() error {
	if s.err != nil {
		s.Close()
	}
	return s.err
}

// Close gives all memory back.
func (s *Space) Close() error {
	var errs []error
	for _, b := range s.mapped {
		errs = append(errs, hw.Unmap(b))
	}
	s.mapped = nil
	return errors.Join(errs...)
}
