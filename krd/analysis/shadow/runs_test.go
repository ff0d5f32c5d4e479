package shadow

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A variant is a way in which Runs may be kept.
type variant struct {
	name string
	opt  RunsOptions
}

// runsVariants are all of them, with tables so small that several are touched and evicted.
func runsVariants() []variant {
	return []variant{
		{"baseline", RunsOptions{Validation: Baseline, Table: 256}},
		{"slim", RunsOptions{Validation: Slim, Table: 256}},
		{"bulk", RunsOptions{Validation: Bulk, Table: 256}},
		{"bulk, compressed", RunsOptions{Validation: Bulk, Table: 256, Compress: true, Uncompressed: 512}},
	}
}

// A sets keeps a set of data for each region that is open.
type sets struct {
	open  []map[uint64]bool
	datum uint64
}

func (n *sets) touch(addr uint64, fresh []uint64) (before int) {
	for i, set := range n.open {
		if set[addr/n.datum] {
			before++
			continue
		}
		set[addr/n.datum] = true
		fresh[i]++
	}
	return before
}

// TestRuns walks random trees of regions with all variants at once, and compares each with sets.
func TestRuns(t *testing.T) {
	var packed, wide uint64
	rapid.Check(t, func(t *rapid.T) {
		var l Levels
		deep := rapid.SampledFrom([]int{5, 20, 200}).Draw(t, "deep")
		datum := rapid.SampledFrom([]uint64{1, 8, 16}).Draw(t, "datum")
		base := rapid.SampledFrom([]uint64{0, 1 << 30, 1<<64 - 1<<12}).Draw(t, "base")
		var memories []Runs
		for _, v := range runsVariants() {
			v.opt.Datum = datum
			m, err := NewRuns(&l, v.opt)
			if err != nil {
				t.Fatal(err)
			}
			memories = append(memories, m)
		}
		n := sets{datum: datum}
		fresh := make([][]uint64, len(memories)+1)
		for i := range fresh {
			fresh[i] = make([]uint64, deep)
		}
		enter := func() {
			l.Enter()
			n.open = append(n.open, map[uint64]bool{})
			for i := range fresh {
				fresh[i][l.Depth()-1] = 0
			}
		}
		enter()
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
			case step < 3:
				for range rapid.IntRange(1, 1+deep/5).Draw(t, "enters") {
					if l.Depth() < deep {
						enter()
					}
				}
			case step < 5:
				for range rapid.IntRange(1, 1+deep/5).Draw(t, "leaves") {
					if l.Depth() > 1 || l.Depth() == 1 && step == 4 {
						l.Leave()
						n.open = n.open[:l.Depth()]
					}
				}
			case step < 6:
				a := base + rapid.Uint64Range(0, 4095).Draw(t, "marked")
				want := n.touch(a, fresh[0])
				for i, m := range memories {
					got := m.Mark(a)
					if got != want {
						t.Fatalf("%s: Mark(%#x) = %d, expected %d", runsVariants()[i].name, a, got, want)
					}
					for level := got; level < l.Depth(); level++ {
						fresh[i+1][level]++
					}
				}
			case step < 8:
				if l.Depth() == 0 {
					enter()
				}
				a := base + rapid.Uint64Range(0, 4000).Draw(t, "span")
				bytes := rapid.Uint64Range(1, 96).Draw(t, "bytes")
				var first []uint64
				from, last := a/datum, (a+bytes-1)/datum
				for i := range last - from + 1 { // last may be the largest number
					d := from + i
					if n.touch(d*datum, fresh[0]) == 0 {
						first = append(first, d*datum)
					}
				}
				for i, m := range memories {
					m.Span(a, bytes, fresh[i+1])
					if got := m.First(); !slices.Equal(got, first) {
						t.Fatalf("%s: of a span first %x, expected %x", runsVariants()[i].name, got, first)
					}
				}
			case rapid.Bool().Draw(t, "of bytes"):
				if l.Depth() == 0 {
					enter()
				}
				var places, first []uint64
				var bytes []uint32
				for range rapid.IntRange(1, 40).Draw(t, "accesses") {
					a := base + rapid.Uint64Range(0, 4000).Draw(t, "place")
					long := rapid.Uint32Range(0, 96).Draw(t, "bytes")
					places, bytes = append(places, a), append(bytes, long)
					from, last := a/datum, (a+uint64(max(long, 1))-1)/datum
					for i := range last - from + 1 {
						if d := (from + i) * datum; n.touch(d, fresh[0]) == 0 {
							first = append(first, d)
						}
					}
				}
				for i, m := range memories {
					m.Accesses(places, bytes, fresh[i+1])
					if got := m.First(); !slices.Equal(got, first) {
						t.Fatalf("%s: of accesses first %x, expected %x", runsVariants()[i].name, got, first)
					}
				}
			default:
				if l.Depth() == 0 {
					enter()
				}
				at := rapid.Uint64Range(0, 4095).Draw(t, "at")
				var list []uint64
				for i := range rapid.Uint64Range(1, 40).Draw(t, "accesses") {
					list = append(list, base+(at+i*5)%4096)
				}
				var first []uint64
				for _, a := range list {
					if n.touch(a, fresh[0]) == 0 {
						first = append(first, a/datum*datum)
					}
				}
				for i, m := range memories {
					m.Touch(list, fresh[i+1])
					if got := m.First(); !slices.Equal(got, first) {
						t.Fatalf("%s: first %x, expected %x", runsVariants()[i].name, got, first)
					}
				}
			}
			for i := range memories {
				if d := l.Depth(); !slices.Equal(fresh[0][:d], fresh[i+1][:d]) {
					t.Fatalf("%s: %v data touched by level, expected %v", runsVariants()[i].name,
						fresh[i+1][:d], fresh[0][:d])
				}
			}
			if l.Depth() > narrowDepth {
				wide++
			}
		}
		packed += memories[3].Usage().Expansions
	})
	if packed == 0 || wide == 0 {
		t.Errorf("%d tables unpacked, %d steps beyond %d levels: expected some of each", packed, wide,
			narrowDepth)
	}
}

