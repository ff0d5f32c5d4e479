// Package failure sorts errors into the few classes that a caller treats differently. It stands
// below all others, so that each marks its own errors: a type has a method Class, a sentinel is
// made by [New]. The caller of [Of] decides the meaning of a class to a user, such as an exit code.
package failure

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Class is a kind of failure.
type Class uint8

// The classes.
const (
	Failed      Class = iota // none of the others: I/O, a missing file, a panic in a task
	Request                  // what was asked for cannot be, or must not be overwritten
	Capability               // this machine lacks what was demanded
	Data                     // the content of a file is bad
	Check                    // the check failed
	Incomplete               // done, but without a part of the data, which could not be used
	Interrupted              // the user ended it; what was done is kept
)

// Classed is an error with a class.
type Classed interface {
	error
	Class() Class
}

// Of returns the class of the first error in err's tree that has one, in the order of errors.As. A
// context's end is [Interrupted], also where an error that has a class wraps it; only [Errorf] and
// [As] give it another. Without any, it is [Failed].
func Of(err error) Class {
	c, _ := find(err)
	return c
}

func find(err error) (Class, bool) {
	if c, ok := err.(Classed); ok {
		if _, set := c.(*classed); !set && isEnd(err) {
			return Interrupted, true
		}
		return c.Class(), true
	}
	if err == context.Canceled || err == context.DeadlineExceeded {
		return Interrupted, true
	}
	switch u := err.(type) {
	case interface{ Unwrap() error }:
		return find(u.Unwrap())
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			if c, ok := find(e); ok {
				return c, true
			}
		}
	}
	return Failed, false
}

func isEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// OfContext returns err, the error of what ran under ctx, or the cause of ctx's end in its place: a
// child process, for one, that is ended from outside fails in ways of its own. A terminal's Ctrl-C
// is for both, and the child may be first: after an error, ctx has some time to end.
func OfContext(ctx context.Context, err error) error {
	if err == nil || ctx.Done() == nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(settle):
		return err
	}
}

const settle = 50 * time.Millisecond

// New returns a sentinel of a class.
func New(c Class, text string) error { return &classed{c, errors.New(text)} }

// Errorf returns the error of fmt.Errorf with a class, whatever the classes of the errors that it
// wraps.
func Errorf(c Class, format string, args ...any) error {
	return &classed{c, fmt.Errorf(format, args...)}
}

// As gives err, which keeps its text, another class.
func As(c Class, err error) error { return &classed{c, err} }

type classed struct {
	class Class
	err   error
}

func (e *classed) Error() string { return e.err.Error() }
func (e *classed) Unwrap() error { return e.err }
func (e *classed) Class() Class  { return e.class }
