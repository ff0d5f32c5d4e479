//go:build !linux

package collect

import (
	"os"
	"os/exec"

	"krdlab/hw"
)

func endWithParent(*exec.Cmd) {}

// Running is not known here.
func Running(string) int { return 0 }

func inForeground() bool { return false }

func anonymousFile(string) (*os.File, error) { return nil, hw.ErrUnsupported }
