// Package textfile checks that a text file is UTF-8, and decodes TOML with its lines. Decoders of JSON
// replace other bytes by U+FFFD, so that two names become one, and those of TOML refuse a byte order mark.
package textfile

import (
	"bytes"
	"fmt"
	"os"
	"unicode/utf8"

	"krdlab/hw/failure"
)

const mark = "\ufeff"

// An Error is a text in another encoding than UTF-8, or one that is no TOML.
type Error struct {
	File  string // "" where the caller names it
	Line  int
	Found string
	Want  string
}

// Error returns one line: file and line, what was found and what was expected.
func (e *Error) Error() string {
	what := fmt.Sprintf("found %s, expected %s", e.Found, e.Want)
	if e.File == "" {
		return what
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, what)
}

// Class implements [failure.Classed].
func (*Error) Class() failure.Class { return failure.Data }

// Start returns the length of the byte order mark that a text begins with, 0 for none. head is its
// first 3 bytes, or all of a shorter one. The error is an [*Error] for UTF-16, with a mark or, where
// the text begins with a character of ASCII, without.
func Start(head []byte) (int, error) {
	ascii := func(b byte) bool { return b == '\n' || b == '\r' || ' ' <= b && b < 0x7f }
	switch {
	case bytes.HasPrefix(head, []byte(mark)):
		return len(mark), nil
	case len(head) < 2:
	case head[0] == 0xff && head[1] == 0xfe, head[0] == 0xfe && head[1] == 0xff,
		ascii(head[0]) && head[1] == 0, head[0] == 0 && ascii(head[1]):
		return 0, &Error{Line: 1, Found: "UTF-16", Want: "UTF-8"}
	}
	return 0, nil
}

// UTF8 returns text without its byte order mark. The error is an [*Error] without a file.
func UTF8(text []byte) ([]byte, error) {
	n, err := Start(text)
	if err != nil {
		return nil, err
	}
	text = text[n:]
	line := 1
	for rest := text; !utf8.Valid(rest); line++ {
		var one []byte
		one, rest, _ = bytes.Cut(rest, []byte("\n"))
		if found := Bad(one); found != "" {
			return nil, &Error{Line: line, Found: found, Want: "UTF-8"}
		}
	}
	return text, nil
}

// Bad returns in words what of a line is no UTF-8, "" for nothing.
func Bad(line []byte) string {
	const around = 20 // bytes before and after
	for at := 0; at < len(line); {
		r, size := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && size == 1 {
			return fmt.Sprintf("bytes that are no UTF-8 in %q",
				line[max(0, at-around):min(len(line), at+around)])
		}
		at += size
	}
	return ""
}

// Open works like [os.Open], for a file that a person names: a device, such as /dev/zero, has no
// end, and is refused.
func Open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeDevice != 0 && path != os.DevNull {
		f.Close()
		if err == nil {
			err = failure.Errorf(failure.Request, "%s: it is a device, expected a file", path)
		}
		return nil, err
	}
	return f, nil
}

// mostGrown is how much room ReadFile makes for what a file has by its size, in bytes.
const mostGrown = 64 << 20

// ReadFile works like [os.ReadFile], for such a file.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if info, err := f.Stat(); err == nil {
		b.Grow(int(min(info.Size(), mostGrown)) + bytes.MinRead)
	}
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// Read works like ReadFile, for a text. Errors name the file, that of another encoding the line
// too.
func Read(path string) ([]byte, error) {
	b, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	b, err = UTF8(b)
	if e, ok := err.(*Error); ok {
		e.File = path
	}
	return b, err
}
