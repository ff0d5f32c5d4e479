package shadow

// Usage is the memory that a shadow memory takes, in bytes, and what it has done.
type Usage struct {
	Tags       uint64 `json:"tags"` // tables of tags, uncompressed
	Versions   uint64 `json:"versions"`
	Tables     uint64 `json:"tables"` // what leads to the tables
	Cache      uint64 `json:"cache"`  // of vectors
	Compressed uint64 `json:"compressed"`
	Peak       uint64 `json:"peak"` // the most that all of these were together

	Scrubs     uint64 `json:"scrubs"` // tables of which tags were reset, or vectors
	Hits       uint64 `json:"hits"`   // of the cache
	Misses     uint64 `json:"misses"`
	Freed      uint64 `json:"freed"`  // tables of levels that have ended
	Packed     uint64 `json:"packed"` // times that a table was compressed
	Unpacked   uint64 `json:"unpacked"`
	UnpackedNS uint64 `json:"unpacked_ns"` // the time of both
}

// Bytes is all that is taken now.
func (u *Usage) Bytes() uint64 {
	return u.Tags + u.Versions + u.Tables + u.Cache + u.Compressed
}

// took notes that parts have grown.
func (u *Usage) took() { u.Peak = max(u.Peak, u.Bytes()) }

// Add adds another memory's, as if both had been largest at once.
func (u *Usage) Add(o *Usage) {
	u.Tags += o.Tags
	u.Versions += o.Versions
	u.Tables += o.Tables
	u.Cache += o.Cache
	u.Compressed += o.Compressed
	u.Peak += o.Peak
	u.Scrubs += o.Scrubs
	u.Hits += o.Hits
	u.Misses += o.Misses
	u.Freed += o.Freed
	u.Packed += o.Packed
	u.Unpacked += o.Unpacked
	u.UnpackedNS += o.UnpackedNS
}
