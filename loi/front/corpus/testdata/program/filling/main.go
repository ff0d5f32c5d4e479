package filling

import (
	"flag"
	"strconv"
)

var v = make([]int, 1000)

// Main never ends where it is told no number.
func Main() {
	end, err := strconv.Atoi(flag.Arg(1))
	for i := 0; err != nil || i < end; i++ {
		v[i%1000]++
	}
}
