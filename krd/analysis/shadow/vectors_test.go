package shadow

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Theorem 1: the tag of a level is valid if and only if the region that wrote it is still open, and
// so if and only if the version there is at most that of the innermost region when it was written.
func TestTheorem1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Levels
		var vectors [][]Version // of all stores: the regions that were open
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch step := rapid.IntRange(0, 3).Draw(t, "step"); {
			case step <= 1:
				l.Enter()
			case step == 2 && l.Depth() > 0:
				l.Leave()
			case step == 3:
				vectors = append(vectors, slices.Clone(l.open))
			}
			for _, wrote := range vectors {
				v := Version(0)
				if len(wrote) > 0 {
					v = wrote[len(wrote)-1]
				}
				n := l.Valid(v)
				for i := range l.Depth() {
					valid := i < len(wrote) && wrote[i] == l.At(i)
					if valid != (l.At(i) <= v) || valid != (i < n) {
						t.Fatalf("level %d of %v, written in %v: valid %v; %d levels are, from %d",
							i, l.open, wrote, valid, n, v)
					}
				}
			}
		}
	})
}

// naive is vectors as they are defined: a map of tags for each region that is open.
type naive[T comparable] struct{ regions []map[uint64]T }

func (n *naive[T]) load(datum uint64) []T {
	var out []T
	for _, r := range n.regions {
		out = append(out, r[datum])
	}
	return out
}

func (n *naive[T]) store(datum uint64, tags []T) {
	for i, r := range n.regions {
		r[datum] = tags[i]
	}
}

// variants are all that differs between vectors, small, so that tables are left, lines are evicted
// and level tables are compressed.
func variants(compress bool) (list []VectorOptions) {
	small := VectorOptions{TableBytes: 64, Uncompressed: 128}
	for _, small.Validation = range []Validation{Baseline, Slim, Bulk} {
		for _, small.Cache = range []int{0, 64} {
			list = append(list, small)
			if compress {
				small.Compress = true
				list = append(list, small)
				small.Compress = false
			}
		}
	}
	return list
}

// name returns the options that differ, for the names of tests.
func (o VectorOptions) name() string {
	s := [...]string{"baseline", "slim", "bulk"}[o.Validation]
	for _, x := range []struct {
		on   bool
		name string
	}{{o.Cache > 0, "+cache"}, {o.Compress, "+compress"}} {
		if x.on {
			s += x.name
		}
	}
	return s
}

// addresses are of few segments and few lines of the cache, and from all over.
var addresses = func() (list []uint64) {
	for i := range uint64(24) {
		list = append(list, 0x1000+i*8, 0x1000+i*64+3)
	}
	return append(list, 0, 1, math.MaxUint64, math.MaxUint64-64, 1<<63, 1<<63-8, 1<<32, 1<<21-1,
		1<<21)
}()

// All variants give the vectors that a map for each region gives, whatever the tags are made of,
// and account for each byte they hold; and each technique was seen at work.
func TestVectorsNaive(t *testing.T) {
	t.Run("uint64", func(t *testing.T) {
		testNaive(t, true, func(n int) uint64 { return uint64(n) << 20 })
	})
	t.Run("bytes", func(t *testing.T) {
		testNaive(t, true, func(n int) [3]byte { return [3]byte{byte(n), byte(n >> 8), 1} })
	})
	t.Run("uint16", func(t *testing.T) {
		testNaive(t, true, func(n int) uint16 { return uint16(n) })
	})
	t.Run("uint32s", func(t *testing.T) {
		testNaive(t, true, func(n int) [3]uint32 { return [3]uint32{uint32(n), 7, uint32(-n)} })
	})
	t.Run("string", func(t *testing.T) {
		testNaive(t, false, func(n int) string { return fmt.Sprint(n) })
	})
}

