package hw

import (
	"sync/atomic"
	"unsafe"
)

// A store-release makes all that the goroutine has written before visible to whoever loads, with
// an atomic, the value that it stores. Go has only sequentially consistent stores, which on amd64
// are XCHG: about 3 ns each where it was measured, several times a fork, because it is a full fence
// as well. Nothing here is one: a later load may be done before the store is seen.
//
// On amd64 a plain MOV is a store-release: stores are not reordered with other stores, nor with
// earlier loads (Intel SDM 3A, 8.2.2). The compiler has to keep the order too. Go's does not move
// a store to memory that has escaped across another: in its intermediate form each store takes the
// state of memory that the one before it gives (adjacent constants may become one wider store).
// Its language does not promise that, so TestReleaseStores reads what it makes of these functions;
// it was checked with Go 1.26. The race detector, and other processors, get the atomic stores of
// sync/atomic instead (release_atomic.go).
//
// Loads need nothing of the kind: those of sync/atomic are plain on amd64.

// Int32 is an [atomic.Int32] with a store-release.
type Int32 struct{ atomic.Int32 }

// StoreRelease stores v.
func (p *Int32) StoreRelease(v int32) { StoreRelease32((*int32)(unsafe.Pointer(p)), v) }

// Int64 is an [atomic.Int64] with a store-release.
type Int64 struct{ atomic.Int64 }

// StoreRelease stores v.
func (p *Int64) StoreRelease(v int64) { StoreRelease64((*uint64)(unsafe.Pointer(p)), uint64(v)) }

// A value is stored through its first and only word.
var (
	_ [4]byte = [unsafe.Sizeof(Int32{})]byte{}
	_ [8]byte = [unsafe.Sizeof(Int64{})]byte{}
)
