package causes

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"krdlab/hw/hwtest/long"
)

// A scene is a drawn trace with what it is of.
type scene struct {
	trace            []event
	size             []uint64
	objectOf         []int
	kernels, objects int
	from, to         uint64
	opt              Options
}

func drawScene(t *rapid.T) *scene {
	s := &scene{
		kernels: rapid.IntRange(1, 4).Draw(t, "kernels"), objects: rapid.IntRange(1, 5).Draw(t,
			"objects"),
		opt: Options{Pairs: rapid.Bool().Draw(t, "pairs"), Sources: rapid.Bool().Draw(t, "sources"),
			Cold:      rapid.Bool().Draw(t, "cold"),
			Inclusive: rapid.Bool().Draw(t, "inclusive"), Bytes: rapid.Bool().Draw(t, "bytes")},
	}
	units := make([][]uint32, s.objects) // by object
	var total uint64
	most := rapid.SampledFrom([]int{1, 1, 4}).Draw(t, "units of an access")
	least := 0
	if most > 1 {
		least = 1
	}
	for u := range rapid.IntRange(s.objects, 30).Draw(t, "units") {
		o := u % s.objects
		units[o] = append(units[o], uint32(u))
		s.objectOf = append(s.objectOf, o)
		s.size = append(s.size, uint64(rapid.IntRange(least, 9).Draw(t, "size")))
		total += s.size[u]
	}
	s.from = uint64(rapid.IntRange(0, int(total)).Draw(t, "from"))
	s.to = Unbounded
	if rapid.Bool().Draw(t, "bounded") {
		s.to = s.from + uint64(rapid.IntRange(1, int(total)+1).Draw(t, "width"))
	}
	for range rapid.SampledFrom([]int{0, 3, 30, 300}).Draw(t, "accesses") {
		e := event{kernel: rapid.IntRange(0, s.kernels-1).Draw(t, "kernel"),
			object: rapid.IntRange(0, s.objects-1).Draw(t, "object")}
		list := units[e.object]
		first := rapid.IntRange(0, len(list)-1).Draw(t, "unit")
		for i := range min(len(list), rapid.IntRange(1, most).Draw(t, "many")) {
			e.units = append(e.units, list[(first+i)%len(list)])
		}
		s.trace = append(s.trace, e)
	}
	return s
}

func (s *scene) counter(t fataler) *Counter {
	c, err := New(s.kernels, s.objects, s.from, s.to, s.opt)
	if err != nil {
		t.Fatalf("no counter: %v", err)
	}
	for _, e := range s.trace {
		if len(e.units) == 1 {
			c.Access(e.kernel, e.object, e.units[0], s.size[e.units[0]])
			continue
		}
		var bytes []uint64
		for _, u := range e.units {
			bytes = append(bytes, s.size[u])
		}
		c.AccessAll(e.kernel, e.object, e.units, bytes)
	}
	return c
}

type fataler interface {
	Fatalf(format string, args ...any)
}

func compare(t fataler, what string, got, want *Result) {
	if !reflect.DeepEqual(got, want) {
		g, _ := json.MarshalIndent(got, "", " ")
		w, _ := json.MarshalIndent(want, "", " ")
		t.Fatalf("%s: got %s\nwant %s", what, g, w)
	}
}

func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		got := s.counter(t).Result(nil, nil)
		compare(t, "counted", got, naive(s.trace, s.size, s.objectOf, s.kernels, s.objects, s.from,
			s.to, s.opt))
		checkSums(t, s, got)
	})
}

// checkSums: rows sum to totals.
func checkSums(t fataler, s *scene, r *Result) {
	var k, o Counts
	for _, row := range r.Kernels {
		k.Accesses += row.Accesses
		k.AllAccesses += row.AllAccesses
		k.Cold += row.Cold
	}
	for _, row := range r.Objects {
		o.Accesses += row.Accesses
		o.AllAccesses += row.AllAccesses
		o.Cold += row.Cold
	}
	want := Counts{Accesses: r.Accesses, AllAccesses: r.AllAccesses, Cold: r.Cold}
	if k != want || o != want {
		t.Fatalf("kernels sum to %+v, objects to %+v, want %+v", k, o, want)
	}
	reuses := r.Accesses
	if r.ColdInRange {
		reuses -= r.Cold
	}
	var between float64
	for _, row := range r.Pairs {
		between += row.BetweenBytes
	}
	if s.opt.Pairs && between != r.BetweenBytes {
		t.Fatalf("pairs sum to %v bytes, the distances to %v", between, r.BetweenBytes)
	}
	var sources uint64
	for _, row := range r.KernelPairs {
		sources += row.Accesses
	}
	if s.opt.Sources && sources != reuses {
		t.Fatalf("kernel pairs sum to %d accesses, want %d", sources, reuses)
	}
}

