package app

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// withoutOverride runs f on a thread that may not write where modes forbid it, even where the tests
// are run by root.
func withoutOverride(t *testing.T, f func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and ends so: the thread goes with what it may not do
		head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var data [2]unix.CapUserData
		err := unix.Capget(&head, &data[0])
		if err == nil {
			data[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
			err = unix.Capset(&head, &data[0])
		}
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Skipf("the right to write everywhere cannot be given up: %v", err)
	}
}

// A sweep in a folder that cannot be written prints so, once, and its progress: cells that are done
// are read all the same.
func TestUnwritableSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "exp")
	if code, _, stderr := krdlab("sweep", "fib", "--n", "5,6", "--cores", "1", "--reps", "1",
		"--out", dir); code != 0 {
		t.Fatal(code, stderr)
	}
	if err := os.RemoveAll(filepath.Join(dir, "cells", "0001-fib-n6-c1-s1")); err != nil {
		t.Fatal(err)
	}
	closed := func(folder string) {
		if err := os.Chmod(folder, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(folder, 0o777) })
	}
	closed(filepath.Join(dir, "cells"))
	for _, folder := range []string{filepath.Join(dir, "cells"), dir} {
		closed(folder)
		withoutOverride(t, func() {
			code, _, stderr := krdlab("sweep", "resume", dir)
			want := "krdlab: the folder " + folder + " cannot be written: permission denied; 1 " +
				"of 2 cells are done; when it can be written, go on with: krdlab sweep resume " +
				dir + "\n"
			if code != exitFailed || stderr != want {
				t.Errorf("resume: exit code %d\n%s\nwant\n%s", code, stderr, want)
			}
			if code, stdout, stderr := krdlab("sweep", "status", dir); code != 0 ||
				!strings.HasPrefix(stdout, "1 of 2 cells are done, 1 missing\n") {
				t.Errorf("status: exit code %d\n%s%s", code, stdout, stderr)
			}
			if code, _, stderr := krdlab("sweep", "exec", "--plan", dir, "--index",
				"1"); code != exitFailed ||
				!strings.HasSuffix(stderr, "cells cannot be written: permission denied\n") {
				t.Errorf("exec: exit code %d\n%s", code, stderr)
			}
		})
	}
	withoutOverride(t, func() {
		if code, _, stderr := krdlab("sweep", "collect", dir); code != exitFailed ||
			stderr != "krdlab: the folder "+dir+" cannot be written: permission denied\n" {
			t.Errorf("collect: exit code %d\n%s", code, stderr)
		}
	})
}
