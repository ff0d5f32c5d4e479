package text

import (
	"fmt"
	"strings"

	"krdlab/krd/analysis/interleave/engine"
)

// A token is a word, a number, a sign or the end of a line ("\n") or of the text ("").
type token struct {
	engine.Position
	text string
}

// name reports whether t is a word that may be a name.
func (t token) name() bool { return letter(t.text) && !keywords[t.text] }

func letter(s string) bool {
	return s != "" && (s[0] == '_' || s[0]|32 >= 'a' && s[0]|32 <= 'z')
}

func digit(b byte) bool { return b >= '0' && b <= '9' }

var keywords = map[string]bool{"thread": true, "shared": true, "input": true, "in": true, "r": true,
	"w": true, "rw": true, "if": true, "else": true, "lock": true, "unlock": true, "barrier": true,
	"fork": true, "join": true}

// signs are those of two characters, then those of one.
var signs = strings.Fields("== != <= >= && || + - * / % < > ! = { } ( ) , ; :")

// scan cuts a text into tokens. It panics with an [Error].
func scan(text string) (list []token) {
	at := engine.Position{Line: 1, Column: 1}
	for len(text) > 0 {
		n := 1
		switch c := text[0]; {
		case c == '\n':
			list = append(list, token{at, "\n"})
			at = engine.Position{Line: at.Line + 1, Column: 1}
			text = text[1:]
			continue
		case c == ' ' || c == '\t' || c == '\r':
		case c == '#':
			if n = strings.IndexByte(text, '\n'); n < 0 {
				n = len(text)
			}
		case letter(text) || digit(c):
			for n < len(text) && (letter(text[n:]) || digit(text[n])) {
				n++
			}
			list = append(list, token{at, text[:n]})
		default:
			n = 0
			for _, s := range signs {
				if strings.HasPrefix(text, s) {
					n = len(s)
					break
				}
			}
			if n == 0 {
				panic(&Error{at, fmt.Sprintf("%q is no sign of a program, expected a "+
					"name, a number or one of %s", []rune(text)[0], strings.Join(signs, " "))})
			}
			list = append(list, token{at, text[:n]})
		}
		at.Column += n
		text = text[n:]
	}
	return append(list, token{at, "\n"}, token{at, ""})
}
