package dataset

import (
	"strconv"
	"unicode/utf8"
)

// plain replaces in a JSON document each control character of a text by a space, and so directions
// of writing: names and warnings of an experiment from elsewhere go to terminals and into SVG,
// where they would be commands, or forbidden. Line ends are kept where lines is set. Other bytes,
// and what is no JSON, stay as they are. Cost: a pass over the document, which is changed.
func plain(doc []byte, lines bool) []byte {
	out := doc[:0]
	for len(doc) > 0 {
		n := 0
		for n < len(doc) && doc[n] != '\\' && doc[n] < 0x7f {
			n++
		}
		out, doc = append(out, doc[:n]...), doc[n:]
		if len(doc) == 0 {
			break
		}
		if doc[0] != '\\' {
			r, size := utf8.DecodeRune(doc)
			if control(r) {
				out = append(out, ' ')
			} else {
				out = append(out, doc[:size]...)
			}
			doc = doc[size:]
			continue
		}
		size, r := escape(doc)
		if control(r) && !(lines && r == '\n') {
			out = append(out, ' ')
		} else {
			out = append(out, doc[:size]...)
		}
		doc = doc[size:]
	}
	return out
}

// escape returns the length of the escape sequence of JSON that s begins with, and the character
// that it stands for.
func escape(s []byte) (size int, r rune) {
	if len(s) < 2 {
		return len(s), '\\'
	}
	switch s[1] {
	case 'b', 'f', 'n', 'r', 't':
		return 2, map[byte]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}[s[1]]
	case 'u':
		if len(s) >= 6 {
			if n, err := strconv.ParseUint(string(s[2:6]), 16, 16); err == nil {
				return 6, rune(n)
			}
		}
	}
	return 2, rune(s[1])
}

// control reports whether r is a control character (Unicode's Cc), turns the direction of writing,
// or is no character at all.
func control(r rune) bool {
	return r < ' ' || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e || 0x2066 <= r &&
		r <= 0x2069 || r == 0xfffe || r == 0xffff
}
