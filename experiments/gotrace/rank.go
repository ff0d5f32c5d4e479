package gotrace

import (
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/causes"
)

// ErrDocument is wrapped by the error of JSON that is no [Document] with distances.
var ErrDocument = failure.New(failure.Data, "no result of krdlab trace go")

// Read reads a document with distances.
func Read(r io.Reader) (*Document, error) {
	var d Document
	if err := json.NewDecoder(r).Decode(&d); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDocument, err)
	}
	if d.KRD == nil || d.Package == "" {
		return nil, fmt.Errorf("%w with distances: there is no %q, or no package", ErrDocument, "krd")
	}
	return &d, nil
}

// ErrRange is wrapped by the error of a range that divides a bin.
var ErrRange = failure.New(failure.Request, "not whole bins")

// Rank ranks the accesses of a range of distances, of which the groups are known by bins: both ends
// must be powers of two, or 0 and [causes.Unbounded]. nil stands for the bins from the size of the
// LLC on. by is one of [krd.ProgramRankings]. The result is KRD.Causes from then on.
func (d *Document) Rank(by string, in *krd.CauseOptions) error {
	if d.KRD == nil {
		return fmt.Errorf("%w: the accesses are in the trace %s", ErrDocument, *d.Trace)
	}
	if in == nil {
		if d.KRD.LLCBytes == nil || *d.KRD.LLCBytes == 0 {
			return fmt.Errorf("%w: --by %s needs --bins, as in --bins 32K-: the size of the LLC is not "+
				"known", ErrRange, by)
		}
		in = &krd.CauseOptions{FromBytes: 1 << bits.Len64(*d.KRD.LLCBytes-1), ToBytes: causes.Unbounded}
	}
	from, to := in.FromBytes, in.ToBytes
	power := func(n uint64) bool { return n&(n-1) == 0 }
	if !power(from) || to != causes.Unbounded && !power(to) || from >= to {
		end := "no end"
		if to != causes.Unbounded {
			end = units.Bytes(to)
		}
		return fmt.Errorf("--bins: %w: found %s to %s, expected powers of two, the first the smaller",
			ErrRange, units.Bytes(from), end)
	}
	r := &causes.Result{FromBytes: from, ColdInRange: to == causes.Unbounded,
		AllAccesses: d.KRD.Accesses, Cold: d.KRD.Cold, Kernels: []causes.KernelRow{},
		Objects: []causes.ObjectRow{}}
	if to != causes.Unbounded {
		r.ToBytes = &to
	}
	within := func(bins []krd.Bin, cold uint64) (n uint64) {
		for _, b := range bins {
			if b.FromBytes >= from && (to == causes.Unbounded || b.FromBytes < to) {
				n += b.Count
			}
		}
		if r.ColdInRange {
			n += cold
		}
		return n
	}
	r.Accesses = within(d.KRD.Bins, d.KRD.Cold)
	list, ok := map[string][]Part{krd.ByFunction: d.Functions, krd.ByLoop: d.Loops,
		krd.ByType: d.Allocations, krd.ByField: d.Objects, krd.BySite: d.Allocations}[by]
	if !ok {
		return fmt.Errorf("%w: a Go program has no %s; expected %s", krd.ErrOption, by,
			strings.Join(krd.ProgramRankings, ", "))
	}
	var rows []causes.GroupRow
	for _, p := range list {
		name := p.Name
		if by == krd.ByType {
			name = krd.ObjectType(name)
		}
		rows = append(rows, causes.GroupRow{Name: name, Counts: causes.Counts{
			Accesses: within(p.Bins, p.Cold), AllAccesses: p.Accesses, Cold: p.Cold}})
	}
	r.Group(by, rows)
	d.KRD.Causes = r
	return nil
}
