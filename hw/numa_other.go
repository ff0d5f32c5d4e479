//go:build !linux

package hw

import "fmt"

func adviseHuge([]byte) {}

// Interleave returns ErrUnsupported: this system has no memory policies.
func Interleave(b []byte, nodes []int) error {
	return fmt.Errorf("interleave %d bytes: %w", len(b), ErrUnsupported)
}
