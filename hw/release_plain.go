//go:build amd64 && !race

package hw

// StoreRelease32 stores v at p with release order.
func StoreRelease32(p *int32, v int32) { *p = v }

// StoreRelease64 stores v at p with release order.
func StoreRelease64(p *uint64, v uint64) { *p = v }

// StoreReleasePointer stores v at p with release order.
func StoreReleasePointer[T any](p **T, v *T) { *p = v }
