package doctor

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// checkFallocate tries to get space for a file in folder without writing it.
func checkFallocate(folder string) Check {
	f := Check{Name: "fallocate here", Status: Good,
		Found: "space for traces can be had without writing it"}
	file, err := os.CreateTemp(folder, ".krdlab-doctor-")
	if err == nil {
		err = errors.Join(unix.Fallocate(int(file.Fd()), 0, 0, 1<<16), file.Close(),
			os.Remove(file.Name()))
	}
	switch {
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
		f.Found = "the file system does not have it"
		f.limit(Limited, writtenTwice)
	case err != nil:
		f.Found = "none"
		f.limit(Missing, noFile, oneLine(err))
	}
	return f
}
