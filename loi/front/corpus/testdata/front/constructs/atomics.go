package constructs

import (
	"fmt"
	"sync/atomic"
)

type embedding struct {
	name string
	*gauge
	at   *int64
	mine int64
}

var (
	embedded = &embedding{gauge: &gauge{}}
	one, two int64
	pages    = []int64{1}
)

func pointerAndValue() (*int64, int64) { return &one, 5 }

// turned changes where embedded.at points to, and what embedded is.
func turned() int64 {
	embedded = &embedding{gauge: &gauge{}, at: &two, mine: embedded.mine}
	fmt.Print("turned ")
	return 7
}

func sameGauge(g *gauge) *gauge { fmt.Print("same "); return g }

// atomicOrder has atomic operations whose pointers are evaluated after what their values call.
func atomicOrder() {
	fmt.Println(atomic.AddInt64(pointerAndValue()))
	atomic.StoreInt64(pointerAndValue())
	embedded.Store(embedded.Add(2) + 1)
	embedded.gauge.Add(int64(side("value")))
	fmt.Println(embedded.Load(), (embedded.Int64.Load)(), embedded.
		Load())
	embedded.at = &one
	atomic.StoreInt64(embedded.at, turned())
	fmt.Println(one, two)
	embedded.at = &one
	fmt.Println(atomic.AddInt64(embedded.at, turned()), one, two)
	embedded.at = &one
	fmt.Println(atomic.CompareAndSwapInt64(embedded.at, turned(), 1<<turned()), one, two)
	before := embedded
	fmt.Println(atomic.AddInt64(&embedded.mine, turned()), before.mine, embedded.mine)
	before = embedded
	embedded.Store(turned())
	fmt.Println(before.Load(), embedded.Load())
	var none *embedding
	i := 3
	for n, f := range []func(){
		func() { none.Store(turned()) },
		func() { none.gauge.Store(pages[turned()]) },
		func() { none.gauge.Store(pages[i]) },
		func() { embedded.many[i].Store(uint32(turned())) },
		func() { sameGauge(nil).Store(turned()) },
		func() { sameGauge(before.gauge).Store(turned()) },
		func() { gauges["none"].Store(turned()) },
		func() { atomic.StoreInt64(&none.mine, turned()) },
		func() { atomic.StoreInt64(none.at, pages[i]) },
		func() { atomic.StoreInt64(nil, turned()) },
		func() { fmt.Println(atomic.LoadInt64(nil)) },
		func() { fmt.Println(atomic.CompareAndSwapInt64(&none.mine, turned(), pages[i])) },
		func() { fmt.Println(atomic.CompareAndSwapInt64(&pages[i], turned(), none.mine)) },
		func() { embedded.nested.flag.Store(turned() == turned()) },
		func() { embedded.value.Store(turned()) },
	} {
		func() {
			defer func() { fmt.Println(n, recover()) }()
			f()
		}()
	}
	fmt.Println(before.Load(), embedded.nested.flag.Load(), embedded.value.Load())
}
