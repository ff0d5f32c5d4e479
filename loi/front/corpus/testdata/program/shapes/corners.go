package shapes

import "math"

func corners() int {
	list := []int{5, 3, 8, 1, 9, 2, 7, 4}
	records(list)
	ends(list)
	owners(list)
	n := nearest(list) + captured(list) + skipped(list)
	chosen(list)
	n += len(texts(5))
	if checked(list) {
		n++
	}
	a, at := []int{3, 14, 5, 8}, make([]int, 2)
	best(a, make([]int, 2), at)
	return noted(a, make([]int, 4)) + at[0] + (n)
}

func records(a []int) {
	d, m := make([]bool, len(a)), 10
	// want: ordered 1
	// by hand, which are the least so far
	for i, x := range a {
		if x < m {
			m = x
			d[i] = true
		}
	}
}

func ends(a []int) {
	lo, hi, at := 10, 0, 0
	// want: ordered 1; last value at
	// by hand, argument of the last minimum or maximum
	for i, x := range a {
		if x < lo {
			lo, at = x, i
		}
		if x > hi {
			hi, at = x, i
		}
	}
	a[at] = lo + hi
}

func owners(a []int) {
	m, at := []int{10, 10, 10}, make([]int, 3)
	// want: reduction; reduction at min; reduction m min
	// by hand, argmin of each of three
	for i, x := range a {
		if x < m[i%3] {
			m[i%3] = x
			at[i%3] = i
		}
	}
}

func nearest(a []int) int {
	m := math.Inf(1)
	// want: reduction; reduction m min
	// by hand, math.Min
	for _, x := range a {
		m = math.Min(m, float64(x))
	}
	return int(m)
}

func captured(a []int) int {
	var all []func() int
	// want: reduction; reduction all append
	// by hand, closures that have its variable
	for i := 0; i < len(a); i++ {
		all = append(all, func() int { return a[i] })
	}
	return len(all)
}

func skipped(a []int) (n int) {
outer:
	// want: reduction; reduction n +
	// by hand, continue of the outer loop
	for _, x := range a {
		// want: ordered 1
		// by hand, loop that a continue of the outer one ends
		for k := range 4 {
			if x == k*k {
				continue outer
			}
		}
		n++
	}
	return n
}

func chosen(a []int) {
	// want: doall
	// by hand, break of a switch
	for i, x := range a {
		switch {
		case x > 3:
			if i > 3 {
				break
			}
			a[i]++
		}
	}
}

func texts(n int) []string {
	buf, all := make([]byte, 2), make([]string, n)
	// want: ordered 1; private buf
	// by hand, string of bytes; one is kept
	for i := range all {
		if buf[0] = byte('a' + i); i%2 == 0 {
			buf[1] = buf[0]
		}
		all[i] = string(buf)
	}
	return all
}

func checked(a []int) bool {
	ok, n := true, 0
	check := func(x int) bool { n++; return x < 10 }
	// want: reduction; reduction n +; reduction ok &&
	// by hand, all are checked
	for _, x := range a {
		ok = check(x) && ok
	}
	return ok && n > 0
}

func noted(a, d []int) int {
	m := 100
	// want: ordered 1
	// by hand, minimum that notes where, in a place for each
	for i, x := range a {
		if x < m {
			m = x
			d[i] = 1
		}
	}
	return m
}

func best(a, most, at []int) {
	// want: reduction; reduction at max; reduction most max
	// by hand, maxima of groups
	for i, x := range a {
		k := x % 2
		if x > most[k] {
			most[k], at[k] = x, i
		}
	}
}
