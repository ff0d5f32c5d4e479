//go:build amd64 && !race

package runtimes

import (
	"sync/atomic"
	"unsafe"
)

// On amd64 loads are not reordered with loads, nor stores with stores (Intel SDM 3A, 8.2.2), so that a store-release is a plain
// MOV. Go has only sequentially consistent stores, which are XCHG: about 3 ns each where it was measured, several times a fork. The Go compiler
// does not move stores to memory that has escaped across one another. The race detector and weaker machines take
// order_atomic.go instead.

func storeRelease64(p *atomic.Int64, v int64)   { *(*int64)(unsafe.Pointer(p)) = v }
func storeRelease32(p *atomic.Int32, v int32)   { *(*int32)(unsafe.Pointer(p)) = v }
func putSlot(s *slot, f *Frame, i int32)        { s.f, s.i = f, i }
func getSlot(s *slot) (*Frame, int32)           { return s.f, s.i }
func storeJoin(p *int32, v int32)               { *p = v }
func loadSignal(p *atomic.Uint32) (bits uint32) { return *(*uint32)(unsafe.Pointer(p)) }
