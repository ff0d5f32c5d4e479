package cachemodel

// lru is a fully associative cache of whole blocks with LRU replacement by size. The list is
// circular through a sentinel, the most recently used block behind it; its links are indexed by
// block, and made when the cache is first used.
type lru struct {
	links    []link
	capacity uint64 // lines
	used     uint64
}

type link struct{ newer, older uint32 }

func (l *lru) sentinel() uint32 { return uint32(len(l.links) - 1) }

func (l *lru) reset() {
	l.used = 0
	if s := len(l.links) - 1; s >= 0 {
		l.links[s] = link{uint32(s), uint32(s)}
	}
}

// touch makes b, which is in the cache, the most recently used.
func (l *lru) touch(b uint32) {
	s := l.sentinel()
	if l.links[s].older == b {
		return
	}
	k := l.links[b]
	l.links[k.newer].older = k.older
	l.links[k.older].newer = k.newer
	l.front(s, b)
}

func (l *lru) front(s, b uint32) {
	first := l.links[s].older
	l.links[b] = link{newer: s, older: first}
	l.links[first].newer = b
	l.links[s].older = b
}

// push puts b, which is not in the cache, into it; there is room.
func (l *lru) push(b uint32, lines uint64) {
	l.front(l.sentinel(), b)
	l.used += lines
}

// remove takes b, which is in the cache, out of it.
func (l *lru) remove(b uint32, lines uint64) {
	k := l.links[b]
	l.links[k.newer].older = k.older
	l.links[k.older].newer = k.newer
	l.used -= lines
}

// oldest returns the least recently used block; there is one.
func (l *lru) oldest() uint32 { return l.links[l.sentinel()].newer }

// grow makes the links of a cache for so many blocks if it has none.
func (l *lru) grow(blocks int) {
	if l.links == nil {
		l.links = make([]link, blocks+1)
		l.reset()
	}
}