// TestExhaustive counts every trace of up to 6 accesses to 4 units of two objects by two kernels,
// over every range.
func TestExhaustive(t *testing.T) {
	size, objectOf := []uint64{1, 3, 1, 2}, []int{0, 0, 1, 1}
	longest := long.Or(5, 6)
	checked := 0
	for n := 0; n <= longest; n++ {
		for code := range 1 << (2 * n) {
			var trace []event
			for i := range n {
				u := code >> (2 * i) & 3
				trace = append(trace, event{kernel: i % 2, object: objectOf[u],
					units: []uint32{uint32(u)}})
			}
			for from := uint64(0); from < 7; from += 2 {
				for _, to := range []uint64{from + 1, from + 3, Unbounded} {
					s := &scene{trace: trace, size: size, objectOf: objectOf, kernels: 2,
						objects: 2, from: from, to: to, opt: Options{Pairs: true, Sources: true}}
					got := s.counter(t).Result(nil, nil)
					compare(t, "counted", got, naive(trace, size, objectOf, 2, 2, from, to, s.opt))
					checked++
				}
			}
		}
	}
	if want := 12 * (1<<(2*(longest+1)) - 1) / 3; checked != want {
		t.Errorf("checked %d, want %d", checked, want)
	}
}

// TestMerge: the counts of two nodes, each with a stack of its own, add up.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		cut := rapid.IntRange(0, len(s.trace)).Draw(t, "cut")
		one, two := *s, *s
		one.trace, two.trace = s.trace[:cut], s.trace[cut:]
		a, b := one.counter(t), two.counter(t)
		alone := b.Result(nil, nil)
		if err := a.Merge(b); err != nil {
			t.Fatalf("not merged: %v", err)
		}
		got := a.Result(nil, nil)
		checkSums(t, s, got)
		compare(t, "the merged counter", b.Result(nil, nil), alone)

		first, second := one.counter(t).Result(nil, nil), alone
		if got.Accesses != first.Accesses+second.Accesses || got.AllAccesses != first.AllAccesses+
			second.AllAccesses || got.BetweenBytes != first.BetweenBytes+second.BetweenBytes {
			t.Fatalf("sum of %+v and %+v is %+v", first, second, got)
		}
		bytes, accesses, sources := map[[2]int]float64{}, map[[2]int]uint64{}, map[[2]int]uint64{}
		for _, r := range []*Result{first, second} {
			for _, row := range r.Pairs {
				bytes[[2]int{row.Number, row.BetweenNumber}] += row.BetweenBytes
				accesses[[2]int{row.Number, row.BetweenNumber}] += row.Accesses
			}
			for _, row := range r.KernelPairs {
				sources[[2]int{row.SourceNumber, row.Number}] += row.Accesses
			}
		}
		if len(got.Pairs) != len(bytes) || len(got.KernelPairs) != len(sources) {
			t.Fatalf("%d pairs and %d kernel pairs, want %d and %d", len(got.Pairs),
				len(got.KernelPairs), len(bytes), len(sources))
		}
		for _, row := range got.Pairs {
			if p := [2]int{row.Number, row.BetweenNumber}; row.BetweenBytes != bytes[p] ||
				row.Accesses != accesses[p] {
				t.Fatalf("pair %+v, want %v bytes and %d accesses", row, bytes[p], accesses[p])
			}
		}
		for _, row := range got.KernelPairs {
			if n := sources[[2]int{row.SourceNumber, row.Number}]; row.Accesses != n {
				t.Fatalf("kernel pair %+v, want %d accesses", row, n)
			}
		}
	})
}

