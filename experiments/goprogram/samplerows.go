package goprogram

import (
	"fmt"
	"math"
	"slices"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/doc"
)

// A sampledRow is a row of a table of a sample.
type sampledRow struct {
	krd.BurstPart
	table  int
	name   string
	unsure float64 // the standard error of how many are on the heap
}

// rows returns the rows of all tables. How many accesses a function, loop, field or type of elements
// has is counted; where that was made which the sample does not have is not known.
func (s *sampler) rows() (rows []sampledRow) {
	type key struct {
		table int
		name  string
	}
	at := map[key]int{}
	s.counts(func(group uint32, n uint64, unsure float64) {
		for table, name := range s.a.rows(group) {
			if name == "" {
				continue
			}
			k := key{table, name}
			i, ok := at[k]
			if !ok {
				i = len(rows)
				at[k] = i
				rows = append(rows, sampledRow{table: table, name: name})
			}
			r := &rows[i]
			r.Groups = append(r.Groups, group)
			if table != byAllocation {
				r.Sizes = append(r.Sizes, n)
				r.unsure += unsure
			}
		}
	})
	return rows
}

// sampledParts sets the parts of a sample.
func (d *Document) sampledParts(a *analysis, groups []krd.GroupHistogram, rows []sampledRow,
	known []krd.BurstRow) {
	tables := a.parts(groups)
	for i := range rows {
		r, k := &rows[i], &known[i]
		if tables[r.table][r.name] == nil && r.Sizes == nil {
			continue
		}
		p := tables[r.table].part(r.name)
		p.SampledPart = &krd.SampledPart{AccessesError: orNil(k.Error), Why: why(k)}
		if r.Sizes != nil {
			counted(p, uint64(k.Accesses))
			p.AccessesError = orNil(r.unsure)
		} else if k.Accesses == 0 { // all are of functions and loops that no draw has seen
			p.AccessesError = new(float64)
		}
		all := float64(p.Accesses)
		p.ColdError = orNil(k.Cold.Error * all)
		for j, b := range k.Beyond {
			p.Beyond = append(p.Beyond, krd.SampledCount{FromBytes: krd.RowLimits[j],
				Count: orNil(b.Share * all), Error: orNil(b.Error * all)})
		}
		if p.ColdError == nil {
			p.Cold = nil
		}
		if !k.Beyond[0].Known() {
			p.Cold, p.Bins = nil, nil
		}
	}
	d.tables(tables)
}

// counted gives a part the accesses that were counted; what they do is in proportion.
func counted(p *Part, n uint64) {
	if p.Accesses == n || p.Accesses == 0 {
		p.Accesses, p.Bytes = n, n*lineBytes
		return
	}
	factor, sum, given := float64(n)/float64(p.Accesses), 0.0, uint64(0)
	scale := func(x *uint64) {
		sum += float64(*x) * factor
		*x = uint64(math.Round(sum)) - given
		given += *x
	}
	scale(p.Cold)
	for i := range p.Bins {
		scale(&p.Bins[i].Count)
	}
	p.Bins = slices.DeleteFunc(p.Bins, func(b krd.Bin) bool { return b.Count == 0 })
	p.Accesses, p.Bytes = n, n*lineBytes
}

// orNil returns x as a whole number, nil if it is not known.
func orNil(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	x = math.Round(x)
	return &x
}

// why returns the reason why something of a row is not known.
func why(r *krd.BurstRow) string {
	switch {
	case r.Short == krd.ShortOfAgreement:
		return fmt.Sprintf("the %d draws that saw it differ too much", r.Seen)
	case r.Short != "":
		return fmt.Sprintf("%s saw it, and %d are needed", units.Count(r.Seen, r.Short), r.Needed)
	case !r.Cold.Known():
		return "no phase was long enough to tell cold accesses from far ones"
	}
	return ""
}

// sampledTable prints parts of a sample.
func sampledTable(heads []string, limits []uint64, parts []Part, all uint64, most int) *doc.Table {
	heads = heads[:4]
	for _, l := range limits {
		heads = append(heads, "beyond "+units.Bytes(l))
	}
	t := doc.NewTable(1, heads...)
	for i := range parts[:min(most, len(parts))] {
		x := &parts[i]
		share := func(n float64, off *float64, of uint64) any {
			if off == nil {
				return doc.Missing(x.Why)
			}
			whole := float64(max(1, of))
			return fmt.Sprintf("%s +- %.2f", doc.Percent(n, whole), 200**off/whole)
		}
		row := []any{x.Name, count(x.Accesses), doc.Share{Part: float64(x.Accesses), Whole: float64(all)}}
		if e := x.AccessesError; e == nil || *e > 0 {
			row[1], row[2] = fmt.Sprint("about ", count(x.Accesses)), share(float64(x.Accesses), e, all)
		}
		row = append(row, share(float64(x.First()), x.ColdError, x.Accesses))
		for _, b := range x.Beyond[:len(limits)] {
			if b.Count == nil {
				row = append(row, share(0, nil, 1))
			} else {
				row = append(row, share(*b.Count, b.Error, x.Accesses))
			}
		}
		t.Row(row...)
	}
	remark(t, parts, most)
	return t
}
