package shadow

import (
	"math"
	"slices"
	"testing"
)

// enter begins n regions.
func (l *Levels) enter(n int) {
	for range n {
		l.Enter()
	}
}

// leave ends n regions.
func (l *Levels) leave(n int) {
	for range n {
		l.Leave()
	}
}

func newVectors(t testing.TB, l *Levels, opt VectorOptions) *Vectors[uint64] {
	t.Helper()
	v, err := NewVectors[uint64](l, opt)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// vector returns n tags from first on.
func vector(n int, first uint64) []uint64 {
	tags := make([]uint64, n)
	for i := range tags {
		tags[i] = first + uint64(i)
	}
	return tags
}

// Figures 2 and 3: a vector of n tags takes n versions in the baseline, one with SlimTV, and with
// BulkTV one for all addresses of a table. The regions of a level share its tags.
func TestFigures2And3(t *testing.T) {
	const levels, datums = 5, 4096 / 8
	for _, x := range []struct {
		validation Validation
		versions   uint64
	}{{Baseline, levels * datums}, {Slim, datums}, {Bulk, 1}} {
		t.Run(VectorOptions{Validation: x.validation}.name(), func(t *testing.T) {
			var l Levels
			v := newVectors(t, &l, VectorOptions{Validation: x.validation})
			for range 3 { // other regions at the same levels
				l.enter(levels)
				for i := range uint64(datums) {
					v.Store(1<<40+8*i, vector(levels, i+1))
				}
				u := v.Usage()
				if u.Tags != (Amount{8 * levels * datums, 8 * levels * datums}) {
					t.Errorf("tags take %+v, want %d bytes", u.Tags, 8*levels*datums)
				}
				if u.Versions != (Amount{8 * x.versions, 8 * x.versions}) {
					t.Errorf("versions take %+v, want %d bytes", u.Versions, 8*x.versions)
				}
				l.leave(levels)
			}
		})
	}
}

// Tags of the zero value take no tables, and overwrite what there is.
func TestZeroTags(t *testing.T) {
	for _, opt := range variants(true) {
		t.Run(opt.name(), func(t *testing.T) {
			opt.Cache = 0
			var l Levels
			v := newVectors(t, &l, opt)
			l.enter(4)
			v.Store(0, []uint64{1, 0, 0, 0})
			if u := v.Usage(); u.Tags.Now != uint64(opt.TableBytes) {
				t.Errorf("tags take %d bytes, want one table", u.Tags.Now)
			}
			v.Store(0, []uint64{0, 2, 0, 0})
			if got := v.Load(0); !slices.Equal(got, []uint64{0, 2, 0, 0}) {
				t.Errorf("%v", got)
			}
		})
	}
}

// Figure 4: a vector written in region 4 is read in region 7, where the version vector is 1, 5, 6,
// 7: only the outermost level is valid, and the version becomes 7.
func TestFigure4(t *testing.T) {
	for _, opt := range variants(true) {
		t.Run(opt.name(), func(t *testing.T) {
			var l Levels
			v := newVectors(t, &l, opt)
			l.enter(3)
			l.leave(1)
			l.enter(1)
			v.Store(64, []uint64{10, 20, 40})
			l.leave(2)
			l.enter(3)
			if !slices.Equal(l.open, []Version{1, 5, 6, 7}) {
				t.Fatalf("version vector %v", l.open)
			}
			if got := v.Load(64); !slices.Equal(got, []uint64{10, 0, 0, 0}) {
				t.Errorf("read in region 7: %v", got)
			}
			switch {
			case opt.Cache > 0:
				if h := v.cache.heads[0]; h.version != 7|dirty {
					t.Errorf("version %d, want 7", h.version&^dirty)
				}
			case opt.Validation == Bulk:
				if s := segments(&v.storage)[0]; s.version != 7 {
					t.Errorf("version %d, want 7", s.version)
				}
			}
			v.Store(64, []uint64{11, 51, 61, 71})
			l.leave(1)
			if got := v.Load(64); !slices.Equal(got, []uint64{11, 51, 61}) {
				t.Errorf("read in region 6: %v", got)
			}
		})
	}
}

// Figure 5: an access validates the whole table, from the first level that is not valid on; the
// next access in the region finds that done.
func TestFigure5(t *testing.T) {
	var l Levels
	v := newVectors(t, &l, VectorOptions{Validation: Bulk})
	l.enter(4)
	v.Store(0, vector(4, 10))
	v.Store(4088, vector(4, 20))
	v.Store(4096, vector(4, 30)) // of another table
	s := segments(&v.storage)[0]
	before := slices.Clone(s.tags)
	l.leave(2)
	l.enter(2) // versions 1, 2, 5, 6
	v.Load(8)
	for level, table := range before {
		at, there := [2]uint64{table[0], table[511]}, s.tags[level] != nil
		want := [2]uint64{10 + uint64(level), 20 + uint64(level)}
		if at != want || there != (level < 2) {
			t.Errorf("level %d has a table: %v, with %v, want %v", level, there, at, want)
		}
	}
	if u := v.Usage(); u.Freed != 2 || u.Free.Now != 2*4096 || u.Scrubs != 1 {
		t.Errorf("usage of the scrub: %+v", u)
	}
	v.Load(0)
	v.Store(4088, vector(4, 50))
	if again := v.Usage(); again.Scrubs != 1 {
		t.Errorf("%d scrubs, want one in the region", again.Scrubs)
	}
	if other := segments(&v.storage)[1]; other.version != 4 || other.tags[3][0] != 33 {
		t.Errorf("the other table has version %d, tag %d", other.version, other.tags[3][0])
	}
	if got := v.Load(0); !slices.Equal(got, []uint64{10, 11, 0, 0}) {
		t.Errorf("the table's first vector: %v", got)
	}
}

// Figure 6: a line of the cache is a version and a vector; a line that leaves it goes to the
// storage, where tags are grouped by level; a level that ended gives its table back, to be used
// again.
func TestFigure6(t *testing.T) {
	var l Levels
	v := newVectors(t, &l, VectorOptions{Validation: Bulk, Cache: 1024})
	l.enter(3)
	v.Store(16, vector(3, 10))
	if len(segments(&v.storage)) != 0 {
		t.Fatal("the storage has a vector that no line left")
	}
	if h, line := v.cache.line(16, 3); *h != (head{2, 3 | dirty}) ||
		!slices.Equal(line, vector(3, 10)) {
		t.Errorf("line %+v, %v", *h, line)
	}
	if h, _ := v.cache.line(24, 3); h.version != 0 {
		t.Error("the neighbour was fetched, too")
	}
	v.Store(16+1024, vector(3, 20)) // takes the line
	s := segments(&v.storage)[0]
	if u := v.Usage(); u.Evictions != 1 || u.Tags.Now != 3*4096 || s.version != 3 {
		t.Errorf("after an eviction: %+v, version %d", u, s.version)
	}
	for level, table := range s.tags {
		if table[2] != 10+uint64(level) || table[130] != 0 {
			t.Errorf("level %d: %d and %d", level, table[2], table[130])
		}
	}
	v.Load(16 + 2048) // nobody wrote it: its line is not written back
	v.Load(16)
	if u := v.Usage(); u.Evictions != 2 || u.Misses != 4 || u.Hits != 0 {
		t.Errorf("after reads: %+v", u)
	}
	inner := s.tags[2]
	l.leave(1)
	l.enter(2)
	if got := v.Load(16 + 1024); !slices.Equal(got, []uint64{20, 21, 0, 0}) {
		t.Errorf("from the storage: %v", got)
	}
	if u := v.Usage(); u.Freed != 1 || u.Tags.Now != 2*4096 || u.Free.Now != 4096 ||
		s.tags[2] != nil {
		t.Errorf("after level 2 ended: %+v", u)
	}
	l.leave(1)
	v.Store(16, vector(3, 70))
	v.Load(16 + 1024)
	if s.tags[2] == nil || &s.tags[2][0] != &inner[0] || s.tags[2][2] != 72 || s.tags[2][130] != 0 {
		t.Error("the table of level 2 was not used again, clear")
	}
}

// A line has room for the depth: it doubles, and vectors stay.
func TestCacheWidens(t *testing.T) {
	var l Levels
	v := newVectors(t, &l, VectorOptions{Validation: Bulk, Cache: 64})
	for depth := 1; depth <= 40; depth++ {
		l.Enter()
		for i := range uint64(8) {
			old := v.Load(8 * i)
			for level, tag := range old[:depth-1] {
				if tag != uint64(level+1)<<i {
					t.Fatalf("depth %d, level %d of %d: %d", depth, level, i, tag)
				}
			}
			tags := slices.Clone(old)
			tags[depth-1] = uint64(depth) << i
			v.Store(8*i, tags)
		}
		width := firstWidth
		for width < depth {
			width *= 2
		}
		if u := v.Usage(); v.cache.width != width || u.Cache.Now != uint64(8*(8+width*8)) ||
			u.Evictions != 0 {
			t.Errorf("depth %d: lines of %d levels, %+v; want %d", depth, v.cache.width, u, width)
		}
	}
}

// A vector of 300 levels, and addresses from one end to the other.
func TestDeepAndFar(t *testing.T) {
	for _, opt := range variants(true) {
		t.Run(opt.name(), func(t *testing.T) {
			var l Levels
			v := newVectors(t, &l, opt)
			var at []uint64
			for bit := range 64 {
				at = append(at, uint64(1)<<bit, math.MaxUint64-uint64(1)<<bit)
			}
			l.enter(300)
			for i, addr := range at {
				if addr >= 8 { // the bits below are of datum 0
					v.Store(addr, vector(300, uint64(i)<<32))
				}
			}
			l.leave(100)
			l.enter(100)
			for i, addr := range at {
				if addr < 8 {
					continue
				}
				want := vector(200, uint64(i)<<32)
				for j, x := range at[i+1:] { // of one datum, the last
					if x/8 == addr/8 {
						want = vector(200, uint64(i+1+j)<<32)
					}
				}
				if got := v.Load(addr); !slices.Equal(got, append(want, make([]uint64, 100)...)) {
					t.Fatalf("%x: %v", addr, got)
				}
			}
			l.leave(300)
			accounts(t, v)
		})
	}
}

// Level tables beyond Uncompressed are compressed, and take less; those in use are not. The clock
// spares what was used since it came by; its first rounds find all used, and take the first, which comes
// back at once: there is one more from then on, twice.
func TestCompression(t *testing.T) {
	const levels, segments = 8, 64
	var l Levels
	v := newVectors(t, &l, VectorOptions{Validation: Bulk, Compress: true, Uncompressed: 8 * 4096})
	l.enter(levels)
	for i := range uint64(segments * 512) {
		tags := make([]uint64, levels)
		for level := range tags { // times: a constant apart from level to level
			tags[level] = 1000*(i%77) + 10*uint64(levels-level)
		}
		v.Store(8*i, tags)
		v.Load(0) // always warm
	}
	u := v.Usage()
	if u.Tags.Now != 10*levels*4096 || u.Compressions != segments-10+2 || u.Expansions != 2 {
		t.Errorf("%+v: want 10 of %d segments as they are", u, segments)
	}
	if full := uint64((segments - 10) * levels * 4096); u.Compressed.Now == 0 ||
		u.Compressed.Now > full/8 {
		t.Errorf("%d bytes of %d after compression", u.Compressed.Now, full)
	}
	v.Load(4096)
	if now := v.Usage(); now.Expansions != 3 || now.Compressions != u.Compressions+1 {
		t.Errorf("after a read of a compressed table: %+v", now)
	}
}

// A program that strides through all its data has them uncompressed after a few rounds, and one that comes back
// late has them compressed each time.
func TestCompressionOfStrides(t *testing.T) {
	const levels, segments, rounds = 8, 64, 50
	for _, work := range []uint64{1, 1000} { // at each place
		var l Levels
		v := newVectors(t, &l, VectorOptions{Validation: Bulk, Compress: true, Uncompressed: 8 * 4096})
		l.enter(levels)
		tags := vector(levels, 100)
		for range rounds {
			for at := range uint64(segments) {
				for i := range work {
					v.Store(4096*at+8*(i%512), tags)
				}
			}
		}
		if x := v.Usage().Expansions; (x < 3*segments) != (work == 1) {
			t.Errorf("%d uses at each place: %d expansions", work, x)
		}
	}
}

// Of levels that ended nothing is compressed, and nothing is expanded where all have.
func TestCompressionOfEnded(t *testing.T) {
	var l Levels
	v := newVectors(t, &l, VectorOptions{Validation: Bulk, Compress: true, Uncompressed: 4096})
	l.enter(8)
	v.Store(0, vector(8, 10))
	l.leave(6)
	l.enter(6)
	v.Store(4096, vector(8, 20))
	first := segments(&v.storage)[0]
	if u := v.Usage(); u.Compressions != 1 || first.used != 2 || first.packed == nil {
		t.Errorf("%d of 8 levels compressed, want 2: %+v", first.used, u)
	}
	l.leave(8)
	l.enter(8)
	if got := v.Load(0); !slices.Equal(got, make([]uint64, 8)) {
		t.Errorf("of other regions: %v", got)
	}
	if u := v.Usage(); u.Compressions != 1 || u.Expansions != 0 || u.Compressed.Now != 0 {
		t.Errorf("when all had ended: %+v", u)
	}
}

// Load and Store allocate nothing once the tables are there, whatever the variant.
func TestVectorsAllocate(t *testing.T) {
	for _, opt := range variants(false) {
		t.Run(opt.name(), func(t *testing.T) {
			var l Levels
			v := newVectors(t, &l, opt)
			l.enter(10)
			tags := vector(12, 1)
			if n := testing.AllocsPerRun(20, func() {
				l.enter(2)
				for i := range uint64(64) {
					v.Store(8*i, tags)
					v.Load(8*i + 128)
				}
				l.leave(2)
			}); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}