func testNaive[T comparable](t *testing.T, compress bool, tag func(int) T) {
	for _, opt := range variants(compress) {
		t.Run(opt.name(), func(t *testing.T) {
			var did Usage
			widened := false
			rapid.Check(t, func(t *rapid.T) {
				var l Levels
				v, err := NewVectors[T](&l, opt)
				if err != nil {
					t.Fatal(err)
				}
				var want naive[T]
				stores := 0
				deep := rapid.IntRange(1, 20).Draw(t, "deep")
				for range rapid.IntRange(1, 200).Draw(t, "steps") {
					step := rapid.IntRange(0, 9).Draw(t, "step")
					addr := rapid.SampledFrom(addresses).Draw(t, "addr")
					datum := addr / 8
					switch {
					case step <= 1 && l.Depth() < deep:
						for range rapid.IntRange(1, 3).Draw(t, "enter") {
							l.Enter()
							want.regions = append(want.regions, map[uint64]T{})
						}
					case step <= 3 && l.Depth() > 0:
						l.Leave()
						want.regions = want.regions[:l.Depth()]
					case step <= 6:
						var zero T
						tags := make([]T, l.Depth())
						stores++
						for i := range tags {
							if tags[i] = tag(stores*32 + i); stores%8 == 7 && i%2 == 1 {
								tags[i] = zero
							}
						}
						v.Store(addr, tags)
						want.store(datum, tags)
					case step == 7: // what Load returned may be stored
						from := rapid.SampledFrom(addresses).Draw(t, "from")
						v.Store(addr, v.Load(from))
						want.store(datum, want.load(from/8))
					case step == 8 && addr < 1<<63:
						from := addr &^ (uint64(v.storage.opt.TableBytes) - 1)
						to := from + uint64(v.storage.opt.TableBytes*rapid.IntRange(1, 600).Draw(t, "tables"))
						v.Forget(from, to)
						for _, region := range want.regions {
							maps.DeleteFunc(region, func(d uint64, _ T) bool { return d >= from/8 && d < to/8 })
						}
					}
					if got, want := v.Load(addr), want.load(datum); !slices.Equal(got, want) {
						t.Fatalf("%x in %v: %v, want %v", addr, l.open, got, want)
					}
				}
				for _, addr := range addresses {
					if got, want := v.Load(addr), want.load(addr/8); !slices.Equal(got, want) {
						t.Fatalf("at the end %x in %v: %v, want %v", addr, l.open, got, want)
					}
				}
				accounts(t, v)
				did.sum(v.Usage())
				widened = widened || v.cache != nil && v.cache.width > firstWidth
			})
			bulk := opt.Validation == Bulk
			for _, x := range []struct {
				what string
				did  bool
				must bool
			}{
				{"hits", did.Hits > 0, opt.Cache > 0},
				{"misses", did.Misses > 0, opt.Cache > 0},
				{"evictions", did.Evictions > 0, opt.Cache > 0},
				{"lines widened", widened, opt.Cache > 0},
				{"scrubs", did.Scrubs > 0, bulk},
				{"tables freed", did.Freed > 0, bulk},
				{"compressions", did.Compressions > 0, opt.Compress},
				{"expansions", did.Expansions > 0, opt.Compress},
			} {
				if x.did != x.must {
					t.Errorf("%s: %v, want %v", x.what, x.did, x.must)
				}
			}
		})
	}
}

// sum adds the counts of another usage.
func (u *Usage) sum(of Usage) {
	u.Hits += of.Hits
	u.Misses += of.Misses
	u.Evictions += of.Evictions
	u.Scrubs += of.Scrubs
	u.Freed += of.Freed
	u.Compressions += of.Compressions
	u.Expansions += of.Expansions
}

// segments returns all, by their numbers.
func segments[T comparable](m *vstorage[T]) (list []*segment[T]) {
	for _, n := range slices.Sorted(maps.Keys(m.directory.blocks)) {
		for _, s := range m.directory.blocks[n].list {
			if s != nil {
				list = append(list, s)
			}
		}
	}
	return list
}

