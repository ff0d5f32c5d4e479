package main

import "io"

// Interfaces whose methods overlap came with Go 1.14.
type readWriter interface {
	io.Reader
	io.Writer
	Close() error
}

type file struct {
	text string
	n    int
}

func (f *file) Read(b []byte) (int, error)  { f.n++; return copy(b, f.text), nil }
func (f *file) Write(b []byte) (int, error) { f.text += string(b); return len(b), nil }
func (f *file) Close() error                { f.n *= 10; return nil }

func interfaces(x readWriter) file {
	b := make([]byte, 3)
	n, _ := x.Read(b)
	x.Write(b[:n])
	x.Close()
	return *x.(*file)
}
