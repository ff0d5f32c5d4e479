package causes

import (
	"cmp"
	"math/bits"
	"slices"
)

// A Result ranks who causes the accesses in a range of distances. Counts are of accesses, or of
// their bytes with Options.Bytes. Rows are in descending order of what they are ranked by, then by
// number. A share is between 0 and 1, and nil if it is a share of nothing.
type Result struct {
	FromBytes   uint64  `json:"from_bytes"`
	ToBytes     *uint64 `json:"to_bytes"`      // nil: unbounded
	ColdInRange bool    `json:"cold_in_range"` // first accesses count as in the range
	Accesses    uint64  `json:"accesses"`      // in the range
	AllAccesses uint64  `json:"all_accesses"`
	// first accesses, whether or not they are in the range
	Cold uint64 `json:"cold"`
	// sum of the distances in the range, the bytes of the accesses themselves left out
	BetweenBytes float64 `json:"between_bytes"`

	Kernels []KernelRow `json:"kernels"`
	Objects []ObjectRow `json:"objects"`
	// By names what Groups are, of the accesses of a Go program; absent: not asked for.
	By          string          `json:"by,omitempty"`
	Groups      []GroupRow      `json:"groups,omitempty"`
	NotKnown    int             `json:"not_known,omitempty"` // groups of which a sample has too little
	Pairs       []ObjectPairRow `json:"object_pairs"`        // nil: not asked for
	KernelPairs []KernelPairRow `json:"kernel_pairs"`        // nil: not asked for
	Paths       []PathRow       `json:"paths,omitempty"`
}

// Counts are those of one kernel or one object.
type Counts struct {
	Accesses    uint64   `json:"accesses"`     // in the range
	Share       *float64 `json:"share"`        // of all accesses in the range
	AllAccesses uint64   `json:"all_accesses"` // its own, at any distance, at least 1
	OwnShare    *float64 `json:"own_share"`    // Accesses / AllAccesses
	Cold        uint64   `json:"cold"`         // its own
}

// A KernelRow counts the accesses of one kernel.
type KernelRow struct {
	Number int    `json:"kernel_number"`
	Kernel string `json:"kernel"`
	Counts
}

// An ObjectRow counts the accesses to one object.
type ObjectRow struct {
	Number int    `json:"object_number"`
	Object string `json:"object"`
	Counts
}

// A GroupRow counts the accesses that have something in common, such as the function.
type GroupRow struct {
	Name string `json:"name"`
	Counts
}

// A PathRow counts the accesses that one path of calls leads to.
type PathRow struct {
	Frames []Frame `json:"frames"` // outermost first
	Counts
	BytesInRange uint64 `json:"bytes_in_range"` // of the accesses in the range
}

// A Frame is a step of a path of calls: a region that is open, or the kernel that accesses.
type Frame struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // "function", "loop", "task" or "kernel"
}

// InGroup returns what was counted of a group, and the bytes of its accesses in the range.
func (c *Counter) InGroup(i int) (counts Counts, bytesInRange uint64) {
	var t groupTally
	if i < len(c.groups) {
		t = c.groups[i]
	}
	return c.counts(t.tally), t.bytes
}

// Group ranks groups, which may name one several times: their Accesses, AllAccesses and Cold are
// summed up, and shares made of them.
func (r *Result) Group(by string, rows []GroupRow) {
	at := map[string]int{}
	r.By, r.Groups = by, []GroupRow{}
	for _, x := range rows {
		i, seen := at[x.Name]
		if !seen {
			i, at[x.Name] = len(r.Groups), len(r.Groups)
			r.Groups = append(r.Groups, GroupRow{Name: x.Name})
		}
		g := &r.Groups[i]
		g.Accesses, g.AllAccesses, g.Cold = g.Accesses+x.Accesses, g.AllAccesses+x.AllAccesses,
			g.Cold+x.Cold
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		g.Share = ratio(float64(g.Accesses), float64(r.Accesses))
		g.OwnShare = ratio(float64(g.Accesses), float64(g.AllAccesses))
	}
	slices.SortStableFunc(r.Groups,
		func(a, b GroupRow) int { return cmp.Compare(b.Accesses, a.Accesses) })
}

// An ObjectPairRow counts what of one object was touched between accesses to another, or to itself,
// and their last accesses.
type ObjectPairRow struct {
	Number        int    `json:"object_number"`
	Object        string `json:"object"` // accessed
	BetweenNumber int    `json:"between_number"`
	Between       string `json:"between"` // touched in between
	// of it, in the distances of accesses in the range; exact below 2^53
	BetweenBytes float64  `json:"between_bytes"`
	Share        *float64 `json:"share"`    // of all bytes in those distances
	Accesses     uint64   `json:"accesses"` // in the range, with some byte of it in between
}

