//go:build go1.22

package main

func newLoops(p *[3]int) [3]int {
	var all []func()
	for i := range 3 {
		all = append(all, func() { p[i] += i })
	}
	for _, f := range all {
		f()
	}
	return *p
}
