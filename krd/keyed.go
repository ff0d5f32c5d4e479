package krd

import "krdlab/krd/stack"

// keyedBatch is accesses to data named by keys, gathered for the engine, which wants many at once.
type keyedBatch struct {
	engine *stack.Keyed
	tally  *tally
	total  uint64 // bytes of the distinct data seen
	want   int    // accesses to gather

	keys, sizes []uint64
	dist        []uint64 // of flush
}

func newKeyedBatch(opt stack.KeyedOptions, t *tally) keyedBatch {
	b := keyedBatch{engine: stack.NewKeyed(opt), tally: t}
	b.want = b.engine.BatchLen()
	return b
}

func (b *keyedBatch) add(key, size uint64) {
	b.keys, b.sizes = append(b.keys, key), append(b.sizes, size)
}

// room makes dist as long as what was gathered.
func (b *keyedBatch) room() []uint64 {
	b.dist = grow(b.dist, len(b.keys))
	return b.dist
}

// count makes the tally take what was gathered, whose distances the engine has put into dist.
func (b *keyedBatch) count() error {
	t, dist := b.tally, b.dist
	for i, size := range b.sizes {
		if dist[i] == stack.Cold {
			b.total = sumBytes(b.total, size)
			t.smaller(size)
		}
		t.one(dist[i], dist[i]+size, t.weight(size))
	}
	if b.total >= maxTotal {
		return tooLarge()
	}
	for i, size := range b.sizes {
		t.reach(needs(dist[i], size), size)
	}
	if t.misses != nil {
		for i, size := range b.sizes {
			t.predict(needs(dist[i], size), size)
		}
	}
	t.count += uint64(len(b.keys))
	return nil
}

func (b *keyedBatch) reset() {
	b.keys, b.sizes = b.keys[:0], b.sizes[:0]
	b.want = b.engine.BatchLen()
}
