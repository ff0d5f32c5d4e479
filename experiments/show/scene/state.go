package scene

import (
	"krdlab/loi"
)

// A Touched holds the accesses to a unit until now.
type Touched struct {
	Toucher int32  // the worker that touched it last, or Nobody
	Writer  int32  // that wrote it last, or Nobody
	Access  int32  // the number of the access that touched it last, or -1
	Nodes   uint16 // how many nodes have touched it
	Bin     uint8  // of that access
}

// A State is the units of a run after some of its executions, which have all that they do done at
// once when they begin.
type State struct {
	Units []Touched
	run   *Run
	had   []uint64 // by unit: a bit for each node that has touched it
	words int      // of had, of a unit
	wrote []uint64 // by node: of Wrote
}

var untouched = Touched{Nobody, Nobody, -1, 0, ColdBin}

// Begin returns the state before all executions; of a window, at its start.
func (r *Run) Begin() *State {
	s := &State{Units: make([]Touched, len(r.Bytes)), run: r, words: (r.Header.Nodes + 63) / 64,
		wrote: make([]uint64, r.Header.Nodes)}
	s.had = make([]uint64, s.words*len(r.Bytes))
	if r.Before != nil {
		copy(s.Units, r.Before.Units)
		copy(s.had, r.Before.had)
		return s
	}
	for u := range s.Units {
		s.Units[u] = untouched
	}
	return s
}

// Execute does execution k, the next one; those that began before the window are done already. touched, if it
// is not nil, is given each unit that it touches.
func (s *State) Execute(k int, touched func(Unit)) {
	r, worker := s.run, int32(s.run.Worker[k])
	if r.Before != nil && k < len(r.Before.Wrote) {
		return
	}
	word, bit := r.Node(k)/64, uint64(1)<<(r.Node(k)%64)
	for i := r.From[k]; i < r.From[k+1]; i++ {
		each := func(u Unit) {
			t := &s.Units[u]
			t.Toucher, t.Bin, t.Access = worker, r.Bins[i], int32(i)
			if had := &s.had[int(u)*s.words+word]; *had&bit == 0 {
				*had |= bit
				t.Nodes++
			}
			if r.Modes[i]&loi.Out != 0 {
				t.Writer = worker
			}
			if touched != nil {
				touched(u)
			}
		}
		s.each(r.Items[i], each)
	}
}

// each calls f with the units of an item.
func (s *State) each(item uint32, f func(Unit)) {
	if int(item) < len(s.run.Bytes) { // [Run.Units] would allocate
		f(item)
		return
	}
	for _, u := range s.run.Units(item) {
		f(u)
	}
}

// Farthest returns the class of the access of execution k that is farthest from its core, [Classes]
// if it has none.
func (r *Run) Farthest(k int) Class {
	far := Classes
	for _, c := range r.Classes[r.From[k]:r.From[k+1]] {
		if far == Classes || rank[c] > rank[far] {
			far = c
		}
	}
	return far
}

// rank orders classes by how far they are.
var rank = [Classes]int{Close: 0, Near: 1, Reuse: 1, Far: 2, Cold: 3}

// Wrote returns the node that has last written most of the bytes that execution k, the next one,
// accesses, of several the least; Nobody if nobody has written any of them.
func (s *State) Wrote(k int) int {
	r := s.run
	if r.Before != nil && k < len(r.Before.Wrote) {
		return int(r.Before.Wrote[k])
	}
	clear(s.wrote)
	for i := r.From[k]; i < r.From[k+1]; i++ {
		s.each(r.Items[i], func(u Unit) {
			if w := s.Units[u].Writer; w != Nobody {
				s.wrote[nodeOf(r.Header, int(w))] += r.Bytes[u]
			}
		})
	}
	return mostOf(s.wrote)
}

// mostOf returns the node of the most bytes, of several the least; Nobody if all have 0.
func mostOf(bytes []uint64) int {
	most, node := uint64(0), Nobody
	for n, b := range bytes {
		if b > most {
			node, most = n, b
		}
	}
	return node
}

// Writers returns [State.Wrote] of each execution.
func (r *Run) Writers() []int16 {
	list, s := make([]int16, len(r.Start)), r.Begin()
	for k := range list {
		list[k] = int16(s.Wrote(k))
		s.Execute(k, nil)
	}
	return list
}
