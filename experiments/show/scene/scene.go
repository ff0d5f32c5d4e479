// Package scene turns a trace into columns for drawing: the objects with their shapes (a matrix as
// a matrix), the workers that accessed each block, and the executions of each worker with their
// tasks.
//
//	loi.Trace -> program, made anew without its data -> layouts of objects --\
//	          -> Ordered, krd.Units, stack.Online of each node -------------- +-> Run
//	Run -> State, Owners, Strip, Arcs, Fold
package scene

import (
	"fmt"

	"krdlab/experiments/run/request"
	"krdlab/kernels/blocked"
	"krdlab/loi"
)

// Nobody is the worker of a block that nobody wrote.
const Nobody = -1

// An Object is one that kernels write, with its blocks by number.
type Object struct {
	Name  string
	Bytes uint64
	Layout
	Writers []int // by block: the worker that wrote it last, or Nobody
}

// A Layout is how the units of an object lie. The zero value is a vector.
type Layout struct {
	Across int  // units in a row of the matrix; 0: it is none, or that is not known
	Curve  bool // they are in the order of a curve that fills space
}

// Owners returns the objects of a run whose blocks are registered and that a kernel writes, in the
// order of the registry, as they are at its end: whoever began to write a block last has it. Cost: a
// pass over the accesses.
func (r *Run) Owners() (list []Object) {
	s := r.Begin()
	for k := range r.Start {
		s.Execute(k, nil)
	}
	for i := range r.Objects {
		o := &r.Objects[i]
		if o.Kind != loi.Partition {
			continue
		}
		x, written := Object{Name: o.Name, Bytes: o.Bytes, Layout: o.Layout}, false
		for u := range s.Units[o.First:][:o.Units] {
			w := int(s.Units[int(o.First)+u].Writer)
			x.Writers, written = append(x.Writers, w), written || w != Nobody
		}
		if written {
			list = append(list, x)
		}
	}
	return list
}

// layouts returns a function of the layout of the units of an object: the program of the trace, if
// it is one of krdlab's and has the same blocks as the one that was traced.
func layouts(t *loi.Trace) func(loi.ObjectID) Layout {
	vector := func(loi.ObjectID) Layout { return Layout{} }
	in, err := request.Program(&t.Header)
	if err != nil {
		return vector
	}
	defer in.Close()
	if c, ok := in.(interface{ AlongCurve(loi.ObjectID) bool }); ok {
		return func(o loi.ObjectID) Layout { return Layout{Curve: c.AlongCurve(o)} }
	}
	s, ok := in.(interface {
		Shape(loi.ObjectID) blocked.Shape
	})
	if !ok {
		return vector
	}
	return func(o loi.ObjectID) Layout {
		shape := s.Shape(o)
		m, ok := shape.(interface {
			Down() int
			Across() int
		})
		if ok && m.Down()*m.Across() == shape.Blocks() { // there are no blocks but the tiles
			return Layout{Across: m.Across()}
		}
		return Layout{}
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

// Cell returns where in a picture block b lies: its row from the top, and its column.
func (o *Object) Cell(b int) (row, column int) { return o.Layout.Cell(b, len(o.Writers)) }

// Size returns how many rows and columns the picture has.
func (o *Object) Size() (rows, columns int) { return o.Layout.Size(len(o.Writers)) }

// Describe returns the object in words.
func (o *Object) Describe() string { return o.Name + ", " + o.Layout.Describe(len(o.Writers)) }

// Cell returns where in a picture of n units number u lies: its row from the top, and its column.
// An object that is no matrix is a strip, folded into rows of equal length that make a picture
// about as high as wide, or lies along the curve of Morton.
func (l Layout) Cell(u, n int) (row, column int) {
	if l.Curve {
		for k := range 16 {
			column |= u >> (2 * k) & 1 << k
			row |= u >> (2*k + 1) & 1 << k
		}
		return row, column
	}
	_, w := l.Size(n)
	return u / w, u % w
}

// Size returns how many rows and columns a picture of n units has.
func (l Layout) Size(n int) (rows, columns int) {
	if l.Curve {
		for u := range n {
			row, column := l.Cell(u, n)
			rows, columns = max(rows, row+1), max(columns, column+1)
		}
		return max(rows, 1), max(columns, 1)
	}
	w := l.Across
	for w == 0 || l.Across == 0 && w*w < n {
		w++
	}
	return (n + w - 1) / w, w
}

// Describe returns a picture of n units in words.
func (l Layout) Describe(n int) string {
	rows, columns := l.Size(n)
	switch {
	case l.Curve:
		return fmt.Sprintf("%d blocks along the curve of Morton", n)
	case l.Across == 0:
		return fmt.Sprintf("%d blocks in rows of %d", n, columns)
	}
	return fmt.Sprintf("%d x %d blocks", rows, columns)
}
