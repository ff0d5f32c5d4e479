package stretches

// That they are made begins the garbage collector, in every program of the corpus: no trace tells of it.
var large, small = make([]int, 1<<20), make([]int, 1<<10)

// far is a loop that is longer than the time between two bursts, and shorter than longLoop.
func far() {
	for i := range large {
		large[i]++
	}
}

func near() {
	for range 2000 {
		for i := range small {
			small[i]++
		}
	}
}

func Main() {
	for range 240 {
		far()
		near()
	}
}
