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

func newKeyedBatch(cores int, t *tally) keyedBatch {
	b := keyedBatch{engine: stack.NewKeyed(stack.KeyedOptions{Cores: cores}), tally: t}
	b.want = b.engine.BatchLen()
	return b
}

func (b *keyedBatch) add(key, size uint64) {
	b.keys, b.sizes = append(b.keys, key), append(b.sizes, size)
}

// flush makes the engine and the tally take what was gathered; tags and prev as the engine has
// them, nil without. Until reset the accesses stay, with their distances.
func (b *keyedBatch) flush(tags, prev []uint16) error {
	b.dist = grow(b.dist, len(b.keys))
	t, dist := b.tally, b.dist
	if err := b.engine.DistancesTagged(b.keys, b.sizes, tags, dist, prev); err != nil {
		return err
	}
	for i, size := range b.sizes {
		if dist[i] == stack.Cold {
			b.total = sumBytes(b.total, size)
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
