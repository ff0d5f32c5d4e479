package races

// bags tell whether an execution that has ended is ordered before what runs now, in the depth-first
// order of one worker alone: SP-bags (Feng and Leiserson, Efficient detection of determinacy races in
// Cilk programs, SPAA 1997). Each child that is open has an S-bag, of executions that what it does
// now follows, and a P-bag, of those that may run at the same time. A bag is a tree of executions;
// its root has the kind.
//
// Memory: 5 bytes an execution. Cost: nearly linear.
type bags struct {
	parent   []uint32 // by execution; itself: a root
	rank     []uint8  // of a root, with isParallel
	children []bag    // that are open
}

// A bag pair, by its roots; 0: it is empty.
type bag struct{ serial, parallel uint32 }

// isParallel marks the root of a P-bag; below it stands the rank of its tree, at most 32.
const isParallel = 1 << 7

func newBags(executions int) *bags {
	return &bags{parent: make([]uint32, executions+1), rank: make([]uint8, executions+1)}
}

// Begin begins a child.
func (b *bags) Begin(int) error {
	b.children = append(b.children, bag{})
	return nil
}

// execute puts an execution that begins into the S-bag of the child that is open.
func (b *bags) execute(n uint32) {
	top := &b.children[len(b.children)-1]
	b.parent[n] = n
	top.serial = b.join(top.serial, n, 0)
}

// Sync orders what the children of the phase did before what follows.
func (b *bags) Sync() {
	top := &b.children[len(b.children)-1]
	top.serial, top.parallel = b.join(top.serial, top.parallel, 0), 0
}

// End ends a child: its executions may run at the same time as what follows until the next Sync of
// the task around it.
func (b *bags) End() {
	top := len(b.children) - 1
	ended := b.children[top]
	b.children = b.children[:top]
	if top > 0 {
		around := &b.children[top-1]
		around.parallel = b.join(around.parallel, ended.serial, isParallel)
	}
}

// join makes one bag of two, of a kind, and returns its root.
func (b *bags) join(x, y uint32, kind uint8) uint32 {
	if x == 0 || y == 0 {
		x, y = max(x, y), 0
	}
	if x == 0 {
		return 0
	}
	rank := b.rank[x] &^ isParallel
	if y != 0 {
		switch other := b.rank[y] &^ isParallel; {
		case other > rank:
			x, y, rank = y, x, other
		case other == rank:
			rank++
		}
		b.parent[y] = x
	}
	b.rank[x] = rank | kind
	return x
}

// parallel reports whether an execution that has begun may run at the same time as what runs now.
func (b *bags) parallel(n uint32) bool {
	for b.parent[n] != n {
		b.parent[n] = b.parent[b.parent[n]]
		n = b.parent[n]
	}
	return b.rank[n]&isParallel != 0
}
