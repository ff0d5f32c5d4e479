//go:build linux || darwin

package hw

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// FreeDisk returns the bytes that this user may still write to the file system of path. Of a path
// that does not exist yet the nearest existing parent is asked.
func FreeDisk(path string) (int64, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return 0, fmt.Errorf("free disk space at %s: %w", path, err)
	}
	for {
		var st unix.Statfs_t
		err := unix.Statfs(abs, &st)
		if err == nil {
			return int64(st.Bavail) * int64(st.Bsize), nil
		}
		parent := filepath.Dir(abs)
		if !errors.Is(err, fs.ErrNotExist) || parent == abs {
			return 0, fmt.Errorf("free disk space at %s: %w", abs, err)
		}
		abs = parent
	}
}