// TestCulprit: a table that is reused at once, and one that is reused only after a log has been
// written through.
func TestCulprit(t *testing.T) {
	const (
		compute, flush     = 0, 1     // kernels
		hot, cold, journal = 0, 1, 2  // objects
		block, line        = 100, 500 // bytes
	)
	kernels, objects := []string{"compute", "flush"}, []string{"hot", "cold", "journal"}
	c, err := New(2, 3, 4000, Unbounded, Options{Pairs: true, Sources: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		c.Access(compute, cold, 0, block)
		for range 30 {
			c.Access(compute, hot, 1, block)
		}
		for i := range uint32(8) {
			c.Access(flush, journal, 2+i, line)
		}
	}
	r := c.Result(kernels, objects)
	// In the range, but for the first round: cold (100 hot and 8 x 500 journal between) and the
	// first access of each round to hot (100 cold and 8 x 500). The journal's own have 7 x 500 +
	// 200 between and are nearer.
	if r.Accesses != 9*2 || r.Cold != 1+1+8 || r.AllAccesses != 10*39 || r.BetweenBytes != 18*4100 {
		t.Errorf("%d of %d in the range, %d cold, %v bytes between", r.Accesses, r.AllAccesses,
			r.Cold, r.BetweenBytes)
	}
	type row struct {
		name     string
		accesses uint64
		share    float64
		own      uint64
		ownShare float64
	}
	var got []row
	for _, k := range r.Kernels {
		got = append(got, row{k.Kernel, k.Accesses, *k.Share, k.AllAccesses, *k.OwnShare})
	}
	for _, o := range r.Objects {
		got = append(got, row{o.Object, o.Accesses, *o.Share, o.AllAccesses, *o.OwnShare})
	}
	want := []row{
		{"compute", 18, 1, 310, 18.0 / 310}, {"flush", 0, 0, 80, 0},
		{"hot", 9, 0.5, 300, 0.03}, {"cold", 9, 0.5, 10, 0.9}, {"journal", 0, 0, 80, 0},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	half, tiny := 36000.0/73800, 900.0/73800
	pairs := []ObjectPairRow{
		{hot, "hot", journal, "journal", 36000, &half, 9}, {cold, "cold", journal, "journal", 36000,
			&half, 9},
		{hot, "hot", cold, "cold", 900, &tiny, 9}, {cold, "cold", hot, "hot", 900, &tiny, 9},
	}
	if !reflect.DeepEqual(r.Pairs, pairs) {
		t.Errorf("pairs %+v\nwant %+v", r.Pairs, pairs)
	}
	one := 1.0
	if sources := []KernelPairRow{{compute, "compute", compute, "compute", 18,
		&one}}; !reflect.DeepEqual(r.KernelPairs, sources) {
		t.Errorf("kernel pairs %+v, want %+v", r.KernelPairs, sources)
	}
}

// TestNothing: shares of nothing are null, and so is an upper bound that there is not.
func TestNothing(t *testing.T) {
	c, err := New(1, 1, 1<<20, Unbounded, Options{Pairs: true})
	if err != nil {
		t.Fatal(err)
	}
	c.Access(0, 0, 0, 8)
	text, err := json.Marshal(c.Result([]string{"k"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"from_bytes":1048576,"to_bytes":null,"cold_in_range":false,"accesses":0,"all_accesses":1,"cold":1,"between_bytes":0,` +
		`"kernels":[{"kernel_number":0,"kernel":"k","accesses":0,"share":null,"all_accesses":1,"own_share":0,"cold":1}],` +
		`"objects":[{"object_number":0,"object":"","accesses":0,"share":null,"all_accesses":1,"own_share":0,"cold":1}],` +
		`"object_pairs":[],"kernel_pairs":null}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestErrors(t *testing.T) {
	for _, r := range [][2]uint64{{0, 0}, {5, 5}, {5, 4}, {Unbounded, Unbounded}} {
		if _, err := New(1, 1, r[0], r[1], Options{}); !errors.Is(err, ErrRange) {
			t.Errorf("range %v: error %v, want ErrRange", r, err)
		}
	}
	counter := func(kernels, objects int, from, to uint64, opt Options) *Counter {
		c, err := New(kernels, objects, from, to, opt)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := counter(1, 2, 3, 4, Options{})
	for what, other := range map[string]*Counter{
		"from": counter(1, 2, 2, 4, Options{}), "to": counter(1, 2, 3, 5, Options{}),
		"kernels": counter(2, 2, 3, 4, Options{}),
		"objects": counter(1, 1, 3, 4, Options{}), "options": counter(1, 2, 3, 4,
			Options{Bytes: true}),
	} {
		if err := c.Merge(other); !errors.Is(err, ErrDiffer) || !strings.HasPrefix(err.Error(),
			"causes: ") {
			t.Errorf("merging a counter of other %s: error %v, want ErrDiffer", what, err)
		}
	}
	if err := c.Merge(counter(1, 2, 3, 4, Options{})); err != nil {
		t.Errorf("merging a like counter: %v", err)
	}
}

// TestSum: sums beyond 64 bits.
func TestSum(t *testing.T) {
	var s sum
	for range 4 {
		s.add(math.MaxUint64)
	}
	s.add(4)
	if want := math.Ldexp(1, 66); s.float() != want {
		t.Errorf("sum %v, want %v", s.float(), want)
	}
}
