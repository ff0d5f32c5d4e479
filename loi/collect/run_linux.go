package collect

import (
	"os/exec"
	"syscall"
)

// endWithParent has the kernel kill cmd if this process dies: nobody would empty its chunks.
func endWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
