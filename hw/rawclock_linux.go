package hw

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// rawNS reads CLOCK_MONOTONIC_RAW in nanoseconds.
func rawNS() (int64, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &ts); err != nil {
		return 0, fmt.Errorf("read CLOCK_MONOTONIC_RAW: %w", err)
	}
	return ts.Nano(), nil
}
