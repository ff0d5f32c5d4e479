//go:build !linux

package collect

import (
	"os"
	"os/exec"
	"time"

	"krdlab/hw"
)

func endWithParent(*exec.Cmd) {}

// Running returns 0: it is not known here.
func Running(string) int { return 0 }

func inForeground() bool { return false }

func anonymousFile(string) (*os.File, error) { return nil, hw.ErrUnsupported }

// cpuTime returns a function that returns the time since now: CPU time is known on Linux alone.
func cpuTime(int) func() time.Duration {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}
