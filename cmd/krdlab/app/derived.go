package app

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/krd/plot"
	"krdlab/loi/dag"
)

// rederive writes a file that follows from others, such as a figure: beside path first, then in the
// place of one that krdlab made before. Anything else that is there is refused.
func rederive(path string, write func(io.Writer) error) error {
	if err := ownOrNone(path); err != nil {
		return err
	}
	return result.Rewrite(path, write)
}

// ownOrNone returns an error where path is something that krdlab did not derive.
func ownOrNone(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().IsRegular():
		if own, err := madeHere(path); own || err != nil {
			return err
		}
	}
	return usageError("%s exists already, krdlab did not make it, and it is not overwritten; "+
		"remove it, or choose another", path)
}

// pageMark is in the head of each page.
const pageMark = `<meta name="generator" content="krdlab`

// madeHere reports whether a file is a page, a figure or a schedule of krdlab's. Only where the
// mark of that kind stands is it looked for: others may have a figure in them.
func madeHere(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head, tail := make([]byte, 2048), make([]byte, 64)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return false, err
	}
	own := bytes.Contains(head[:n], []byte(pageMark)) ||
		bytes.HasPrefix(head[:n], []byte(dag.ScheduleHead+"\n"))
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	n, err = f.ReadAt(tail, max(0, size-int64(len(tail))))
	if err != nil && err != io.EOF {
		return false, err
	}
	return own || bytes.Contains(tail[:n], []byte(plot.Mark)), nil
}

// newFile checks before anything is done that a file can be made at path, which a flag named.
// Errors: it exists, its folder is none, or cannot be written.
func newFile(flag, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return usageError("--%s %s: it exists already and is never overwritten; choose another",
			flag, path)
	}
	return inFolder(flag, path)
}

// derivable does as newFile for a file that follows from others: krdlab may have made it before.
func derivable(flag, path string) error {
	if err := ownOrNone(path); err != nil {
		return err
	}
	return inFolder(flag, path)
}

// outFolder returns an error where the folder that the folder of --out is to stand in is not there:
// only [result.RunsDir] is made by the way. Other errors are found when it is made.
func outFolder(path string) error {
	dir := filepath.Dir(filepath.Clean(path))
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && dir != result.RunsDir {
		return fmt.Errorf("--out %s: there is no folder %s; make it, or choose another with --out",
			path, dir)
	}
	return nil
}

// inFolder returns an error where no file can be made in the folder of path.
func inFolder(flag, path string) error {
	dir := filepath.Dir(path)
	switch s, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--%s %s: there is no folder %s; make it, or choose another", flag, path,
			dir)
	case err != nil:
		return fmt.Errorf("--%s %s: %w", flag, path, err)
	case !s.IsDir():
		return fmt.Errorf("--%s %s: %s is no folder", flag, path, dir)
	}
	probe, err := os.CreateTemp(dir, ".krdlab-")
	if err != nil {
		return fmt.Errorf("--%s %s: nothing can be written into %s: %w", flag, path, dir,
			errors.Unwrap(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// writeFile writes a new file; a file that could not be completed is removed.
func writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return outError(path, err)
	}
	b := bufio.NewWriterSize(&untilDone{ctx, f}, 1<<16)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// untilDone is a writer that fails once the context is done.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u *untilDone) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(b)
}

// outError makes a file that exists a wrong request.
func outError(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return failure.Errorf(failure.Request, "--out %s: it exists already and is never "+
			"overwritten; choose another", path)
	}
	return err
}
