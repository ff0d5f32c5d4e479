// Package scratch makes temporary folders, and removes those of processes that were killed.
package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// lockFile is in each folder, and locked (flock) as long as its process lives.
const lockFile = ".krdlab-lock"

// A Folder is a temporary folder of this process.
type Folder struct {
	Path string
	lock *os.File
}

// Make makes a folder in parent, "" for the system's temporary folder, whose name begins with
// prefix. Before that it removes those of that kind there that this user's dead processes left:
// those whose lock can be taken. A folder without a lock file is left alone.
func Make(parent, prefix string) (*Folder, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	sweep(parent, prefix)
	for {
		path, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return nil, err
		}
		f, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(path))
		}
		switch err := lock(f); {
		case errors.Is(err, unix.EWOULDBLOCK): // another process has it for one of a dead process
		case err != nil && !noLocks(err):
			return nil, errors.Join(err, f.Close(), os.RemoveAll(path))
		case err != nil:
			// The lock cannot be taken: the folder is left alone.
			return &Folder{path, f}, nil
		case same(f, filepath.Join(path, lockFile)):
			return &Folder{path, f}, nil
		}
		f.Close()
	}
}

// Lend runs f. Files of processes that f starts and leaves behind are removed once these have
// ended, and not before: until then they have the lock too.
func (d *Folder) Lend(f func() error) error {
	set := func(flag int) error {
		_, err := unix.FcntlInt(d.lock.Fd(), unix.F_SETFD, flag)
		return os.NewSyscallError("fcntl", err)
	}
	if err := set(0); err != nil {
		return err
	}
	return errors.Join(f(), set(unix.FD_CLOEXEC))
}

// Remove removes the folder and all that is in it.
func (d *Folder) Remove() error {
	return errors.Join(removeAll(d.Path), d.lock.Close())
}

// removeAll removes the lock file last: after a kill in between, the rest can still be removed.
func removeAll(path string) error {
	list, _ := os.ReadDir(path)
	for _, e := range list {
		if e.Name() != lockFile {
			if err := os.RemoveAll(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(path)
}

func sweep(parent, prefix string) {
	list, _ := os.ReadDir(parent)
	for _, e := range list {
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) {
			removeDead(filepath.Join(parent, e.Name()))
		}
	}
}

// removeDead removes the folder of a process of this user that has died.
func removeDead(path string) {
	f, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer f.Close()
	var folder, file unix.Stat_t
	if unix.Lstat(path, &folder) != nil || unix.Fstat(int(f.Fd()), &file) != nil ||
		folder.Mode&unix.S_IFMT != unix.S_IFDIR || int(folder.Uid) != os.Geteuid() ||
		int(file.Uid) != os.Geteuid() {
		return
	}
	if lock(f) == nil && same(f, filepath.Join(path, lockFile)) {
		removeAll(path)
	}
}

// lock takes the lock of a file, which ends with the file's last descriptor.
func lock(f *os.File) (err error) {
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	return err
}

func noLocks(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOLCK) ||
		errors.Is(err, unix.EOPNOTSUPP)
}

// same reports whether path is still the file f.
func same(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}
