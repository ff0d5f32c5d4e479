package krd

import (
	"errors"

	"krdlab/krd/stack"
)

// gathered is accesses that the filter did not answer.
type gathered struct {
	keys, sizes []uint64
	slots       []uint8  // of what they replaced in the filter
	of          []uint32 // groups
	by, tags    []uint32 // workers and, of what they replaced, the last; none before the second worker
}

// emptied returns g without its accesses, and with room for n, so that appending copies nothing.
func (g gathered) emptied(n int, workers uint32) gathered {
	g = gathered{g.keys[:0], g.sizes[:0], g.slots[:0], g.of[:0], g.by[:0], g.tags[:0]}
	if cap(g.keys) < n {
		n += n / 8
		g = gathered{keys: make([]uint64, 0, n), sizes: make([]uint64, 0, n),
			slots: make([]uint8, 0, n), of: make([]uint32, 0, n)}
	}
	if workers > 1 && cap(g.by) < n {
		g.by, g.tags = make([]uint32, 0, n), make([]uint32, 0, n)
	}
	return g
}

// background is the part of a stream that analyses what was gathered while more is: between start
// and wait it belongs to its goroutine, otherwise to the stream.
type background struct {
	keyedBatch
	groups groupTable
	taken  gathered
	done   chan error // nil: nothing is under way
}

// start begins to analyse the gathered accesses, and returns room for want more.
func (b *background) start(g gathered, want, groups int, workers uint32) gathered {
	room := b.taken.emptied(want, workers)
	b.taken, b.keys, b.sizes, b.done = g, g.keys, g.sizes, make(chan error, 1)
	if more := groups - len(b.groups.list); more > 0 {
		b.groups.list = append(b.groups.list, make([]groupCounts, more)...)
	}
	if workers < 2 {
		b.taken.tags = nil
	}
	go func() { b.done <- b.analyse() }()
	return room
}

// wait waits for what start began.
func (b *background) wait() error {
	if b.done == nil {
		return nil
	}
	err := <-b.done
	b.done = nil
	return err
}

func (b *background) analyse() error {
	g := &b.taken
	if err := b.engine.DistancesFiltered(g.keys, g.sizes, g.slots, g.tags, b.room()); err != nil {
		var e *stack.SizeError
		if errors.As(err, &e) {
			return datumError(g.of[e.Index], e)
		}
		return err
	}
	if err := b.count(); err != nil {
		return err
	}
	for i, group := range g.of {
		b.groups.add(group, b.tally.groupBin(b.dist[i], g.sizes[i]), g.sizes[i], 1)
	}
	if g.tags != nil {
		for i, worker := range g.by {
			if g.tags[i] != worker && b.dist[i] != stack.Cold {
				b.tally.addShared(g.sizes[i])
			}
		}
	}
	return nil
}

// absorb moves what was counted to the stream's own counts.
func (b *background) absorb(t *tally, groups *groupTable) {
	t.merge(b.tally)
	b.tally.forget()
	groups.merge(&b.groups)
	b.groups = groupTable{}
}
