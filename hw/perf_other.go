//go:build !linux

package hw

import "fmt"

// OpenThread returns ErrUnsupported: this system has no perf_event.
func OpenThread(events ...Event) (Counters, error) {
	return nil, fmt.Errorf("open counters: %w", ErrUnsupported)
}
