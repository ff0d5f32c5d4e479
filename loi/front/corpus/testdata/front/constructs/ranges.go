package constructs

import "fmt"

type grid struct {
	cells [2][3]int
	rows  [][]float64
	name  string
	by    map[string]*grid
}

func ranges() {
	g := &grid{cells: [2][3]int{{1, 2, 3}, {4, 5, 6}}, rows: [][]float64{{1, 2}, {3}}, name: "gröd"}
	sum := 0
	for i, row := range g.cells {
		for j, c := range row {
			sum += c * (i + 1) * (j + 1)
			g.cells[i][j] = 0
		}
	}
	fmt.Println(sum, g.cells)
	for i := range g.cells {
		for j := range g.cells[i] {
			g.cells[i][j] = i*3 + j
		}
	}
	for i, row := range g.cells { // a copy
		g.cells[1][0] = 100
		fmt.Print(i, row, " ")
	}
	for i, row := range &g.cells { // no copy
		g.cells[1][0]++
		fmt.Print(i, row, " ")
	}
	fmt.Println()
	for _, row := range g.rows {
		for _, x := range row {
			fmt.Print(x, " ")
		}
	}
	for i, row := range g.rows {
		for j := range row {
			g.rows[i][j] *= 2
			row[j]++
		}
		g.rows = append(g.rows, row)
	}
	fmt.Println(g.rows)
	for i, r := range g.name {
		fmt.Print(i, ":", string(r), " ")
	}
	for _, r := range "a\xffé" {
		fmt.Print(r, " ")
	}
	for i, b := range []byte(g.name) {
		fmt.Print(i, b, " ")
	}
	fmt.Println()
	for range g.rows {
		fmt.Print(".")
	}
	for range 3 {
		fmt.Print("-")
	}
	for i := range uint8(3) {
		fmt.Printf("%T", i)
	}
	fmt.Println()
	var i int
	var v float64
	for i, v = range g.rows[0] {
		fmt.Print(i, v, " ")
	}
	for _, v = range g.rows[1] {
		fmt.Print(i, v, " ")
	}
	for i = range g.rows {
	}
	var k any
	for k, v = range g.rows[0] {
		fmt.Print(k, v, " ")
	}
	n := &node{}
	for n.value = range 5 {
	}
	for table[1], slice[0] = range []int{7, 8, 9} {
		fmt.Print(table[1], slice[0], " ")
	}
	for _, n.value = range []int{4, 5} {
		fmt.Print(n.value, " ")
	}
	fmt.Println(i, v, n.value)
	slice[0] = 3
	c := make(chan *node, 3)
	for i := range 3 {
		c <- &node{value: i}
	}
	close(c)
	for n := range c {
		n.value++
		fmt.Print(n.value)
	}
	fmt.Println()
	s := []int{1, 2, 3}
	for i, x := range s { // the slice is taken once
		if i == 0 {
			s = append(s, 4)
			s[1] = 20
			s = nil
		}
		fmt.Print(x, " ")
	}
	var fs []func() int
	for i, x := range []int{5, 6, 7} {
		fs = append(fs, func() int { i += x; return i })
	}
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i *= 2; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
	var e *[0]int
	for range e {
	}
	var none []struct{}
	for i, x := range append(none, struct{}{}, struct{}{}) {
		fmt.Print(i, x)
	}
	type pt struct{ x, y int }
	pts := []pt{{1, 2}, {3, 4}}
	for _, p := range pts {
		p.x = 9
		fmt.Print(p)
	}
	for i := range pts {
		p := &pts[i]
		p.x, p.y = p.y, p.x
	}
	fmt.Println(pts)
	for _, p := range [...]*pt{{1, 1}, {2, 2}} {
		p.x++
		fmt.Print(*p)
	}
	for i, f := range [2]func(int) int{func(x int) int { return x }, func(x int) int { return -x }} {
		fmt.Print(f(i + 1))
	}
	fmt.Println()
outer:
	for i, row := range g.rows {
		for _, x := range row {
			if x > 5 {
				continue outer
			}
			if i == 3 {
				break outer
			}
			fmt.Print(i, x, " ")
		}
	}
	fmt.Println()
}

func iterators() {
	count := func(n int) func(func(int, *node) bool) {
		return func(yield func(int, *node) bool) {
			for i := range n {
				if !yield(i, &node{value: i * i}) {
					fmt.Print("stopped ")
					return
				}
			}
		}
	}
	total := &node{}
	for i, n := range count(4) {
		total.value += n.value
		n.value = i
		fmt.Print(i, n.value, " ")
	}
	find := func(want int) (found *node) {
		defer func() { fmt.Print("left ") }()
		for i, n := range count(10) {
			defer func() { fmt.Print("d", n.value, " ") }()
			if n.value == want {
				found = n
				return n
			}
			total.value += i
		}
		return nil
	}
	fmt.Println(find(9).value, find(3) == nil, total.value)
outer:
	for i, n := range count(5) {
		for j := range count(5) {
			if j > i {
				continue outer
			}
			if n.value == 9 {
				break outer
			}
			table[j%4] += n.value
		}
	}
	fmt.Println(table)
	func() {
		defer func() { fmt.Println(recover()) }()
		for i := range count(5) {
			slice[i]++
		}
	}()
	fmt.Println(slice)
}
