package tiles

import (
	"fmt"
	"testing"

	"krdlab/loi"
	"krdlab/runtimes"
)

// Halves of an area are its updates, each in one half, neither empty, and are counted right.
func TestHalves(t *testing.T) {
	members := func(a area) map[[2]int]bool {
		m := map[[2]int]bool{}
		for i := a.i0; i < a.i1; i++ {
			for j := a.j0; j < a.j1; j++ {
				if !a.lower || j <= i {
					m[[2]int{i, j}] = true
				}
			}
		}
		return m
	}
	areas := 0
	var split func(a area)
	split = func(a area) {
		all := members(a)
		areas++
		if a.count() != uint64(len(all)) || len(all) == 0 {
			t.Fatalf("%+v has %d updates, counted %d", a, len(all), a.count())
		}
		if len(all) == 1 {
			if a.i1-a.i0 != 1 || a.j1-a.j0 != 1 {
				t.Fatalf("%+v is one update and would be split", a)
			}
			return
		}
		x, y := a.half(false), a.half(true)
		for at := range members(x) {
			if !all[at] || members(y)[at] {
				t.Fatalf("%+v: %v is in %+v, and perhaps in %+v", a, at, x, y)
			}
		}
		if len(members(x))+len(members(y)) != len(all) {
			t.Fatalf("%+v: something is in neither %+v nor %+v", a, x, y)
		}
		split(x)
		split(y)
	}
	for n := 1; n <= 9; n++ {
		split(area{i1: n, j1: n, lower: true})
		for m := 1; m <= 9; m++ {
			split(area{i1: n, j1: m})
		}
	}
	if areas < 1000 {
		t.Errorf("only %d areas", areas)
	}
}

// steps counts the executions, and fails when something comes before what it waits for.
type steps struct {
	t           *testing.T
	n           int
	lower       bool
	k           int // the present step
	edges, done map[[2]int]bool
}

func (s *steps) Fill() {}

func (s *steps) Size(k int) (edges, rows, cols int, lower bool) {
	rest := s.n - k - 1
	return rest, rest, rest, s.lower
}

func (s *steps) complete() bool {
	rest := s.n - s.k - 1
	updates := rest * rest
	if s.lower {
		updates = rest * (rest + 1) / 2
	}
	return len(s.edges) == rest && len(s.done) == updates
}

func (s *steps) Diagonal(w *runtimes.Worker, k int) {
	if s.k++; s.k != k || k > 0 && !s.before(k-1) {
		s.t.Errorf("diagonal %d comes before step %d has been done", k, k-1)
	}
	s.edges, s.done = map[[2]int]bool{}, map[[2]int]bool{}
}

func (s *steps) before(k int) bool {
	now := s.k
	s.k = k
	defer func() { s.k = now }()
	return s.complete()
}

func (s *steps) Edge(w *runtimes.Worker, k, e int) {
	s.note(s.edges, k, [2]int{e, 0}, len(s.done) == 0 && e < s.n-k-1)
}

func (s *steps) Update(w *runtimes.Worker, k, i, j int) {
	rest := s.n - k - 1
	s.note(s.done, k, [2]int{i, j}, len(s.edges) == rest && i < rest && j < rest &&
		(!s.lower || j <= i))
}

func (s *steps) note(m map[[2]int]bool, k int, at [2]int, may bool) {
	if k != s.k || m[at] || !may {
		s.t.Errorf("step %d, while %d is done: %v twice, or before its edges, or there is no such",
			k, s.k, at)
	}
	m[at] = true
}

func (s *steps) Target(k, i, j int, edge bool) uint32 { return 0 }

// Each edge and update of a step is done once, after what it waits for, under schedulers of both
// kinds. A simulation runs one worker at a time, so that what steps count needs no lock.
func TestOrder(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 13} {
		for _, lower := range []bool{false, true} {
			for _, policy := range []runtimes.Policy{runtimes.Serial{}, runtimes.WorkFirst{},
				&runtimes.HelpFirst{}} {
				t.Run(fmt.Sprintf("%d/lower=%v/%T", n, lower, policy), func(t *testing.T) {
					s := &steps{t: t, n: n, lower: lower, k: -1}
					nodes := []int{0, 0, 1, 1}
					if _, serial := policy.(runtimes.Serial); serial {
						nodes = nodes[:1]
					}
					if _, err := runtimes.Step(runtimes.StepConfig{Policy: policy, Nodes: nodes,
						Kernels: []loi.Kernel{{Name: "k"}}}, &Factor{Steps: s, N: n}); err != nil {
						t.Fatal(err)
					}
					if s.k != n-1 || !s.complete() {
						t.Errorf("ended in step %d of %d: %d edges, %d updates", s.k, n,
							len(s.edges), len(s.done))
					}
				})
			}
		}
	}
}
