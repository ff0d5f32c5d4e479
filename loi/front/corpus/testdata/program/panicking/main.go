package panicking

var p = new(int)

//krd:kernel broken
func broken() {
	*p++
	panic("broken")
}

func try() {
	defer func() { recover() }()
	broken()
}

func Main() {
	for range 5 {
		try()
		*p++
	}
}
