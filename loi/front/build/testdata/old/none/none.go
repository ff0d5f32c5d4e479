// Package none has a go.mod without a line of a version, which is Go 1.16.
package none

var Order = []string{"none"}

func Loops(p *[3]int) [3]int {
	var all []func()
	for i := range p {
		all = append(all, func() { p[i] += i + 1 })
	}
	for _, f := range all {
		f()
	}
	return *p
}
