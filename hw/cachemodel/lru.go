package cachemodel

// lru is a fully associative cache of whole blocks with LRU replacement by size. The list is
// circular through a sentinel, link 0, the most recently used block behind it; block b has link b+1.
// Links are made when the cache is first used.
type lru struct {
	links    []link
	capacity uint64 // lines
	used     uint64
	pushed   uint64 // lines that have come in
}

type link struct{ newer, older uint32 }

const sentinel = 0

func (l *lru) reset() {
	l.used, l.pushed = 0, 0
	if len(l.links) > 0 {
		l.links[sentinel] = link{}
	}
}

// touch makes b, which is in the cache, the most recently used.
func (l *lru) touch(b uint32) {
	if b++; l.links[sentinel].older == b {
		return
	}
	k := l.links[b]
	l.links[k.newer].older = k.older
	l.links[k.older].newer = k.newer
	l.front(b)
}

func (l *lru) front(k uint32) {
	first := l.links[sentinel].older
	l.links[k] = link{newer: sentinel, older: first}
	l.links[first].newer = k
	l.links[sentinel].older = k
}

// push puts b, which is not in the cache, into it; there is room.
func (l *lru) push(b uint32, lines uint64) {
	l.front(b + 1)
	l.used += lines
	l.pushed += lines
}

// remove takes b, which is in the cache, out of it.
func (l *lru) remove(b uint32, lines uint64) {
	k := l.links[b+1]
	l.links[k.newer].older = k.older
	l.links[k.older].newer = k.newer
	l.used -= lines
}

// oldest returns the least recently used block; there is one.
func (l *lru) oldest() uint32 { return l.links[sentinel].newer - 1 }

// grow makes the links of so many blocks that are not there yet.
func (l *lru) grow(blocks int) {
	if len(l.links) <= blocks {
		l.makeLinks(blocks)
	}
}

func (l *lru) makeLinks(blocks int) {
	l.links = append(l.links, make([]link, blocks+1-len(l.links))...)
}
