package shadow

// An Amount is a number of bytes: at present, and the most there were.
type Amount struct{ Now, Peak uint64 }

// add changes an amount by n bytes, which may be negative.
func (a *Amount) add(n int) {
	a.Now += uint64(n)
	a.Peak = max(a.Peak, a.Now)
}

// Usage is the memory that a shadow memory takes, by part, and how often it did what costs time.
// The peaks of the parts may be of different moments, so that their sum is at least Total.Peak.
type Usage struct {
	Tags       Amount // tag tables in use
	Versions   Amount // versions in use, wherever they are
	Tables     Amount // segment tables, segments and level tables
	Cache      Amount // lines of the cache, their versions apart
	Compressed Amount // level tables that are compressed
	Free       Amount // tables that wait for their next use, and buffers of the compression
	Total      Amount

	Hits, Misses uint64 // accesses that found their line in the cache, and others
	Evictions    uint64 // vectors written from the cache to the storage
	Scrubs       uint64 // validations of a segment that found a level to scrub
	ScrubbedTags uint64 // tags set to zero there, those of freed tables not among them
	Freed        uint64 // tag tables of levels that ended
	Compressions uint64 // level tables compressed, and
	Expansions   uint64 // back
}

// add changes a part of the usage, and the total, by n bytes.
func (u *Usage) add(part *Amount, n int) {
	part.add(n)
	u.Total.add(n)
}

// move takes n bytes of a part to another.
func (u *Usage) move(from, to *Amount, n int) {
	from.add(-n)
	to.add(n)
}
