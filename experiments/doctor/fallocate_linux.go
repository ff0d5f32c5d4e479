package doctor

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// checkFallocate tries to get space for a file in folder without writing it.
func checkFallocate(folder string) Finding {
	f := Finding{Name: "fallocate here", Status: Good,
		Found: "space for traces can be had without writing it"}
	file, err := os.CreateTemp(folder, ".krdlab-doctor-")
	if err == nil {
		err = errors.Join(unix.Fallocate(int(file.Fd()), 0, 0, 1<<16), file.Close(),
			os.Remove(file.Name()))
	}
	switch {
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
		f.Status, f.Found, f.Why = Limited, "the file system does not have it",
			"traces are written twice: zeros first"
		f.Help = "a folder on ext4, XFS, Btrfs or tmpfs, with --out"
	case err != nil:
		f.Status, f.Found, f.Why, f.Help = Missing, "no file can be made in the current folder",
			oneLine(err), "another folder, with --out"
	}
	return f
}