// TestCut cuts tags as the portable code does.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Uint8Range(0, narrowDepth), 0, 200).Draw(t, "tags")
		list = list[:len(list)/8*8]
		most := rapid.Uint8Range(0, narrowDepth).Draw(t, "most")
		want := slices.Clone(list)
		for i, x := range want {
			want[i] = min(x, most)
		}
		portable := slices.Clone(list)
		cutPortable(portable, most)
		cut(list, most)
		if !slices.Equal(list, want) || !slices.Equal(portable, want) {
			t.Fatalf("%v and %v, expected %v", list, portable, want)
		}
	})
}

// TestFigure4OfRuns is the paper's: a datum is accessed in region 4, and then in 7, where regions 1, 5, 6
// and 7 are open. Of these only 1 had begun by 4.
func TestFigure4OfRuns(t *testing.T) {
	for _, v := range runsVariants() {
		var l Levels
		m, err := NewRuns(&l, v.opt)
		if err != nil {
			t.Fatal(err)
		}
		var fresh [4]uint64
		l.Enter() // 1
		l.Enter()
		l.Leave()
		l.Enter() // 3
		l.Enter() // 4
		m.Touch([]uint64{64}, fresh[:])
		if fresh != [4]uint64{1, 1, 1, 0} {
			t.Errorf("%s: region 4 has touched %v", v.name, fresh)
		}
		l.Leave()
		l.Leave()
		l.Enter()
		l.Enter()
		l.Enter() // 7
		open := fmt.Sprint(l.open)
		if valid := l.Valid(4); valid != 1 || open != "[1 5 6 7]" {
			t.Errorf("%d levels of %s are valid, expected 1 of [1 5 6 7]", valid, open)
		}
		if before := m.Mark(64); before != 1 {
			t.Errorf("%s: %d levels had touched it, expected 1", v.name, before)
		}
	}
}

// TestRunsMemory is figure 3: versions for each tag, for each address, for each table.
func TestRunsMemory(t *testing.T) {
	const levels, data = 18, 8192 // of a table
	for _, x := range []struct {
		v              Validation
		tags, versions uint64
	}{{Baseline, 0, levels * data * 8}, {Slim, 0, data * 8}, {Bulk, data, 8}} {
		var l Levels
		m, err := NewRuns(&l, RunsOptions{Validation: x.v})
		if err != nil {
			t.Fatal(err)
		}
		for range levels {
			l.Enter()
		}
		m.Touch([]uint64{0, 8}, make([]uint64, levels))
		u := m.Usage()
		if u.Tags.Now != x.tags || u.Versions.Now != x.versions {
			t.Errorf("%v: %d bytes of tags and %d of versions, expected %d and %d", x.v, u.Tags.Now,
				u.Versions.Now, x.tags, x.versions)
		}
	}
}

