package initial

type pair struct {
	a int64
	p struct{ x, y int16 }
	b *int
}

var sink any

func fields() *pair  { return &pair{a: 1, p: struct{ x, y int16 }{2, 3}} } // 3 stores
func places() *pair  { return &pair{1, struct{ x, y int16 }{}, nil} }      // 4
func zeros() *pair   { return &pair{} }
func slice() []int32 { return []int32{1, 2, 3} } // 3
func keyed() []int32 { return []int32{7: 1} }    // left alone, and counted
//go:noinline
func array() *[5]int8 { return &[5]int8{1, 2} } // 2
func value() *int     { return new(5) }         // 1
func zero() *int      { return new(int) }
func made() []int     { return make([]int, 100) }
func variables() *int {
	x, y := 1, 2
	var z, no = 3, 4
	_ = no // it is on the stack
	sink = [2]*int{&x, &z}
	return &y // 3, and that of sink
}

func Main() {
	sink = fields()
	sink = places()
	sink = zeros()
	sink = slice()
	sink = keyed()
	sink = array()
	sink = value()
	sink = zero()
	sink = made()
	sink = variables()
}
