package goprogram

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"krdlab/hw/failure"
	"krdlab/loi/collect"
)

// smallDisk mounts a file system of the given size in memory, or skips the test.
func smallDisk(t *testing.T, bytes string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+bytes); err != nil {
		t.Skipf("mount tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// empty fails unless there is nothing in a folder.
func empty(t *testing.T, dir string) {
	t.Helper()
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("%v, %v is left", err, list)
	}
}

// A trace that the disk has no room for is an error of krdlab, not of the program, and removed.
func TestFullDisk(t *testing.T) {
	for _, x := range []struct {
		name, disk, until string
		ended             bool
	}{
		{"while it runs", "2m", "never", true},
		{"at its end", "72k", "900", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			dir := smallDisk(t, x.disk)
			file := filepath.Join(dir, "x.loi")
			d, _, err := trace(t, Data, "filling", func(r *Request) {
				r.Trace, r.Args = file, []string{x.until}
			})
			if d != nil || !errors.Is(err, unix.ENOSPC) || errors.Is(err, ErrProgram) ||
				failure.Of(err) != failure.Failed || errors.Is(err, collect.ErrEnded) != x.ended {
				t.Fatalf("%+v, error %v", d, err)
			}
			want := "writing the trace to " + file + " failed: no space left on device; "
			if x.ended {
				want += collect.ErrEnded.Error() + "; "
			}
			want += "what was written of it is removed"
			if !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "partial") {
				t.Errorf("error %v, expected %s", err, want)
			}
			empty(t, dir)
		})
	}
}

// A result for which there is no room is there, and no half of a run directory.
func TestFullDiskOfRunDirectory(t *testing.T) {
	dir := smallDisk(t, "8k")
	d, _, err := trace(t, Data, "basket", func(r *Request) { r.Out = filepath.Join(dir, "run") })
	if d == nil || d.KRD == nil || d.Dir != "" || !errors.Is(err, unix.ENOSPC) ||
		errors.Is(err, ErrProgram) || strings.Contains(err.Error(), "partial") {
		t.Errorf("%+v, error %v", d, err)
	}
	empty(t, dir)
}

// A program that replaces this one is not traced, and the result has a warning.
func TestBecomesAnother(t *testing.T) {
	for _, x := range []struct {
		name, out string
		replaced  bool
		running   int
	}{
		{"no other", "others\n", false, 0},
		{"exec", "others\nother\n", true, 0},
		{"exec that fails", "others\n", false, 0},
		{"daemon", "others\nPID\n", false, 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			d, out, err := trace(t, Data, "unusual", func(r *Request) { r.Args = []string{x.name} })
			if err != nil {
				t.Fatal(err)
			}
			if x.running > 0 {
				pid, err := strconv.Atoi(strings.Fields(out)[1])
				if err != nil {
					t.Fatal(err)
				}
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Errorf("the daemon: %v", err)
				}
				out = strings.Replace(out, strconv.Itoa(pid), "PID", 1)
			}
			if d.Replaced != x.replaced || d.LeftRunning != x.running || out != x.out {
				t.Errorf("replaced %v, left running %d, output %q", d.Replaced, d.LeftRunning, out)
			}
			if said := strings.Contains(strings.Join(d.Warnings, "\n"),
				"not traced"); said != (x.replaced || x.running > 0) {
				t.Errorf("warnings %q", d.Warnings)
			}
			if n := part(t, d.Functions, "main.main").Accesses; n < 200 {
				t.Errorf("%d accesses, expected 200 at least", n)
			}
		})
	}
}
