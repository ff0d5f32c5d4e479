package basket

type Basket struct {
	ctr  int64
	a, p int32
}

func fill() *Basket {
	b := &Basket{ctr: 0, a: 0, p: 0}
	b.p = 1
	b.ctr = 1
	b.a = 1
	b.ctr = 2
	b.a = 2
	b.p = 2
	return b
}

var sink *Basket

func Main() {
	sink = fill()
}
