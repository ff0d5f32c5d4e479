//go:build !linux

package hw

import "fmt"

// ThreadCPUTime returns ErrUnsupported.
func ThreadCPUTime() (uint64, error) { return 0, fmt.Errorf("CPU time: %w", ErrUnsupported) }

// ProcessCPUTime returns ErrUnsupported.
func ProcessCPUTime() (uint64, error) { return 0, fmt.Errorf("CPU time: %w", ErrUnsupported) }
