package shapes

func others() float64 {
	a, b := vec(10, 3), vec(10, 2)
	m, w := rows(6, 2), rows(6, 3)
	jacobi2d(m, w)
	gaussSeidel(a)
	prefix(a)
	h := make([]int, 4)
	histogram(h, []int{0, 3, 1, 3, 3, 0, 2, 1})
	n := walk(list(8)) + len(spell(8)) + len(count([]string{"a", "b", "a", "a", "c", "b"})) +
		len(filter(b)) + argmin([]int{9, 7, 8, 4, 5, 2, 6}) + farthest([]int{3, 5, 2, 9, 0, 7})
	reverse(a)
	n += stages(8) + h[3]
	t := &tally{}
	method(t, a)
	n += closure([]int{3, 1, 4, 1, 5, 9})
	s := 0.0
	pointed(&s, b)
	two(a)
	three(a)
	half(a)
	strided(b)
	local(m, w)
	s += total(lasting(w)) + least(a) + product(vec(6, 1)) + horner(vec(6, 1))
	points(a, b)
	outside(m)
	assigned(a)
	byField(b, unit{2})
	while(a)
	n += gcd(89, 55) + collatz(6) + bits([]int{3, 5, 9, 17, 33, 6})
	if all(a) {
		n++
	}
	exchanged(a, b)
	bubble(vec(8, 6))
	p := []body{{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}}
	moved(p)
	transposed(m)
	scratched(b)
	return total(a) + total(b) + totals(m) + totals(w) + s + t.s + p[3].at + float64(n)
}

func jacobi2d(a, b [][]float64) {
	// want: doall
	// by hand, Jacobi in two dimensions, rows
	for i := 1; i < len(a)-1; i++ {
		// want: doall
		// by hand, Jacobi in two dimensions, columns
		for j := 1; j < len(a)-1; j++ {
			b[i][j] = (a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]) / 4
		}
	}
}

func gaussSeidel(a []float64) {
	// want: ordered 1
	// by hand, Gauss-Seidel in place
	for i := 1; i < len(a)-1; i++ {
		a[i] = (a[i-1] + a[i+1]) / 2
	}
}

func prefix(a []float64) {
	// want: ordered 1
	// by hand, prefix sum
	for i := 1; i < len(a); i++ {
		a[i] += a[i-1]
	}
}

func histogram(h, a []int) {
	// want: reduction; reduction h +
	// by hand, histogram
	for _, x := range a {
		h[x]++
	}
}

type node struct {
	next  *node
	value int
}

func list(n int) *node {
	var head *node
	// want: ordered 1
	// by hand, list that is made
	for i := range n {
		head = &node{head, i}
	}
	return head
}

func walk(head *node) int {
	s := 0
	// want: ordered 1; reduction s +
	// by hand, list walk that sums
	for p := head; p != nil; p = p.next {
		s += p.value
	}
	return s
}

func spell(n int) string {
	s := ""
	// want: reduction; reduction s append
	// by hand, string building
	for i := range n {
		s += string(rune('a' + i))
	}
	return s
}

func count(words []string) map[string]int {
	m := map[string]int{}
	// want: reduction; reduction m +
	// by hand, counting in a map
	for _, w := range words {
		m[w]++
	}
	return m
}

func filter(a []float64) []float64 {
	var r []float64
	// want: reduction; reduction r append
	// by hand, filter by append
	for _, x := range a {
		if x > 2 {
			r = append(r, x)
		}
	}
	return r
}

func argmin(a []int) int {
	m, at := 10, 0
	// want: reduction; reduction m min; reduction at min
	// by hand, argmin
	for i, x := range a {
		if x < m {
			m, at = x, i
		}
	}
	return at
}

func farthest(a []int) int {
	best := 0
	// want: reduction; reduction best max
	// by hand, maximum of pairs, outer loop
	for i := range a {
		// want: reduction; reduction best max
		// by hand, maximum of pairs, inner loop
		for j := range a {
			if d := (a[i] - a[j]) * (a[i] - a[j]); d > best {
				best = d
			}
		}
	}
	return best
}

func reverse(a []float64) {
	// want: doall
	// by hand, reverse with two pointers
	for i, j := 0, len(a)-1; i < j; i, j = i+1, j-1 {
		a[i], a[j] = a[j], a[i]
	}
}

func stages(n int) int {
	first, second := make(chan int), make(chan int)
	go produce(n, first)
	go double(first, second)
	s := 0
	// want: ordered 1; reduction s +
	// by hand, pipeline, last stage
	for x := range second {
		s += x
	}
	return s
}

func produce(n int, out chan int) {
	// want: ordered 1
	// by hand, pipeline, first stage
	for i := range n {
		out <- i
	}
	close(out)
}

func double(in, out chan int) {
	// want: ordered 1
	// by hand, pipeline, middle stage
	for x := range in {
		out <- 2 * x
	}
	close(out)
}

type tally struct{ s float64 }

func (t *tally) add(x float64) { t.s += x }

func method(t *tally, a []float64) {
	// want: reduction; reduction t.s +
	// by hand, sum in a method
	for i := range a {
		t.add(a[i])
	}
}

func closure(a []int) int {
	s := 0
	add := func(x int) { s += x }
	// want: reduction; reduction s +
	// by hand, sum in a closure
	for _, x := range a {
		add(x)
	}
	return s
}

