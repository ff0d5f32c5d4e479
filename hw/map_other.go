//go:build !unix

package hw

import "fmt"

// Map returns ErrUnsupported: this system has no mmap.
func Map(n int) ([]byte, error) { return nil, fmt.Errorf("map %d bytes: %w", n, ErrUnsupported) }

// Unmap returns ErrUnsupported: this system has no mmap.
func Unmap(b []byte) error { return fmt.Errorf("unmap %d bytes: %w", len(b), ErrUnsupported) }

// TryMap returns nil: without mmap nothing is known beforehand.
func TryMap(uint64) error { return nil }
