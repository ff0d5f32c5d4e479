// Package scene is a run as it lies: the objects of a trace as people think of them, a matrix as a
// matrix, and who had which of their blocks.
//
//	loi.Trace -> program, made anew without its data -> layouts of objects --\
//	          -> Ordered -> who wrote each block last -----------------------+-> Objects
package scene

import (
	"fmt"

	"krdlab/experiments/replay"
	"krdlab/kernels/blocked"
	"krdlab/loi"
)

// Nobody is the worker of a block that nobody wrote.
const Nobody = -1

// An Object is one that kernels write, with its blocks by number.
type Object struct {
	Name    string
	Bytes   uint64
	Across  int   // blocks in a row of the matrix; 0: it is none, or nothing tells
	Writers []int // by block: the worker that wrote it last, or Nobody
}

// Owners returns the objects of a trace whose blocks are registered and that a kernel writes, in
// the order of the registry, as they are at its end: whoever began to write a block last, by the
// clock that is common to all workers, has it. Errors: those of [loi.Trace.Ordered], so one for a
// trace from which records are missing. Cost: a pass over the trace.
func Owners(t *loi.Trace) ([]Object, error) {
	r := &t.Header.Registry
	all := make([]Object, len(r.Objects))
	written := make([]bool, len(r.Objects))
	for i := range all {
		o := &r.Objects[i]
		all[i] = Object{Name: o.Name, Bytes: o.Bytes(), Writers: make([]int, o.Len())}
		for b := range all[i].Writers {
			all[i].Writers[b] = Nobody
		}
	}
	for e, err := range t.Ordered(loi.Order{}) {
		if err != nil {
			return nil, err
		}
		for _, a := range e.Accesses() {
			if a.Mode&loi.Out != 0 && a.Block < uint64(len(all[a.Object].Writers)) {
				all[a.Object].Writers[a.Block], written[a.Object] = e.Worker, true
			}
		}
	}
	across := layouts(t)
	var list []Object
	for i, ok := range written {
		if ok {
			all[i].Across = across(loi.ObjectID(i))
			list = append(list, all[i])
		}
	}
	return list, nil
}

// layouts returns what knows how many blocks a row of an object has: the program of the trace, if
// it is one of krdlab's and has the same blocks as the one that was traced.
func layouts(t *loi.Trace) func(loi.ObjectID) int {
	none := func(loi.ObjectID) int { return 0 }
	in, err := replay.Program(t)
	if err != nil {
		return none
	}
	defer in.Close()
	s, ok := in.(interface {
		Shape(loi.ObjectID) blocked.Shape
	})
	if !ok {
		return none
	}
	return func(o loi.ObjectID) int {
		shape := s.Shape(o)
		m, ok := shape.(interface {
			Down() int
			Across() int
		})
		if ok && m.Down()*m.Across() == shape.Blocks() { // there are no blocks but the tiles
			return m.Across()
		}
		return 0
	}
}

// Largest returns the object of most bytes, the first of several; nil if there is none.
func Largest(list []Object) *Object {
	var most *Object
	for i := range list {
		if o := &list[i]; len(o.Writers) > 0 && (most == nil || o.Bytes > most.Bytes) {
			most = o
		}
	}
	return most
}

// Cell returns where in a picture block b lies: its row from the top, and its column. What is no
// matrix is a strip, folded into rows of equal length that make a picture about as high as wide.
func (o *Object) Cell(b int) (row, column int) { w := o.Width(); return b / w, b % w }

// Width is how many cells a row of the picture has.
func (o *Object) Width() int {
	w := o.Across
	for w == 0 || o.Across == 0 && w*w < len(o.Writers) {
		w++
	}
	return w
}

// Height is how many rows the picture has.
func (o *Object) Height() int { return (len(o.Writers) + o.Width() - 1) / o.Width() }

// Describe says what it is.
func (o *Object) Describe() string {
	if o.Across == 0 {
		return fmt.Sprintf("%s, %d blocks in rows of %d", o.Name, len(o.Writers), o.Width())
	}
	return fmt.Sprintf("%s, %d x %d blocks", o.Name, o.Height(), o.Width())
}
