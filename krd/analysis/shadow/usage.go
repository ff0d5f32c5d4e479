package shadow

// An Amount is a number of bytes: at present, and the most there were.
type Amount struct {
	Now  uint64 `json:"now"`
	Peak uint64 `json:"peak"`
}

// add changes an amount by n bytes, which may be negative.
func (a *Amount) add(n int) {
	a.Now += uint64(n)
	a.Peak = max(a.Peak, a.Now)
}

// Usage is the memory that a shadow memory takes, by part, and how often it did what costs time.
// The peaks of the parts may be of different moments, so that their sum is at least Total.Peak.
type Usage struct {
	Tags       Amount `json:"tags"`       // tag tables in use
	Versions   Amount `json:"versions"`   // versions in use, wherever they are
	Tables     Amount `json:"tables"`     // what leads to the tables
	Cache      Amount `json:"cache"`      // lines of the cache, their versions apart
	Compressed Amount `json:"compressed"` // tables that are compressed
	Free       Amount `json:"free"`       // tables that wait for their next use, and buffers
	Total      Amount `json:"total"`

	Hits         uint64 `json:"hits"` // accesses that found their line in the cache, and others
	Misses       uint64 `json:"misses"`
	Evictions    uint64 `json:"evictions"`     // vectors written from the cache to the storage
	Scrubs       uint64 `json:"scrubs"`        // validations of a table that found a level to scrub
	ScrubbedTags uint64 `json:"scrubbed_tags"` // 0: the tables of levels that ended are freed whole
	Freed        uint64 `json:"freed"`         // tag tables of levels that ended
	Compressions uint64 `json:"compressions"`  // tables compressed, and
	Expansions   uint64 `json:"expansions"`    // back
}

func (u *Usage) amounts() [7]*Amount {
	return [...]*Amount{&u.Tags, &u.Versions, &u.Tables, &u.Cache, &u.Compressed, &u.Free, &u.Total}
}

func (u *Usage) counts() [8]*uint64 {
	return [...]*uint64{&u.Hits, &u.Misses, &u.Evictions, &u.Scrubs, &u.ScrubbedTags, &u.Freed,
		&u.Compressions, &u.Expansions}
}

// Add adds another memory's, as if both had been largest at once.
func (u *Usage) Add(o *Usage) {
	from := o.amounts()
	for i, x := range u.amounts() {
		x.Now += from[i].Now
		x.Peak += from[i].Peak
	}
	counts := o.counts()
	for i, x := range u.counts() {
		*x += *counts[i]
	}
}

// Change updates u, a sum over memories, for one memory that goes from before to after. The peaks
// of u are those of the sum: at a new peak of the memory, the others are taken to be as they are
// now.
func (u *Usage) Change(before, after *Usage) {
	from, to := before.amounts(), after.amounts()
	for i, x := range u.amounts() {
		x.Now += to[i].Now - from[i].Now
		most := x.Now
		if to[i].Peak > from[i].Peak {
			most += to[i].Peak - to[i].Now
		}
		x.Peak = max(x.Peak, most)
	}
	past, counts := before.counts(), after.counts()
	for i, x := range u.counts() {
		*x += *counts[i] - *past[i]
	}
}

// Gone returns the usage of a memory that is given back.
func (u *Usage) Gone() Usage {
	gone := *u
	for _, x := range gone.amounts() {
		x.Now = 0
	}
	return gone
}

// add changes a part of the usage, and the total, by n bytes.
func (u *Usage) add(part *Amount, n int) {
	part.add(n)
	u.Total.add(n)
}

// set makes a part of the usage n bytes.
func (u *Usage) set(part *Amount, n uint64) { u.add(part, int(n-part.Now)) }

// move takes n bytes of a part to another.
func (u *Usage) move(from, to *Amount, n int) {
	from.add(-n)
	to.add(n)
}
