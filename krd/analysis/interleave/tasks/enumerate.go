package tasks

import (
	"math"
	"math/big"
)

// Schedules returns the number of schedules with so many workers: orders, times the choices of a
// worker for each vertex.
func (d *DAG) Schedules(workers int) *big.Int {
	n := new(big.Int).Exp(big.NewInt(int64(workers)), big.NewInt(int64(d.Vertices())), nil)
	return n.Mul(n, d.Orders())
}

// Log10Schedules returns the logarithm of Schedules.
func (d *DAG) Log10Schedules(workers int) float64 {
	return d.Log10() + float64(d.Vertices())*math.Log10(float64(workers))
}

// enumerate calls yield with each schedule for so many workers, until it returns false. The
// schedule is valid until then. Cost: that of each step, by brute force.
func (d *DAG) enumerate(workers int, yield func(*Schedule) bool) {
	n := d.Vertices()
	after := d.after()
	s := newSchedule(n)
	begun := make([]bool, n)
	left := make([]int, n)
	for v := range left {
		left[v] = len(after.before[v])
	}
	var step func() bool
	step = func() bool {
		if len(s.Order) == n {
			return yield(s)
		}
		for v := range n {
			if begun[v] || left[v] > 0 {
				continue
			}
			begun[v] = true
			s.Order = append(s.Order, int32(v))
			for _, x := range after.after[v] {
				left[x]--
			}
			for w := range workers {
				s.Worker[v] = uint16(w)
				if !step() {
					return false
				}
			}
			for _, x := range after.after[v] {
				left[x]++
			}
			s.Order = s.Order[:len(s.Order)-1]
			begun[v] = false
		}
		return true
	}
	step()
}

// order is which vertices come before which, all pairs.
type order struct{ before, after [][]int32 }

// after lists the pairs of vertices that depend on each other. Cost: O(n^2).
func (d *DAG) after() *order {
	n := d.Vertices()
	o := &order{make([][]int32, n), make([][]int32, n)}
	var below func(i int32) []int32
	below = func(i int32) (all []int32) {
		x := &d.nodes[i]
		if x.kind == leaf {
			return []int32{x.at}
		}
		for _, k := range d.of(x) {
			list := below(k)
			if x.kind == series {
				for _, a := range all {
					for _, b := range list {
						o.before[b] = append(o.before[b], a)
						o.after[a] = append(o.after[a], b)
					}
				}
			}
			all = append(all, list...)
		}
		return all
	}
	below(d.root)
	return o
}