// TestCompressed checks that compressed tables take less than a tenth, where a table was touched as
// one.
func TestCompressed(t *testing.T) {
	var l Levels
	m, err := NewRuns(&l, RunsOptions{Validation: Bulk, Compress: true,
		Uncompressed: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	l.Enter()
	const bytes = 64 << 20
	var list []uint64
	for a := uint64(0); a < bytes; a += 8 {
		if a>>12%5 != 0 {
			list = append(list, a)
		}
	}
	fresh := make([]uint64, 2)
	m.Touch(list, fresh)
	l.Enter()
	m.Touch(list, fresh)
	if n := uint64(len(list)); fresh[0] != n || fresh[1] != n {
		t.Errorf("%d touched, of %d", fresh, n)
	}
	u := m.Usage()
	if u.Tags.Now != 1<<20/8 || u.Compressed.Now > bytes/8/10 || u.Compressed.Now == 0 ||
		u.Expansions == 0 {
		t.Errorf("usage %+v", u)
	}
}

func TestRunsOptions(t *testing.T) {
	for _, o := range []RunsOptions{{Datum: 3}, {Table: 100}, {Datum: 64, Table: 256}, {Validation: 3}} {
		if _, err := NewRuns(new(Levels), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// BenchmarkTouch makes the accesses to lines of a divide and conquer multiplication of 2048 x 2048
// matrices in tiles, 18 levels of regions deep.
func BenchmarkTouch(b *testing.B) {
	for _, v := range []variant{{"baseline", RunsOptions{Validation: Baseline}},
		{"slim", RunsOptions{Validation: Slim}}, {"bulk", RunsOptions{Validation: Bulk}},
		{"compressed", RunsOptions{Validation: Bulk, Compress: true}}} {
		b.Run(v.name, func(b *testing.B) {
			v.opt.Datum = 64
			accesses := uint64(0)
			for b.Loop() {
				var l Levels
				m, err := NewRuns(&l, v.opt)
				if err != nil {
					b.Fatal(err)
				}
				p := product{l: &l, m: m, fresh: make([]uint64, 18)}
				p.multiply(0, 0, 0, 2048, 2048, 2048)
				accesses += p.n
				if p.fresh[0] != 3*2048*2048*4/64 {
					b.Fatalf("%d lines touched", p.fresh[0])
				}
			}
			b.ReportMetric(float64(accesses)/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}

// A product is the accesses of C += A B.
type product struct {
	l     *Levels
	m     Runs
	fresh []uint64
	list  []uint64
	n     uint64
}

func (p *product) multiply(i, j, k, m, n, o uint64) {
	p.l.Enter()
	p.fresh[p.l.Depth()-1] = 0
	switch {
	case o > 64 && o >= m && o >= n:
		p.multiply(i, j, k, m, n, o/2)
		p.multiply(i, j, k+o/2, m, n, o/2)
	case m > 32 && m >= n:
		p.multiply(i, j, k, m/2, n, o)
		p.multiply(i+m/2, j, k, m/2, n, o)
	case n > 32:
		p.multiply(i, j, k, m, n/2, o)
		p.multiply(i, j+n/2, k, m, n/2, o)
	default:
		p.list = p.list[:0]
		p.tile(0<<32, i/32*32+k/64, 32*64)
		p.tile(1<<32, k/64*64+j/32, 64*32)
		p.tile(2<<32, i/32*64+j/32, 32*32)
		p.m.Touch(p.list, p.fresh)
		p.m.First()
		p.n += uint64(len(p.list))
	}
	p.l.Leave()
}

// tile adds the lines of a tile of so many elements.
func (p *product) tile(matrix, number, elements uint64) {
	at := matrix + number*elements*4
	for a := at; a < at+elements*4; a += 64 {
		p.list = append(p.list, a)
	}
}
