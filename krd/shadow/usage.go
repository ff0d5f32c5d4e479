package shadow

// Usage is the memory that a shadow memory takes, in bytes, and what it has done.
type Usage struct {
	Tags       uint64 // tables of tags, uncompressed
	Versions   uint64
	Tables     uint64 // what leads to the tables
	Cache      uint64 // of vectors
	Compressed uint64
	Peak       uint64 // the most that all of these were together

	Scrubs     uint64 // tables of which tags were reset, or vectors
	Hits       uint64 // of the cache
	Misses     uint64
	Freed      uint64 // tables of levels that have ended
	Packed     uint64 // times that a table was compressed
	Unpacked   uint64
	UnpackedNS uint64 // the time of both
}

// Bytes is all that is taken now.
func (u *Usage) Bytes() uint64 {
	return u.Tags + u.Versions + u.Tables + u.Cache + u.Compressed
}

// took notes that parts have grown.
func (u *Usage) took() { u.Peak = max(u.Peak, u.Bytes()) }
