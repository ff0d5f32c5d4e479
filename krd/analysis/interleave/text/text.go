// Package text reads programs of threads, for package interleave, from files:
//
//	program = { line end | declaration | thread } .
//	declaration = "shared" name "=" number { "," name "=" number }
//	            | "input" name "in" "{" number { "," number } "}" .
//	thread = "thread" ( name | digits ) ":" { statement | ";" | line end } .
//	statement = ( "r" | "w" | "rw" ) name              // one access to an object
//	          | name "=" expression                   // see below
//	          | "if" expression block [ "else" ( block | if statement ) ]
//	          | ( "lock" | "unlock" | "barrier" | "fork" | "join" ) name .
//	block = "{" { statement | ";" | line end } "}" .
//
// What follows # up to the end of the line is a comment. Expressions have the operators + - * / %,
// == != < <= > >=, && || !, unary - and parentheses, with Go's precedence; numbers are whole, of 64
// bits, and a condition holds if it is not 0.
//
// A shared value is an object with a value, at first that of its declaration; that of an input is
// one of a set, and all of the set are explored. If the name on the left is shared, name =
// expression writes it; if the expression is the name of a shared value alone, it is read into a
// local. Both are accesses. Anything else sets a local of the thread, which belongs to the step
// before, as branches do. Expressions have locals only: a shared value is read first. Locals begin
// as 0.
//
// A thread that no statement forks begins at the start. A barrier waits for every thread that names
// it. Departure from the disconpro paper (section 3), which has an SMT solver for inputs: here they
// are from finite sets.
package text

import (
	"bufio"
	"fmt"
	"io"
	"regexp"

	"krdlab/hw/failure"
	"krdlab/krd/analysis/interleave/engine"
)

// ErrSyntax is wrapped by the errors of a text that is no program.
var ErrSyntax = failure.New(failure.Data, "no program of threads")

// An Error is an [ErrSyntax] with its place.
type Error struct {
	engine.Position
	What string
}

// Error returns one line.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.What)
}

// Unwrap returns [ErrSyntax].
func (e *Error) Unwrap() error { return ErrSyntax }

// Class implements [failure.Classed].
func (*Error) Class() failure.Class { return failure.Data }

// MaxBytes is how long a text may be.
const MaxBytes = 1 << 20

// begin matches the beginning of a program.
var begin = regexp.MustCompile(`^(\x{feff}|\s|#.*\n)*(shared|input|thread)\s+\w`)

// Begins reports whether a text begins as programs do.
func Begins(r io.Reader) bool {
	return begin.MatchReader(bufio.NewReader(io.LimitReader(r, MaxBytes)))
}

// Read reads a program. Errors are an [Error] or the reader's.
func Read(r io.Reader) (p *engine.Program, err error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxBytes {
		return nil, &Error{What: fmt.Sprintf("the text has more than %d bytes", MaxBytes)}
	}
	x := &parser{p: &engine.Program{}, objects: map[string]int{}, locks: map[string]int{},
		barriers: map[string]int{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			p, err = nil, e
		default:
			panic(e)
		}
	}()
	x.tokens = scan(string(text))
	x.program()
	x.finish()
	return x.p, nil
}
