package blocked

import (
	"errors"
	"fmt"
	"unsafe"

	"krdlab/hw"
	"krdlab/kernels/kernel"
)

// Memory is what an instance has allocated. An instance that embeds one has [kernel.Instance]'s
// Close, and may say [kernel.Kernel.Placed] if all its large data is from [Alloc].
type Memory struct{ mapped [][]byte }

// Alloc returns n zero elements in pages of their own, outside Go's heap, spread over the NUMA
// nodes of env.Interleave; nil for a dry instance. T holds no pointers. Errors are the system's.
func Alloc[T any](m *Memory, env kernel.Env, n int) ([]T, error) {
	if env.Dry {
		return nil, nil
	}
	var zero T
	b, err := hw.Map(n * int(unsafe.Sizeof(zero)))
	if err != nil {
		return nil, err
	}
	m.mapped = append(m.mapped, b)
	if env.Interleave != nil {
		if err := hw.Interleave(b, env.Interleave); err != nil {
			return nil, fmt.Errorf("interleave pages over NUMA nodes %v: %w", env.Interleave, err)
		}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n), nil
}

// Close gives all of it back.
func (m *Memory) Close() error {
	var errs []error
	for _, b := range m.mapped {
		errs = append(errs, hw.Unmap(b))
	}
	m.mapped = nil
	return errors.Join(errs...)
}
