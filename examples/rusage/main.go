// Command rusage runs a program, and writes at the end its time in ns and its peak memory in bytes
// to a file:
//
//	rusage FILE PROGRAM ARGS
//
// The peak that Linux counts for a process (ru_maxrss) begins with that of the one that starts it:
// a large process has a small one like this start what it measures.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rusage:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("expected FILE PROGRAM ARGS, found %q", args)
	}
	c := exec.Command(args[1], args[2:]...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	began := time.Now()
	if err := c.Run(); err != nil {
		return err
	}
	took := time.Since(began)
	u, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return fmt.Errorf("%T is no rusage", c.ProcessState.SysUsage())
	}
	return os.WriteFile(args[0], fmt.Appendf(nil, "%d %d\n", took.Nanoseconds(), u.Maxrss<<10), 0o666)
}
