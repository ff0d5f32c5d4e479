// Stacks that grow wherever a function is called, also to record an access to a variable on them.
package growth

import (
	"fmt"
	"sync"
)

func walk(s []int, n int) int {
	if n == 0 {
		return 0
	}
	t := [1]int{n}
	return s[n&0] + walk(t[:], n-1)
}

func pad(n int) int {
	if n == 0 {
		return walk(make([]int, 1), 300)
	}
	return pad(n-1) + n
}

func Main() {
	var all sync.WaitGroup
	sums := make(chan int, 200)
	for i := range 200 {
		all.Go(func() { sums <- pad(i) })
	}
	all.Wait()
	sum := 0
	for range 200 {
		sum += <-sums
	}
	fmt.Println(sum)
}
