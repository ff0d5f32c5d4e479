package imports

import (
	"bytes"
	"io"
)

const (
	maxLine   = 1 << 20 // bytes of a line
	readBytes = 256 << 10
)

// blocks cuts an input into large pieces that begin with a line.
type blocks struct {
	in   io.Reader
	fail func(error) error // what a failed read means
	buf  []byte            // of maxLine + readBytes bytes and room for one more
	end  int               // of what is in buf
	eof  bool
}

func newBlocks(in io.Reader, fail func(error) error) *blocks {
	return &blocks{in: in, fail: fail, buf: make([]byte, maxLine+readBytes, maxLine+readBytes+1)}
}

// next reads on. It returns the last kept bytes again, which the caller could not use yet, and the
// bytes after them. last: this is all; it then ends with a line feed even if the input does not.
// The bytes are valid until the next call. Where kept is more than maxLine, a line without an end
// is too long; the caller reports that.
func (b *blocks) next(kept int) (data []byte, last bool, err error) {
	copy(b.buf, b.buf[b.end-kept:b.end])
	b.end = kept
	stop := min(kept+readBytes, len(b.buf))
	for b.end < stop && !b.eof {
		n, err := b.in.Read(b.buf[b.end:stop])
		b.end += n
		if err == io.EOF {
			b.eof = true
		} else if err != nil {
			return nil, false, b.fail(err)
		}
	}
	if b.eof && b.end > 0 && b.buf[b.end-1] != '\n' {
		b.buf = b.buf[:max(len(b.buf), b.end+1)]
		b.buf[b.end] = '\n'
		b.end++
	}
	return b.buf[:b.end], b.eof, nil
}

// eachLine calls line with each line of the input without its end (LF or CRLF) and the white space
// before it, and its number from 1.
func (b *blocks) eachLine(line func(number uint64, text []byte) error) error {
	var number uint64
	kept := 0
	for {
		if kept > maxLine {
			return tooLong(number + 1)
		}
		data, last, err := b.next(kept)
		if err != nil {
			return err
		}
		for {
			i := bytes.IndexByte(data, '\n')
			if i < 0 {
				break
			}
			text := data[:i]
			if i > 0 && text[i-1] <= ' ' {
				text = bytes.TrimRight(bytes.TrimSuffix(text, []byte{'\r'}), " \t")
			}
			number++
			if i > maxLine {
				return tooLong(number)
			}
			if err := line(number, text); err != nil {
				return err
			}
			data = data[i+1:]
		}
		if last {
			return nil
		}
		kept = len(data)
	}
}

func tooLong(line uint64) error {
	return fault(line, "", "a line of more than %d bytes", maxLine)
}
