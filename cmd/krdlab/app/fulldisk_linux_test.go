package app

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A disk with too little room for a cell ends the sweep, which records nothing as failed and goes
// on when there is room.
func TestSweepOnAFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("mount tmpfs: %v", err)
	}
	defer func() {
		if err := unix.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	}()
	exp := filepath.Join(disk, "exp")
	code, _, stderr := krdlab("sweep", "matmul", "--n", "64,512,128", "--leaf", "16x16x16",
		"--cores", "1", "--sched", "workfirst", "--machine", "native", "--reps", "1",
		"--warmup", "0", "--out", exp)
	if code != exitUsage || !strings.Contains(stderr, "krdlab: cell 0001-matmul-n512-c1-s1: ") ||
		!strings.HasSuffix(stderr, "; 1 of 3 cells are done; go on with: krdlab sweep resume "+
			exp+"\n") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if _, stdout, _ := krdlab("sweep", "status", exp); !strings.HasPrefix(stdout,
		"1 of 3 cells are done, 2 missing\n") {
		t.Errorf("afterwards: %s", stdout)
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", unix.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := krdlab("sweep", "resume", exp); code != exitOK {
		t.Errorf("with room: exit code %d\n%s", code, stderr)
	}
	if _, stdout, _ := krdlab("sweep", "status", exp); stdout != "3 of 3 cells are done\n" {
		t.Errorf("with room: %s", stdout)
	}
}
