package constructs

import (
	"errors"
	"fmt"
	"io"
)

type state struct {
	n, m   int
	log    []string
	inner  struct{ a, b [2]int }
	err    error
	opened bool
}

func (s *state) note(text string) *state { s.log = append(s.log, text); return s }

func control() {
	s := &state{}
	// labels, goto, labelled break and continue
	i := 0
again:
	s.n += i
	if i++; i < 4 {
		goto again
	}
outer:
	for s.m = 0; s.m < 5; s.m++ {
		for j := range 5 {
			switch {
			case j == s.m:
				continue outer
			case s.m == 3 && j == 2:
				break outer
			default:
				s.n += j * s.m
			}
		}
	}
	fmt.Println(s.n, s.m)
	// switches
	for k := range 6 {
		switch s.n = k; s.n {
		case 0:
			fmt.Print("zero ")
			fallthrough
		case 1:
			fmt.Print("one ")
		case s.m, s.m + 1:
			fmt.Print("m ")
			if k == 4 {
				break
			}
			fmt.Print("m+ ")
		default:
			fmt.Print("other ")
		}
	}
	fmt.Println()
	for _, x := range []any{1, "a", 2.5, nil, s, io.EOF, []int{1}, map[int]int{}, uint8(3), 'x'} {
		switch y := x.(type) {
		case nil:
			fmt.Print("nil ")
		case int, uint8:
			fmt.Printf("%v ", y)
		case string:
			fmt.Print(y[0], " ")
		case *state:
			y.n = 100
			fmt.Print(y.n, " ")
		case error:
			fmt.Print(y.Error(), " ")
		case []int:
			y[0]++
			fmt.Print(y[0], " ")
		default:
			fmt.Printf("%T ", y)
		}
	}
	fmt.Println()
	// if chains
	if s.n > 1000 {
		fmt.Println("big")
	} else if s.m = s.n + 1; s.m > 101 {
		fmt.Println("no")
	} else if q := &s.m; *q == 101 {
		fmt.Println("yes", *q)
	} else {
		fmt.Println("none")
	}
	fmt.Println(named(1))
	fmt.Println(named(0))
	fmt.Println(multi(s))
	func() {
		defer fmt.Println("first", s.n)
		defer s.note("chained").note("deferred " + fmt.Sprint(s.n))
		s.n++
		for i := range 3 {
			defer func() { s.log = append(s.log, fmt.Sprint("d", i, s.n)); s.n++ }()
		}
	}()
	fmt.Println(s.log, s.n)
	for s.opened = true; s.opened; s.opened = s.n < 110 {
		s.n += 2
	}
	fmt.Println(s.n)
	var e error = &wrapped{io.EOF}
	fmt.Println(errors.Is(e, io.EOF), e)
	s.inner.a[1], s.inner.b = 3, [2]int{7, 8}
	t := *s
	t.inner.a[1]++
	fmt.Println(s.inner, t.inner, s.inner == t.inner, s.inner.b == t.inner.b)
	{
		s := s.n
		s++
		fmt.Println(s)
	}
}

type wrapped struct{ err error }

func (w *wrapped) Error() string { return "wrapped " + w.err.Error() }
func (w *wrapped) Unwrap() error { return w.err }

func named(n int) (r int, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("recovered: %v", x)
			r *= 10
		}
	}()
	r = 5
	return 10 / n, nil
}

func multi(s *state) (a, b int, _ string) {
	defer func() { a, b = b, a }()
	a, b = s.n, s.m
	return a + 1, b + 1, "x"
}

func recovered() {
	try := func(name string, f func()) {
		defer func() {
			x := recover()
			_, isError := x.(error)
			fmt.Println(name, "->", x, isError)
		}()
		f()
	}
	var p *node
	var np **node
	var m map[string]int
	var a any = 3
	var f func()
	var e error
	var arr *[3]int
	n, zero := 5, 0
	s := []int{1, 2, 3}
	try("load", func() { _ = p.value })
	try("store", func() { p.value = 1 })
	try("update", func() { p.value++ })
	try("double", func() { _ = (*np).value })
	try("index", func() { _ = s[n] })
	try("index store", func() { s[n] = 1 })
	try("index minus", func() { s[zero-1]++ })
	try("slice", func() { _ = s[n:] })
	try("slice 3", func() { _ = s[n-3 : n-4 : n] })
	try("map", func() { m["a"] = 1 })
	try("map read", func() { fmt.Print(m["a"], len(m), " "); delete(m, "a") })
	try("divide", func() { n /= zero })
	try("divide field", func() { q := &node{}; q.value = n % q.value })
	try("assert", func() { _ = a.(string) })
	try("assert interface", func() { _ = a.(error) })
	try("call", func() { f() })
	try("method", func() { _ = e.Error() })
	try("array", func() { _ = arr[n%3] })
	try("array range", func() {
		for i := range arr {
			fmt.Print(i)
		}
		for _, v := range arr {
			fmt.Print(v)
		}
	})
	try("convert", func() { _ = [4]int(s) })
	try("negative", func() { _ = make([]int, zero-1) })
	try("compare", func() { var x, y any = s, s; fmt.Print(x == y) })
	try("key", func() { _ = map[any]int{}[s] })
	try("closed", func() { c := make(chan int); close(c); close(c) })
	try("shift", func() { _ = 1 << (zero - 1) })
	try("order", func() { s[n] = side("right") })
	try("order 2", func() { p.value = side("right") })
	try("order 3", func() { p.value, s[0] = side("a"), side("b") })
	try("order 4", func() { fmt.Println(p.value, side("argument")) })
	try("order 5", func() { fmt.Println(s[n], side("argument")) })
	try("order 6", func() { s[n] = p.value })
	try("order 7", func() { p.next.value = s[n] })
	try("order 8", func() { s[side("i")+n] = side("v") })
	try("order 9", func() { m["a"] = side("v") })
	try("order 10", func() { _ = p.value + side("v") })
	try("order 11", func() { _ = s[n] + side("v") })
	try("order 12", func() { _ = side("v") + s[n] })
	try("order 13", func() { s[n], n = n, side("x") })
	try("order 14", func() { p.kids[n].value += side("v") })
	try("order 15", func() { p.next.next = &node{value: side("v")} })
	fmt.Println(s, n)
}