// A KernelPairRow counts the accesses in the range by the kernel that used the same data last and
// the one that uses it again.
type KernelPairRow struct {
	SourceNumber int      `json:"source_number"`
	Source       string   `json:"source"`
	Number       int      `json:"kernel_number"`
	Kernel       string   `json:"kernel"`
	Accesses     uint64   `json:"accesses"` // first accesses have no source and are not among them
	Share        *float64 `json:"share"`    // of all accesses in the range
}

// Result ranks the counts. The names are by number; an entry without one is named "".
func (c *Counter) Result(kernels, objects []string) *Result {
	r := &Result{
		FromBytes: c.from, ColdInRange: c.opt.Cold && c.to == Unbounded,
		Accesses: c.all.within, AllAccesses: c.all.all, Cold: c.all.cold,
		BetweenBytes: c.distances.float(),
		Kernels:      []KernelRow{}, Objects: []ObjectRow{},
	}
	if c.to != Unbounded {
		r.ToBytes = &c.to
	}
	for i, t := range c.kernels {
		if t.all > 0 {
			r.Kernels = append(r.Kernels, KernelRow{i, name(kernels, i), c.counts(t)})
		}
	}
	slices.SortStableFunc(r.Kernels, func(a, b KernelRow) int {
		return cmp.Compare(b.Accesses,
			a.Accesses)
	})
	for i, t := range c.objects {
		if t.all > 0 {
			r.Objects = append(r.Objects, ObjectRow{i, name(objects, i), c.counts(t)})
		}
	}
	slices.SortStableFunc(r.Objects, func(a, b ObjectRow) int {
		return cmp.Compare(b.Accesses,
			a.Accesses)
	})
	if c.opt.Pairs {
		r.Pairs = c.pairRows(objects)
	}
	if c.opt.Sources {
		r.KernelPairs = c.kernelPairRows(kernels)
	}
	return r
}

func (c *Counter) counts(t tally) Counts {
	return Counts{Accesses: t.within, Share: ratio(float64(t.within), float64(c.all.within)),
		AllAccesses: t.all, OwnShare: ratio(float64(t.within), float64(t.all)), Cold: t.cold}
}

func (c *Counter) pairRows(objects []string) []ObjectPairRow {
	rows := make([]ObjectPairRow, 0, len(c.pairs))
	for p, s := range c.pairs {
		rows = append(rows, ObjectPairRow{
			Number: int(p.a), Object: name(objects, int(p.a)), BetweenNumber: int(p.b),
			Between:      name(objects, int(p.b)),
			BetweenBytes: s.bytes.float(), Share: ratio(s.bytes.float(), c.distances.float()),
			Accesses: s.accesses,
		})
	}
	slices.SortFunc(rows, func(a, b ObjectPairRow) int {
		return cmp.Or(cmp.Compare(b.BetweenBytes, a.BetweenBytes), cmp.Compare(a.Number, b.Number),
			cmp.Compare(a.BetweenNumber, b.BetweenNumber))
	})
	return rows
}

func (c *Counter) kernelPairRows(kernels []string) []KernelPairRow {
	rows := make([]KernelPairRow, 0, len(c.kernelPairs))
	for p, n := range c.kernelPairs {
		rows = append(rows, KernelPairRow{
			SourceNumber: int(p.a), Source: name(kernels, int(p.a)), Number: int(p.b),
			Kernel:   name(kernels, int(p.b)),
			Accesses: n, Share: ratio(float64(n), float64(c.all.within)),
		})
	}
	slices.SortFunc(rows, func(a, b KernelPairRow) int {
		return cmp.Or(cmp.Compare(b.Accesses, a.Accesses), cmp.Compare(a.SourceNumber,
			b.SourceNumber), cmp.Compare(a.Number, b.Number))
	})
	return rows
}

func name(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return ""
}

// ratio returns nil for a share of nothing.
func ratio(part, whole float64) *float64 {
	if whole == 0 {
		return nil
	}
	r := part / whole
	return &r
}

// A sum is of 128 bits: of a billion distances, 64 may be too few.
type sum struct{ high, low uint64 }

func (s *sum) add(n uint64) { s.merge(sum{low: n}) }

func (s *sum) merge(other sum) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, other.low, 0)
	s.high, _ = bits.Add64(s.high, other.high, carry)
}

func (s sum) float() float64 { return float64(float64(s.high)*(1<<64)) + float64(s.low) }
