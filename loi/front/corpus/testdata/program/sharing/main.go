package sharing

import "runtime"

var data []int

func Main() {
	runtime.GOMAXPROCS(1)
	data = make([]int, 1000)
	for i := range data {
		data[i] = i
	}
	for range 4 {
		done := make(chan int)
		go read(done)
		<-done
	}
}

func read(done chan int) {
	sum := 0
	for range 3 {
		for _, n := range data {
			sum += n
		}
	}
	done <- sum
}
