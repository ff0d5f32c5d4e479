package app

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"krdlab/experiments/sweep"
	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
)

// sweepArgs is a sweep of eight cells, of some hundredths of a second each, or tenths.
func sweepArgs(out string) []string {
	return []string{"sweep", "matmul", "--n", long.Or("256", "512"), "--seed", "1,2",
		"--cores", "1,6,12,24", "--sched", long.Or("workfirst,shepherd-socket", "all"),
		"--machine", "westmere-ex-4s", "--reps", "8", "--out", out}
}

// waitFor waits until a glob matches n files or folders.
func waitFor(t *testing.T, pattern string, n int, what string) {
	t.Helper()
	for end := hwtest.Deadline(t); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if found, err := filepath.Glob(pattern); err != nil {
			t.Fatal(err)
		} else if len(found) >= n {
			return
		}
	}
	t.Fatalf("%s: nothing came until the tests had to end", what)
}

// A sweep that is interrupted by a signal, then killed with a cell in flight, and then gone on with
// twice by the same command has the same tables, byte for byte, as one that was left alone.
func TestSweepInterruptedTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole, broken := filepath.Join(dir, "whole"), filepath.Join(dir, "broken")
	if out, err := exec.Command("krdlab", sweepArgs(whole)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	start := func() (*exec.Cmd, *bytes.Buffer) {
		c := exec.Command("krdlab", sweepArgs(broken)...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c, &stderr
	}
	// interrupt does both, and returns whether they came in time: the sweep may be done before,
	// where this process gets too little of the machine.
	interrupt := func() bool {
		cells := filepath.Join(broken, "cells")
		first, stderr := start()
		waitFor(t, filepath.Join(cells, "*-s[12]"), 1, "the first cell")
		if err := first.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		first.Wait()
		done, err := filepath.Glob(filepath.Join(cells, "*-s[12]"))
		if err != nil {
			t.Fatal(err)
		}
		if len(done) >= 7 { // there must be one more, and one in flight
			return false
		}
		if code := first.ProcessState.ExitCode(); code != exitInterrupted ||
			!strings.Contains(stderr.String(), "go on with: krdlab sweep resume "+broken) {
			t.Fatalf("exit code %d, expected %d:\n%s", code, exitInterrupted, stderr)
		}

		second, _ := start()
		waitFor(t, filepath.Join(cells, "*-s[12]"), len(done)+1, "one more cell")
		if err := second.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		for { // a step at a time, so that none is missed
			found, err := filepath.Glob(filepath.Join(cells, "*.partial", "manifest.json"))
			all, allErr := filepath.Glob(filepath.Join(cells, "*-s[12]"))
			if err := errors.Join(err, allErr); err != nil {
				t.Fatal(err)
			}
			if len(found) > 0 || len(all) == 8 || time.Now().After(hwtest.Deadline(t)) {
				break
			}
			second.Process.Signal(syscall.SIGCONT)
			time.Sleep(time.Millisecond)
			second.Process.Signal(syscall.SIGSTOP)
		}
		if err := second.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		second.Wait()
		s, err := sweep.NewStatus(broken)
		if err != nil || len(s.InFlight) > 0 || s.Sweeping != nil {
			t.Fatalf("after the kill: %+v, %v", s, err)
		}
		return len(s.Done) < 8 && len(s.Partial) > 0
	}
	for tries := 1; !interrupt(); tries++ {
		t.Logf("try %d: the sweep was faster", tries)
		if tries == 20 {
			t.Fatal("20 sweeps were done before they could be interrupted twice")
		}
		broken = filepath.Join(dir, fmt.Sprint("broken", tries))
	}

	for range 2 { // the second has nothing to do
		if out, err := exec.Command("krdlab", sweepArgs(broken)...).CombinedOutput(); err != nil ||
			!strings.Contains(string(out), "going on with "+broken) {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, table := range sweep.Tables {
		a, err := os.ReadFile(filepath.Join(whole, table))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(broken, table))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s differs: %d bytes, %d after two interrupts", table, len(a), len(b))
		}
	}
	left, err := filepath.Glob(filepath.Join(broken, "cells", "*.[a-z]*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
