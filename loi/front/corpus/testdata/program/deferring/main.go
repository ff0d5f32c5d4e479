package deferring

func nothing() {}

func half(a []float64, i int) float64 {
	defer nothing()
	return a[i] / 2
}

func named(a []float64, i int) (x float64, ok bool) {
	defer func() { ok = recover() == nil }()
	return a[i] + half(a, i), true
}

func chain(a []float64) {
	for i := 0; i < 4; i++ {
		a[i+1] = half(a, i)
	}
}

func pair(a []float64) (n int) {
	for i := 0; i < 9; i++ { // of 5
		if _, ok := named(a, i); ok {
			n++
		}
	}
	return n
}

func Main() {
	a := []float64{1, 2, 3, 4, 5}
	chain(a)
	if pair(a) != 5 {
		panic("pair")
	}
}