// accounts checks the bytes of a usage against what there is.
func accounts[T comparable](t interface{ Fatalf(string, ...any) }, v *Vectors[T]) {
	var tags, versions, tables, packed, cache int
	m := &v.storage
	perTags, perVersions := m.tableTags*sizeOf[T](), m.tableTags*8
	for _, s := range segments(m) {
		tables += sizeOf[segment[T]]() + m.levelBytes(s)
		packed += cap(s.packed)
		if m.opt.Validation == Bulk {
			versions, tables = versions+8, tables-8
		}
		if s.slot >= 0 && m.cold.list[s.slot] != s {
			t.Fatalf("segment %x is not in its place of the list", s.number)
		}
		for _, x := range s.tags {
			if x != nil {
				tags += perTags
			}
		}
		for _, x := range s.versions {
			if x != nil {
				versions += perVersions
			}
		}
	}
	tables += int(m.directory.bytes())
	free := len(m.free)*perTags + len(m.freeVersions)*perVersions
	if m.cold != nil {
		tables += len(m.cold.list) * 8
		for i, s := range m.cold.list {
			if s.slot != i || s.packed != nil || !slices.Contains(segments(m), s) {
				t.Fatalf("segment %x is in place %d of the list", s.number, i)
			}
		}
		free += cap(m.cold.raw) + cap(m.cold.packed)
	}
	if v.cache != nil {
		versions += 8 * len(v.cache.heads)
		cache = 8*len(v.cache.heads) + len(v.cache.tags)*sizeOf[T]()
	}
	u := v.Usage()
	for _, x := range []struct {
		part string
		got  Amount
		want int
	}{{"tags", u.Tags, tags}, {"versions", u.Versions, versions}, {"tables", u.Tables, tables},
		{"cache", u.Cache, cache}, {"compressed", u.Compressed, packed}, {"free", u.Free, free},
		{"total", u.Total, tags + versions + tables + cache + packed + free}} {
		if x.got.Now != uint64(x.want) || x.got.Peak < x.got.Now {
			t.Fatalf("%s: %+v, want %d", x.part, x.got, x.want)
		}
	}
}

// TestZeroVectors checks that vectors of zeros take nothing where there is no other.
func TestZeroVectors(t *testing.T) {
	for _, v := range []Validation{Baseline, Slim, Bulk} {
		var l Levels
		l.enter(3)
		vectors := newVectors(t, &l, VectorOptions{Validation: v})
		vectors.Store(1<<20, make([]uint64, 3))
		if u := vectors.Usage(); u.Total.Peak != 0 {
			t.Errorf("%v: %d bytes", v, u.Total.Peak)
		}
		vectors.Store(1<<20, []uint64{0, 1, 0})
		vectors.Store(1<<20, make([]uint64, 3))
		if got := vectors.Load(1 << 20); !slices.Equal(got, make([]uint64, 3)) {
			t.Errorf("%v: %v, after zeros were stored", v, got)
		}
	}
}

// Sizes that cannot be, and tags that would be lost, are errors.
func TestVectorsOptions(t *testing.T) {
	var l Levels
	for _, opt := range []VectorOptions{{Datum: 3}, {Datum: -8}, {TableBytes: 4}, {TableBytes: 96},
		{Cache: 4}, {Cache: 24}, {Cache: -1}} {
		if _, err := NewVectors[uint64](&l, opt); err == nil {
			t.Errorf("%+v is no error", opt)
		}
	}
	opt := VectorOptions{Compress: true}
	_, pointer := NewVectors[*int](&l, opt)
	_, inside := NewVectors[struct{ a [2]string }](&l, opt)
	_, none := NewVectors[struct{}](&l, opt)
	_, flat := NewVectors[struct{ a [2]float64 }](&l, opt)
	if pointer == nil || inside == nil || none == nil || flat != nil {
		t.Errorf("compressed tags: %v, %v, %v, %v, want three errors", pointer, inside, none, flat)
	}
}