func pointed(p *float64, a []float64) {
	// want: reduction; reduction p +
	// by hand, sum through a pointer
	for i := range a {
		*p += a[i]
	}
}

func two(a []float64) {
	// want: ordered 2
	// by hand, distance 2
	for i := 2; i < len(a); i++ {
		a[i] = a[i-2] / 2
	}
}

func three(a []float64) {
	// want: ordered 3
	// by hand, distance 3
	for i := 3; i < len(a); i++ {
		a[i] = a[i-3] + 1
	}
}

func half(a []float64) {
	// want: ordered 5
	// by hand, distance n/2
	for i := range a {
		a[i] = a[(i+len(a)/2)%len(a)] + 1
	}
}

func strided(a []float64) {
	// want: ordered 2
	// by hand, distance 4 in steps of 2
	for i := 4; i < len(a); i += 2 {
		a[i] = a[i-4] + 1
	}
}

func local(a, b [][]float64) {
	var w [6]float64
	// want: doall; private w
	// by hand, local array as work row
	for i := range a {
		// want: doall
		// by hand, local array that is filled
		for j := range w {
			w[j] = a[i][j] + 1
		}
		// want: doall
		// by hand, local array that is read
		for j := range w {
			b[i][j] = w[5-j]
		}
	}
}

func lasting(a [][]float64) []float64 {
	w := make([]float64, len(a))
	// want: doall; last value w
	// by hand, row that is read after the loop
	for i := range a {
		// want: doall
		// by hand, row that is filled
		for j := range w {
			w[j] = a[i][j] + 1
		}
	}
	return w
}

func least(a []float64) float64 {
	m := a[0]
	// want: reduction; reduction m min
	// by hand, min
	for i := 1; i < len(a); i++ {
		m = min(m, a[i])
	}
	return m
}

func product(a []float64) float64 {
	p := 1.0
	// want: reduction; reduction p *
	// by hand, product
	for i := range a {
		p *= a[i]
	}
	return p
}

func horner(a []float64) float64 {
	y := 0.0
	// want: ordered 1
	// by hand, Horner
	for i := range a {
		y = y*2 + a[i]
	}
	return y
}

type body struct{ at, by float64 }

func points(a, b []float64) {
	var p body
	// want: doall; private p
	// by hand, local structure
	for i := range a {
		p = body{a[i], 2}
		b[i] = p.at * p.by
	}
}

func outside(a [][]float64) {
	var i, j int
	// want: doall; private j
	// by hand, indices declared outside, outer loop
	for i = 0; i < len(a); i++ {
		// want: doall
		// by hand, indices declared outside, inner loop
		for j = 0; j < len(a); j++ {
			a[i][j] += 1
		}
	}
}

func assigned(a []float64) {
	// want: doall
	// by hand, i = i + 1
	for i := 0; i < len(a); i = i + 1 {
		a[i] += 2
	}
}

type unit struct{ nx int }

func byField(a []float64, u unit) {
	// want: doall
	// by hand, i += u.nx
	for i := 0; i < len(a); i += u.nx {
		a[i] += 3
	}
}

func while(a []float64) {
	i := 0
	// want: doall; induction i
	// by hand, while with an index counted in the body
	for i < len(a) {
		a[i] += 4
		i++
	}
}

func gcd(a, b int) int {
	// want: ordered 1
	// by hand, while that data end
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func collatz(n int) int {
	steps := 0
	// want: ordered 1; induction steps
	// by hand, while that counts its iterations
	for n != 1 {
		if n%2 == 0 {
			n = n / 2
		} else {
			n = 3*n + 1
		}
		steps++
	}
	return steps
}

func bits(a []int) int {
	x, y, z := 0, 0, 255
	// want: reduction; reduction x ^; reduction y |; reduction z &
	// by hand, three operators
	for _, v := range a {
		x ^= v
		y |= v
		z &= v
	}
	return x + y + z
}

func all(a []float64) bool {
	ok := true
	// want: reduction; reduction ok &&
	// by hand, whether all fit
	for i := range a {
		ok = ok && a[i] > -1000
	}
	return ok
}

func exchanged(a, b []float64) {
	// want: ordered 1
	// by hand, two arrays that are exchanged
	for t := 0; t < 4; t++ {
		// want: doall
		// by hand, Jacobi in one dimension
		for i := 1; i < len(a)-1; i++ {
			b[i] = (a[i-1] + a[i+1]) / 2
		}
		a, b = b, a
	}
}

func bubble(a []float64) {
	// want: ordered 1
	// by hand, a pass of bubble sort
	for i := 0; i < len(a)-1; i++ {
		if a[i] > a[i+1] {
			a[i], a[i+1] = a[i+1], a[i]
		}
	}
}

func moved(p []body) {
	// want: doall
	// by hand, fields of elements
	for i := range p {
		p[i].at += p[i].by
	}
}

func transposed(a [][]float64) {
	// want: doall
	// by hand, transposition in place, outer loop
	for i := range a {
		// want: doall
		// by hand, transposition in place, inner loop
		for j := 0; j < i; j++ {
			a[i][j], a[j][i] = a[j][i], a[i][j]
		}
	}
}

var scratch float64

func squared(x float64) float64 {
	scratch = x + 1
	return scratch * scratch
}

func scratched(a []float64) {
	// want: doall; private scratch
	// by hand, variable of a package
	for i := range a {
		a[i] = squared(a[i])
	}
}
