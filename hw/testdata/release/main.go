// Command release has each store-release of package hw between two plain stores, for
// TestReleaseStores to read.
package main

import "krdlab/hw"

const line = 64

type box struct {
	before uint64
	_      [line - 8]byte

	int32   hw.Int32
	int64   hw.Int64
	half    int32
	word    uint64
	pointer *box

	_     [line]byte
	after uint64
}

//go:noinline
func storeInt32(b *box, x uint64) {
	b.before = x
	b.int32.StoreRelease(int32(x))
	b.after = x
}

//go:noinline
func storeInt64(b *box, x uint64) {
	b.before = x
	b.int64.StoreRelease(int64(x))
	b.after = x
}

//go:noinline
func store32(b *box, x uint64) {
	b.before = x
	hw.StoreRelease32(&b.half, int32(x))
	b.after = x
}

//go:noinline
func store64(b *box, x uint64) {
	b.before = x
	hw.StoreRelease64(&b.word, x)
	b.after = x
}

//go:noinline
func storePointer(b *box, x uint64) {
	b.before = x
	hw.StoreReleasePointer(&b.pointer, b)
	b.after = x
}

func main() {
	b := new(box)
	storeInt32(b, 1)
	storeInt64(b, 2)
	store32(b, 3)
	store64(b, 4)
	storePointer(b, 5)
	println(b.before, b.after)
}
