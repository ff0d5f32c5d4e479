package app

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"krdlab/experiments/result"
	"krdlab/krd/plot"
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

// madeHere says whether a file is a page or a figure of krdlab's. Only where the mark of that kind
// stands is it looked for: others may have a figure in them.
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
	page := bytes.Contains(head[:n], []byte(pageMark))
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	n, err = f.ReadAt(tail, max(0, size-int64(len(tail))))
	if err != nil && err != io.EOF {
		return false, err
	}
	return page || bytes.Contains(tail[:n], []byte(plot.Mark)), nil
}
