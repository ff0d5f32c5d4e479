//go:build !linux

package loi

import "os"

// allocate gives f real space for n bytes at off, which lie past all that has been written; they
// read as zeros.
func allocate(f *os.File, off, n int64) error { return writeZeros(f, off, n) }

// fill does nothing: allocate writes zeros.
func fill(*os.File, int64, int64) {}

// prefault makes the pages of a fresh mapping writable without a fault.
func prefault(b []byte) { touch(b) }
