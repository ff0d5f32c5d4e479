// Package calibrated has programs whose estimated distances are compared with the exact ones.
package calibrated

import (
	"flag"
	"strconv"
)

var programs = map[string]func(times int) int{"lu": lu, "join": join, "tree": lookups,
	"mergesort": mergesort, "flate": flate, "freelist": freeList, "pipeline": pipeline,
	"phases": phases, "rare": rare}

func Main() {
	times, _ := strconv.Atoi(flag.Arg(2))
	println(programs[flag.Arg(1)](times))
}

// random is a generator of the splitmix kind, all of whose state is a local variable of its callers.
func random(x int) int {
	z := uint64(x) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int(z >> 33)
}

// lu factors a matrix that is stored by rows, column by column.
func lu(n int) int {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		for j := range a[i] {
			a[i][j] = float64(random(i*n+j)%100) / 100
		}
		a[i][i] += float64(n)
	}
	for k := range n {
		for i := k + 1; i < n; i++ {
			a[i][k] /= a[k][k]
		}
		for j := k + 1; j < n; j++ {
			for i := k + 1; i < n; i++ {
				a[i][j] -= a[i][k] * a[k][j]
			}
		}
	}
	return int(a[n-1][n-1])
}

type row struct {
	key, group int
	price      float64
	text       [5]int
}

type sum struct {
	count int
	price float64
}

// join looks up the orders of customers, and sums them up by the customers' groups.
func join(times int) (found int) {
	customers, orders := make([]row, 60_000), make([]row, 250_000)
	for i := range customers {
		customers[i] = row{key: 7 * i, group: random(i) % 500}
	}
	for i := range orders {
		orders[i] = row{key: random(i) % (8 * len(customers)), price: float64(i % 90)}
	}
	for range times {
		table := make(map[int]*row)
		for i := range customers {
			table[customers[i].key] = &customers[i]
		}
		groups := make(map[int]*sum)
		for i := range orders {
			o := &orders[i]
			c := table[o.key]
			if c == nil {
				continue
			}
			g := groups[c.group]
			if g == nil {
				g = new(sum)
				groups[c.group] = g
			}
			g.count++
			g.price += o.price
			found++
		}
	}
	return found
}

type node struct {
	left, right *node
	key, value  int
}

func (n *node) insert(key int) *node {
	if n == nil {
		return &node{key: key}
	}
	if key < n.key {
		n.left = n.left.insert(key)
	} else {
		n.right = n.right.insert(key)
	}
	return n
}

// lookups looks up keys in a binary tree.
func lookups(times int) (sum int) {
	const nodes = 100_000
	var root *node
	for i := range nodes {
		root = root.insert(random(i) % (4 * nodes))
	}
	for i := range times * 1000 {
		key := random(i+nodes) % (4 * nodes)
		n := root
		for n != nil && n.key != key {
			if key < n.key {
				n = n.left
			} else {
				n = n.right
			}
		}
		if n != nil {
			n.value++
			sum++
		}
	}
	return sum
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
	copy(other, a)
	merge(a, other[:half], other[half:])
}

func mergesort(times int) int {
	a := make([]int, 400_000)
	other := make([]int, len(a))
	for t := range times {
		for i := range a {
			a[i] = random(i + t)
		}
		sort(a, other)
	}
	return a[0]
}

// flate compresses text by references to strings that came before, which are found by chains of a
// hash, as in deflate, and counts its symbols.
func flate(times int) (size int) {
	text := make([]byte, 1<<20)
	for i := 0; i < len(text); { // words of a vocabulary, the first ones more often
		w := random(i)
		w %= 1 + random(i+1)%3000
		for j := range 3 + w%7 {
			if i < len(text) {
				text[i] = byte('a' + random(w*8+j)%26)
				i++
			}
		}
		if i < len(text) {
			text[i] = ' '
			i++
		}
	}
	const window, least, most, tries = 1 << 15, 4, 64, 16
	head, prev := make([]int32, 1<<15), make([]int32, window)
	symbols := make([]int, len(text)>>11)
	for range times {
		clear(head)
		for i := 0; i+most < len(text); {
			h := uint32(text[i]) | uint32(text[i+1])<<8 | uint32(text[i+2])<<16 | uint32(text[i+3])<<24
			h = h * 0x9e3779b1 >> 17
			best := 0
			at := int(head[h]) - 1
			for try := 0; try < tries && at >= 0 && i-at < window; try++ {
				n := 0
				for n < most && text[at+n] == text[i+n] {
					n++
				}
				best = max(best, n)
				at = int(prev[at%window]) - 1
			}
			prev[i%window], head[h] = head[h], int32(i+1)
			if best < least {
				symbols[text[i]]++
				i++
			} else {
				symbols[256+best]++
				i += best
			}
			size++
		}
	}
	return size
}

type cell struct {
	next *cell
	data [14]int
}

var free *cell

func get() *cell {
	c := free
	if c == nil {
		return new(cell)
	}
	free = c.next
	return c
}

// freeList keeps cells for random times, and uses them again.
func freeList(times int) (sum int) {
	used := make([]*cell, 20_000)
	for i := range times * 1000 {
		at := random(i) % len(used)
		if c := used[at]; c != nil {
			for k := range c.data {
				sum += c.data[k]
			}
			c.next, free = free, c
			used[at] = nil
		} else {
			c := get()
			for k := range c.data {
				c.data[k] = i & k
			}
			used[at] = c
		}
	}
	return sum
}

// pipeline has a source of blocks, workers that filter them, and what sums them up.
func pipeline(times int) (sum int) {
	raw, done, empty := make(chan []int, 16), make(chan []int, 16), make(chan []int, 64)
	for range cap(empty) {
		empty <- make([]int, 2000)
	}
	go func() {
		for t := range times {
			b := <-empty
			for i := range b {
				b[i] = random(t + i)
			}
			raw <- b
		}
		close(raw)
	}()
	const workers = 3
	ended := make(chan bool)
	for range workers {
		go func() {
			weights := make([]int, cap(raw))
			for b := range raw {
				for i := range len(b) - len(weights) {
					s := 0
					for k := range weights {
						s += b[i+k] * (weights[k] + k)
					}
					b[i] = s
				}
				done <- b
			}
			ended <- true
		}()
	}
	go func() {
		for range workers {
			<-ended
		}
		close(done)
	}()
	for b := range done {
		for i := range b {
			sum += b[i]
		}
		empty <- b
	}
	return sum
}

// small is on the heap, where a slice of constant length that only its function knows is not.
var small []int

// near adds up numbers that are near each other.
func near(a []int, times int) (sum int) {
	for i := range times {
		a[i&1023] += a[(i*5+3)&1023]
		sum += a[i>>3&1023]
	}
	return sum
}

// phases is near, random and streaming accesses in turn.
func phases(times int) (sum int) {
	small = make([]int, 1024)
	large := make([]int, 1<<20)
	for t := range times {
		sum += near(small, 1_000_000)
		for i := range 1_000_000 {
			sum += large[random(i+t)%(len(large)/4)]
		}
		for i := range large {
			large[i] += t
		}
	}
	return sum
}

// rare is near accesses, and at times some that are far: 1 % of all.
func rare(times int) (sum int) {
	small = make([]int, 1024)
	large := make([]int, 8*250_000)
	for t := range times {
		sum += near(small, 7_000_000)
		for i := 0; i < len(large); i += 8 {
			large[i] += t
		}
	}
	return sum
}
