package loi

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A token of the text form is a word, quoted or not, or one punctuation character.
type token struct {
	s    string
	kind byte // 'w': word; 'q': quoted word; 'p': punctuation
}

func (t token) punct(s string) bool { return t.kind == 'p' && t.s == s }

// lex cuts a line into tokens.
func lex(line string) ([]token, error) {
	var toks []token
	for line != "" {
		switch c := line[0]; {
		case c == ' ' || c == '\t' || c == '\r':
			line = line[1:]
		case c == '#':
			return toks, nil
		case c == '"':
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("a quote without an end")
			}
			s, err := strconv.Unquote(q)
			if err != nil {
				return nil, fmt.Errorf("%s is not a quoted name", q)
			}
			toks = append(toks, token{s, 'q'})
			line = line[len(q):]
		case strings.IndexByte("()[]{},:", c) >= 0:
			toks = append(toks, token{line[:1], 'p'})
			line = line[1:]
		case plain(c):
			n := 1
			for n < len(line) && plain(line[n]) {
				n++
			}
			toks = append(toks, token{line[:n], 'w'})
			line = line[n:]
		default:
			return nil, fmt.Errorf("%q is not expected in a line", c)
		}
	}
	return toks, nil
}

// word takes the next token, which must be a word.
func (p *textParser) word() string {
	if p.err != nil {
		return ""
	}
	if len(p.toks) == 0 {
		p.fail("the line ends too early")
		return ""
	}
	t := p.toks[0]
	if t.kind == 'p' {
		p.fail("%q, expected a word", t.s)
	}
	p.toks = p.toks[1:]
	return t.s
}

func (p *textParser) uint(limit uint64) uint64 {
	w := p.word()
	v, err := strconv.ParseUint(w, 10, 64)
	if p.err == nil && (err != nil || v > limit) {
		if limit == math.MaxUint64 {
			p.fail("%q, expected a number", w)
		} else {
			p.fail("%q, expected a number of at most %d", w, limit)
		}
	}
	return v
}

func (p *textParser) int() int64 {
	w := p.word()
	v, err := strconv.ParseInt(w, 10, 64)
	if p.err == nil && err != nil {
		p.fail("%q, expected a number", w)
	}
	return v
}

// accept takes the next token if it is the unquoted word s.
func (p *textParser) accept(s string) bool {
	ok := p.err == nil && len(p.toks) > 0 && p.toks[0] == token{s, 'w'}
	if ok {
		p.toks = p.toks[1:]
	}
	return ok
}

func (p *textParser) expect(s string) {
	if p.err == nil && !p.accept(s) {
		p.fail("expected %q", s)
	}
}

func (p *textParser) acceptPunct(s string) bool {
	ok := p.err == nil && len(p.toks) > 0 && p.toks[0].punct(s)
	if ok {
		p.toks = p.toks[1:]
	}
	return ok
}

func (p *textParser) punct(s string) {
	if p.err == nil && !p.acceptPunct(s) {
		p.fail("expected %q", s)
	}
}

// follows reports whether the token after the next is the punctuation s.
func (p *textParser) follows(s string) bool { return len(p.toks) > 1 && p.toks[1].punct(s) }

func (p *textParser) objectName() ObjectID {
	w := p.word()
	o, ok := p.objects[w]
	if p.err == nil && !ok {
		p.fail("object %q is unknown", w)
	}
	return o
}

func (p *textParser) kernelName() KernelID {
	w := p.word()
	k, ok := p.kernels[w]
	if p.err == nil && !ok {
		p.fail("kernel %q is unknown", w)
	}
	return k
}

// mode takes a colon and a mode.
func (p *textParser) mode() Mode {
	p.punct(":")
	w := p.word()
	for m := In; m <= InOut; m++ {
		if m.String() == w {
			return m
		}
	}
	p.fail("%q, expected in, out or inout", w)
	return In
}

// args takes numbers in parentheses.
func (p *textParser) args() []uint32 {
	var args []uint32
	p.punct("(")
	for p.err == nil && !p.acceptPunct(")") {
		if len(args) > 0 {
			p.punct(",")
		}
		args = append(args, uint32(p.uint(math.MaxUint32)))
	}
	if p.err == nil && len(args) > maxArgs {
		p.fail("%d arguments, expected at most %d", len(args), maxArgs)
	}
	return args
}
