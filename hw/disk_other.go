//go:build !linux && !darwin

package hw

import "fmt"

// FreeDisk returns ErrUnsupported.
func FreeDisk(path string) (int64, error) {
	return 0, fmt.Errorf("free disk space at %s: %w", path, ErrUnsupported)
}
