//go:build !linux

package hw

// rawNS stands in for CLOCK_MONOTONIC_RAW: the runtime's monotonic clock in nanoseconds.
func rawNS() (int64, error) { return int64(monotonicTicks()), nil }
