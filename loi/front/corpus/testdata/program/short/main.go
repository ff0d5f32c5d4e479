package short

var x = make([]int, 10)

func Main() {
	for i := range x {
		x[i] = i
	}
}
