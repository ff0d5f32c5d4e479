//go:build !linux

package hw

import "fmt"

// Affinity returns ErrUnsupported: this system has no affinity masks.
func Affinity() ([]int, error) {
	return nil, fmt.Errorf("read the affinity mask: %w",
		ErrUnsupported)
}

// Pin returns ErrUnsupported: this system has no affinity masks.
func Pin(cpu int) (restore func() error, err error) {
	return nil, fmt.Errorf("pin to CPU %d: %w", cpu, ErrUnsupported)
}
