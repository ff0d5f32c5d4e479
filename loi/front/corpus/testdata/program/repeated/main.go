package repeated

import (
	"flag"
	"strconv"
)

var a []int

func Main() {
	times, _ := strconv.Atoi(flag.Arg(1))
	a = make([]int, 100)
	for range times {
		for i := range a {
			a[i]++
		}
	}
}
