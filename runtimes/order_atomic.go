//go:build !amd64 || race

package runtimes

import (
	"sync/atomic"
	"unsafe"
)

func storeRelease64(p *atomic.Int64, v int64) { p.Store(v) }
func storeRelease32(p *atomic.Int32, v int32) { p.Store(v) }

func putSlot(s *slot, f *Frame, i int32) {
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&s.f)), unsafe.Pointer(f))
	atomic.StoreInt32(&s.i, i)
}

func getSlot(s *slot) (*Frame, int32) {
	f := (*Frame)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&s.f))))
	return f, atomic.LoadInt32(&s.i)
}

func storeJoin(p *int32, v int32)               { atomic.StoreInt32(p, v) }
func loadSignal(p *atomic.Uint32) (bits uint32) { return p.Load() }
