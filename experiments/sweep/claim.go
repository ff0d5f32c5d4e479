package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"krdlab/hw/failure"
)

// A Holder is the process that works on something.
type Holder struct {
	Host  string    `json:"host"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

func (h Holder) String() string {
	if h.PID == 0 {
		return "a process that has not said who it is"
	}
	return fmt.Sprintf("process %d on %s, since %s", h.PID, h.Host,
		h.Since.Local().Format("2006-01-02 15:04:05"))
}

// A BusyError reports that another live process holds the lock.
type BusyError struct {
	What string
	By   Holder
}

func (e *BusyError) Error() string { return fmt.Sprintf("%s is in the hands of %s", e.What, e.By) }

// Class implements [failure.Classed].
func (*BusyError) Class() failure.Class { return failure.Request }

// ErrNoLocks records that the file system cannot tell who works on what.
var ErrNoLocks = failure.New(failure.Failed, "this file system has no locks")

// A claim is a lock that is held. See the package's comment.
type claim struct {
	f    *os.File
	path string
}

// attempts: a lock that is held for a moment by someone who only looks must not keep a worker away.
const (
	attempts = 5
	pause    = 20 * time.Millisecond
)

// named puts what was to be locked before an error that does not say where it happened.
func named(what string, err error) error {
	if _, ok := errors.AsType[*FolderError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

// take takes the lock of the file path, which it makes; what names it in errors. Errors: a
// *BusyError, with the holder; a *FolderError, if the file cannot be made.
func take(path, what string) (*claim, error) {
	for n := 1; ; n++ {
		c, err := try(path, unix.LOCK_EX|unix.LOCK_NB)
		var busy *BusyError
		switch {
		case errors.As(err, &busy) && n < attempts:
			time.Sleep(pause)
			continue
		case busy != nil:
			busy.What = what
			return nil, busy
		case err != nil:
			return nil, named(what, err)
		case c == nil:
			continue // the file was removed by its holder
		}
		host, _ := os.Hostname()
		b, err := json.Marshal(Holder{host, os.Getpid(), time.Now().UTC().Truncate(time.Second)})
		if err == nil {
			err = c.f.Truncate(0)
		}
		if err == nil {
			_, err = c.f.WriteAt(b, 0)
		}
		if err != nil {
			c.release()
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		return c, nil
	}
}

// wait takes the lock of the file path, however long that takes.
func wait(path, what string) (*claim, error) {
	for {
		c, err := try(path, unix.LOCK_EX)
		if err != nil {
			return nil, named(what, err)
		}
		if c != nil {
			return c, nil
		}
	}
}

// try returns nil, nil where the locked file is no longer the one of that name.
func try(path string, how int) (*claim, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
		var cause *fs.PathError
		errors.As(err, &cause)
		return nil, &FolderError{filepath.Dir(path), cause.Err}
	} else if err != nil {
		return nil, err
	}
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Flock(int(f.Fd()), how)
	}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		busy := &BusyError{By: holder(f)}
		f.Close()
		return nil, busy
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOLCK), errors.Is(err, unix.EOPNOTSUPP):
		f.Close()
		return nil, fmt.Errorf("%s: %w (%v): cells could be run twice; put the experiment on "+
			"another, or mount it with locks (NFS: a lock daemon, Lustre: flock)", path, ErrNoLocks,
			err)
	case err != nil:
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	mine, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if now, err := os.Stat(path); err != nil || !os.SameFile(mine, now) {
		f.Close()
		return nil, nil
	}
	return &claim{f, path}, nil
}

func holder(f *os.File) (h Holder) {
	b := make([]byte, 1024)
	n, _ := f.ReadAt(b, 0)
	if json.Unmarshal(b[:n], &h) != nil {
		return Holder{}
	}
	return h
}

// release removes the file and lets go of it.
func (c *claim) release() {
	os.Remove(c.path)
	c.f.Close()
}

// held returns who holds the lock of the file path; ok is false if nobody does. It never makes the
// file.
func held(path string) (by Holder, ok bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Holder{}, false, nil
	} else if err != nil {
		return Holder{}, false, err
	}
	defer f.Close()
	err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return holder(f), true, nil
	}
	return Holder{}, false, nil // it was that of a dead process; what cannot be locked is not held
}
