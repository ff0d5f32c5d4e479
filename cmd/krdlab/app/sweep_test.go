package app

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"krdlab/experiments/sweep"
)

// sweepArgs is a sweep of eight cells, of some tenths of a second each.
func sweepArgs(out string) []string {
	return []string{"sweep", "matmul", "--n", "512", "--seed", "1,2", "--cores", "1,6,12,24",
		"--sched", "all", "--machine", "westmere-ex-4s", "--reps", "8", "--out", out}
}

// waitFor waits until a glob matches n files or folders.
func waitFor(t *testing.T, pattern string, n int, what string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if found, err := filepath.Glob(pattern); err != nil {
			t.Fatal(err)
		} else if len(found) >= n {
			return
		}
	}
	t.Fatalf("%s: nothing for a minute", what)
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
	cells := filepath.Join(broken, "cells")

	first, stderr := start()
	waitFor(t, filepath.Join(cells, "*-s[12]"), 1, "the first cell")
	if err := first.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	first.Wait()
	if code := first.ProcessState.ExitCode(); code != exitInterrupted ||
		!strings.Contains(stderr.String(), "go on with: krdlab sweep resume "+broken) {
		t.Fatalf("exit code %d, expected %d:\n%s", code, exitInterrupted, stderr)
	}
	done, err := filepath.Glob(filepath.Join(cells, "*-s[12]"))
	if err != nil || len(done) == 8 {
		t.Fatalf("%d cells were done when it was interrupted, %v", len(done), err)
	}

	second, _ := start()
	waitFor(t, filepath.Join(cells, "*-s[12]"), len(done)+1, "one more cell")
	waitFor(t, filepath.Join(cells, "*.partial", "manifest.json"), 1, "a cell in flight")
	if err := second.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	second.Wait()
	s, err := sweep.NewStatus(broken)
	if err != nil || len(s.Done) == 8 || len(s.InFlight) > 0 || s.Sweeping != nil {
		t.Fatalf("after the kill: %+v, %v", s, err)
	}
	if len(s.Partial) == 0 {
		t.Errorf("the kill hit no cell in flight: %+v", s)
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
	if left, err := filepath.Glob(filepath.Join(cells, "*.[a-z]*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
