package scene

import (
	"math/bits"

	"krdlab/loi"
)

// A Touched holds the accesses to a unit until now.
type Touched struct {
	Toucher int   // the worker that touched it last, or Nobody
	Writer  int   // that wrote it last, or Nobody
	Bin     uint8 // of the access that touched it last
	Access  int32 // its number, or -1
	had     []uint64
}

// Nodes returns how many nodes have touched it.
func (t *Touched) Nodes() (n int) {
	for _, w := range t.had {
		n += bits.OnesCount64(w)
	}
	return n
}

// A State is the units of a run after some of its executions, which have all that they do done at
// once when they begin.
type State struct {
	Units []Touched
	run   *Run
}

// Begin returns the state before all executions.
func (r *Run) Begin() *State {
	words := (r.Header.Nodes + 63) / 64
	s, had := &State{Units: make([]Touched, len(r.Bytes)), run: r}, make([]uint64,
		words*len(r.Bytes))
	for u := range s.Units {
		s.Units[u] = Touched{Nobody, Nobody, ColdBin, -1, had[u*words:][:words]}
	}
	return s
}

// Execute does execution k, the next one. touched, if it is not nil, is given each unit that it
// touches.
func (s *State) Execute(k int, touched func(Unit)) {
	r, worker := s.run, int(s.run.Worker[k])
	node := r.Node(k)
	for i := r.From[k]; i < r.From[k+1]; i++ {
		each := func(u Unit) {
			t := &s.Units[u]
			t.Toucher, t.Bin, t.Access = worker, r.Bins[i], int32(i)
			t.had[node/64] |= 1 << (node % 64)
			if r.Modes[i]&loi.Out != 0 {
				t.Writer = worker
			}
			if touched != nil {
				touched(u)
			}
		}
		if item := r.Items[i]; int(item) < len(r.Bytes) {
			each(item)
		} else {
			for _, u := range r.Units(item) {
				each(u)
			}
		}
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

// Writers returns for each execution the node that had last written most of the bytes that it
// accesses, of several the least; -1 if nobody had written any of them.
func (r *Run) Writers() []int16 {
	list := make([]int16, len(r.Start))
	s, bytes := r.Begin(), make([]uint64, r.Header.Nodes)
	for k := range list {
		clear(bytes)
		for i := r.From[k]; i < r.From[k+1]; i++ {
			for _, u := range r.Units(r.Items[i]) {
				if w := s.Units[u].Writer; w != Nobody {
					bytes[nodeOf(r.Header, w)] += r.Bytes[u]
				}
			}
		}
		list[k] = -1
		var most uint64
		for n, b := range bytes {
			if b > most {
				list[k], most = int16(n), b
			}
		}
		s.Execute(k, nil)
	}
	return list
}
