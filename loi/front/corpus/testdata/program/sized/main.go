// Package sized has programs whose input has any size.
package sized

import (
	"flag"
	"strconv"
)

var programs = map[string]func(n int) int{"mergesort": mergesort, "join": join, "kdtree": kdTree}

func Main() {
	n, _ := strconv.Atoi(flag.Arg(2))
	println(programs[flag.Arg(1)](n))
}

// random is a generator of the splitmix kind, all of whose state is a local variable of its callers.
func random(x int) int {
	z := uint64(x) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int(z >> 33)
}

func merge(to, a, b []int) {
	i, j := 0, 0
	for k := range to {
		if j == len(b) || i < len(a) && a[i] <= b[j] {
			to[k] = a[i]
			i++
		} else {
			to[k] = b[j]
			j++
		}
	}
}

func sort(a, other []int) {
	if len(a) < 2 {
		return
	}
	half := len(a) / 2
	sort(a[:half], other[:half])
	sort(a[half:], other[half:])
	for i := range a {
		other[i] = a[i]
	}
	merge(a, other[:half], other[half:])
}

// mergesort sorts n random numbers.
func mergesort(n int) int {
	a, other := make([]int, n), make([]int, n)
	for i := range a {
		a[i] = random(i)
	}
	sort(a, other)
	return a[0]
}

// A row is a customer or an order.
type row struct {
	key, group int
	price      float64
	text       [5]int
}

// A slot of the table of customers.
type slot struct {
	key  int
	of   *row
	used bool
}

func build(customers []row) []slot {
	size := 1
	for size < 2*len(customers) {
		size *= 2
	}
	table := make([]slot, size)
	for i := range customers {
		c := &customers[i]
		at := random(c.key) & (size - 1)
		for table[at].used {
			at = (at + 1) & (size - 1)
		}
		table[at] = slot{c.key, c, true}
	}
	return table
}

func find(table []slot, key int) *row {
	at := random(key) & (len(table) - 1)
	for table[at].used {
		if table[at].key == key {
			return table[at].of
		}
		at = (at + 1) & (len(table) - 1)
	}
	return nil
}

func probe(table []slot, orders []row, groups []float64) (found int) {
	for i := range orders {
		o := &orders[i]
		if c := find(table, o.key); c != nil {
			groups[c.group] += o.price
			found++
		}
	}
	return found
}

// join finds the customers of 4n orders among n, and sums them up by group.
func join(n int) int {
	customers, orders := make([]row, n), make([]row, 4*n)
	for i := range customers {
		customers[i] = row{key: 7 * i, group: random(i) % 500}
	}
	for i := range orders {
		orders[i] = row{key: random(i) % (8 * n), price: float64(i % 90)}
	}
	return probe(build(customers), orders, make([]float64, 500))
}

// A node of a k-d tree of points in the plane.
type node struct {
	x, y        float64
	left, right *node
}

func (n *node) insert(p *node, byX bool) {
	for {
		less := p.y < n.y
		if byX {
			less = p.x < n.x
		}
		next := &n.right
		if less {
			next = &n.left
		}
		if *next == nil {
			*next = p
			return
		}
		n, byX = *next, !byX
	}
}

func (n *node) nearest(x, y, best float64, byX bool) float64 {
	if n == nil {
		return best
	}
	dx, dy := x-n.x, y-n.y
	best = min(best, dx*dx+dy*dy)
	d := dy
	if byX {
		d = dx
	}
	near, far := n.left, n.right
	if d >= 0 {
		near, far = far, near
	}
	best = near.nearest(x, y, best, !byX)
	if d*d < best {
		best = far.nearest(x, y, best, !byX)
	}
	return best
}

// kdTree looks for the nearest of n points, n times.
func kdTree(n int) int {
	at := func(i int) float64 { return float64(random(i)%1_000_000) / 1e6 }
	root := &node{x: at(0), y: at(1)}
	for i := 1; i < n; i++ {
		root.insert(&node{x: at(2 * i), y: at(2*i + 1)}, true)
	}
	sum := 0.0
	for i := range n {
		sum += root.nearest(at(3*n+2*i), at(3*n+2*i+1), 2, true)
	}
	return int(1000 * sum)
}
