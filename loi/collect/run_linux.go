package collect

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// endWithParent makes the kernel kill cmd if this process dies: its chunks would not be emptied.
func endWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

// anonymousFile makes a file in memory that has no name in any file system.
func anonymousFile(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// cpuTime returns a function that returns the CPU time of all threads of a process so far; where
// the kernel does not tell another's, the time since now.
func cpuTime(pid int) func() time.Duration {
	began := time.Now()
	clock := int32(^pid<<3 | 2) // clock_getcpuclockid(3)
	var last time.Duration
	return func() time.Duration {
		var t unix.Timespec
		if err := unix.ClockGettime(clock, &t); err == nil {
			last = time.Duration(t.Nano())
		} else if last == 0 {
			return time.Since(began)
		}
		return last // also of one that has ended
	}
}

// inForeground reports whether this process, and so what it has started, gets the signals of a
// terminal.
func inForeground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// Running returns how many processes there are, of those that this user may look at, whose program
// is the file binary.
func Running(binary string) (n int) {
	file, err := os.Stat(binary)
	if err != nil {
		return 0
	}
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if other, err := os.Stat(link); err == nil && os.SameFile(file, other) {
			n++
		}
	}
	return n
}
