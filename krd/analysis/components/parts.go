package components

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/doc"
)

// A PartPrediction is the prediction of a part of the accesses of a Go program, such as a function.
type PartPrediction struct {
	By        string     `json:"by"` // one of [PartKinds]
	Name      string     `json:"name"`
	Accesses  uint64     `json:"accesses"` // predicted
	Share     float64    `json:"share"`    // of all accesses that are predicted, 0 to 1
	Far       []PartMiss `json:"far"`
	Crossings []Crossing `json:"crossings"`
	// MisplacedPercent and ErrorPercent are as in [Prediction], of the part; ErrorPercent is null where less
	// than a thousandth of its accesses is in the bins of the error.
	MisplacedPercent *doc.Number `json:"misplaced_percent,omitempty"`
	ErrorPercent     *doc.Number `json:"error_percent,omitempty"`
}

// A PartMiss is the share of the accesses of a part with a finite distance of at least a cache's size.
type PartMiss struct {
	CacheBytes uint64     `json:"cache_bytes"`
	Cache      string     `json:"cache,omitempty"` // as in [Miss]
	Largest    float64    `json:"largest_share"`   // of the largest run
	Share      float64    `json:"share"`           // predicted
	Actual     doc.Number `json:"actual_share"`    // null: there is no actual histogram
}

// A Crossing is the sizes of the input at which a component crosses the size of a cache: up to From it is
// within, from To on beyond. As distances are known by bins, a component that is one distance crosses
// between these. Nothing is said of components that do not move.
type Crossing struct {
	CacheBytes uint64   `json:"cache_bytes"`
	Cache      string   `json:"cache,omitempty"`
	FromBin    int      `json:"from_bin"` // of the largest run
	ToBin      int      `json:"to_bin"`
	Share      float64  `json:"share"` // the component's of the accesses, there
	From       float64  `json:"from"`
	To         *float64 `json:"to"` // null: its nearest accesses do not move
}

// PartKinds are the kinds of parts that are predicted.
var PartKinds = []string{"function", "field"}

const (
	// leastOfAll is the share of all accesses from which a part is predicted.
	leastOfAll = 0.01
	// a part crosses a cache where so much more of its accesses, and of all, are beyond it.
	crossesOwn, crossesAll = 0.01, 0.005
	// mostCrossing is how many parts are told to cross a cache.
	mostCrossing = 5
)

// partSignature returns the signature of a part; false: it is not known, or there are no accesses.
func partSignature(p *krd.Part) (*Signature, bool) {
	if p == nil || p.Accesses == 0 || p.Cold == nil || p.Bins == nil {
		return nil, false
	}
	all := float64(p.Accesses)
	s := &Signature{Accesses: p.Accesses, Cold: float64(*p.Cold) / all}
	for _, b := range p.Bins {
		s.Share[bits.Len64(b.FromBytes)] += float64(b.Count) / all
	}
	return s, true
}

// partsOf returns those of a kind by name.
func partsOf(p *krd.Parts, kind string) map[string]*krd.Part {
	list := p.Functions
	if kind == "field" {
		list = p.Objects
	}
	by := make(map[string]*krd.Part, len(list))
	for i := range list {
		by[list[i].Name] = &list[i]
	}
	return by
}

// predictParts predicts the parts that all runs have, of the largest run's accesses [leastOfAll] or more.
func (p *Prediction) predictParts(small []Sized, actual *krd.Parts) {
	for _, x := range small {
		if x.Parts == nil {
			return
		}
	}
	last := len(small) - 1
	for _, kind := range PartKinds {
		var of []map[string]*krd.Part
		for _, x := range small {
			of = append(of, partsOf(x.Parts, kind))
		}
		var counted map[string]*krd.Part
		if actual != nil {
			counted = partsOf(actual, kind)
		}
		var list []PartPrediction
		for name, part := range of[last] {
			if float64(part.Accesses) < leastOfAll*float64(p.report.Accesses) {
				continue
			}
			var in []Input
			for i := range small {
				if s, ok := partSignature(of[i][name]); ok {
					in = append(in, Input{name, small[i].Size, s})
				}
			}
			if len(in) < len(small) {
				p.PartsLeft++
				continue
			}
			list = append(list, p.part(kind, name, in, counted[name]))
		}
		slices.SortFunc(list, func(a, b PartPrediction) int {
			return cmp.Or(cmp.Compare(b.Accesses, a.Accesses), cmp.Compare(a.Name, b.Name))
		})
		p.Parts = append(p.Parts, list...)
	}
}

// part predicts one part.
func (p *Prediction) part(kind, name string, in []Input, counted *krd.Part) PartPrediction {
	f := Predict(in, p.At)
	x := PartPrediction{By: kind, Name: name, Accesses: f.Accesses,
		Share: float64(f.Accesses) / float64(max(1, p.Accesses)), Far: []PartMiss{},
		Crossings: crossings(f.Components, in[len(in)-1].Size, p.Misses)}
	actual, known := partSignature(counted)
	finite := func(s *Signature, bytes uint64) float64 { return max(0, s.Beyond(bytes)-s.Cold) }
	for _, c := range p.Misses {
		m := PartMiss{CacheBytes: c.CacheBytes, Cache: c.Cache, Share: finite(&f.Signature, c.CacheBytes),
			Largest: finite(in[len(in)-1].Signature, c.CacheBytes)}
		if known {
			m.Actual = doc.Some(finite(actual, c.CacheBytes))
		}
		x.Far = append(x.Far, m)
	}
	if known {
		a, b := doc.Some(100*misplaced(&f.Signature, actual)), doc.Number{}
		if min(f.from(FirstBin), actual.from(FirstBin)) >= leastBin {
			e, _ := Errors(&f.Signature, actual)
			b = doc.Some(100 * e)
		}
		x.MisplacedPercent, x.ErrorPercent = &a, &b
	}
	return x
}

// misplaced returns the share of the accesses of two signatures that are in other bins, INF being one.
func misplaced(a, b *Signature) float64 {
	return apart(&a.Share, &b.Share) + math.Abs(a.Cold-b.Cold)/2
}

// from returns the share of the accesses in the bins from one on.
func (s *Signature) from(bin int) (share float64) {
	for _, v := range s.Share[bin:] {
		share += v
	}
	return share
}

// crossings returns at which sizes the components of a run of a size cross the caches.
func crossings(list []Moved, size float64, caches []Miss) []Crossing {
	all := []Crossing{}
	for _, c := range caches {
		at := math.Log2(float64(c.CacheBytes))
		for _, m := range list {
			if m.ToShift <= 0 {
				continue
			}
			x := Crossing{CacheBytes: c.CacheBytes, Cache: c.Cache, FromBin: m.FromBin, ToBin: m.ToBin, Share: m.Share,
				From: size * math.Exp2((at-float64(m.ToBin))/m.ToShift)}
			if m.FromShift > 0 {
				to := size * math.Exp2((at-float64(max(0, m.FromBin-1)))/m.FromShift)
				x.To = &to
			}
			all = append(all, x)
		}
	}
	return all
}

// sizes returns the sizes of a crossing in words.
func (c *Crossing) sizes() string {
	from := rounded(c.From)
	if c.To == nil {
		return from + " and more"
	}
	return from + " to " + rounded(*c.To)
}

// rounded returns a size with three digits.
func rounded(v float64) string {
	scale := math.Pow(10, math.Floor(math.Log10(v))-2)
	return number(math.Round(v/scale) * scale)
}

// crossing returns the largest component of a part that crosses a cache; nil: none moves.
func (x *PartPrediction) crossing(cache uint64) (most *Crossing) {
	for i := range x.Crossings {
		if c := &x.Crossings[i]; c.CacheBytes == cache && (most == nil || c.Share > most.Share) {
			most = c
		}
	}
	return most
}

// concludeParts finds which functions cross a cache between the largest run and the size asked for, those
// with the most accesses beyond it first.
func (p *Prediction) concludeParts() {
	for i := len(p.Misses) - 1; i >= 0; i-- {
		var found []*PartPrediction
		for k := range p.Parts {
			x := &p.Parts[k]
			more := x.Far[i].Share - x.Far[i].Largest
			c := x.crossing(x.Far[i].CacheBytes)
			if x.By == PartKinds[0] && more >= crossesOwn && more*x.Share >= crossesAll && c != nil && c.From < p.At {
				found = append(found, x)
			}
		}
		slices.SortStableFunc(found, func(a, b *PartPrediction) int {
			return cmp.Compare(b.Far[i].Share*b.Share, a.Far[i].Share*a.Share)
		})
		for _, x := range found[:min(len(found), mostCrossing)] {
			m := &x.Far[i]
			p.Conclude(doc.Find(crossesCache, 100*m.Share, m.name(), number(p.At), 100*m.Largest,
				number(p.Sizes[len(p.Sizes)-1]), x.crossing(m.CacheBytes).sizes()).About(x.Name))
		}
	}
}

func (m *PartMiss) name() string {
	if m.Cache == "" {
		return units.Bytes(m.CacheBytes)
	}
	return m.Cache + " (" + units.Bytes(m.CacheBytes) + ")"
}

// partTables returns a table of parts for each kind that there is.
func (p *Prediction) partTables() (list []*doc.Table) {
	largest := number(p.Sizes[len(p.Sizes)-1])
	for _, kind := range PartKinds {
		t := &doc.Table{Name: kind + "s", Keys: 1,
			Title: "by " + kind + ": shares of its accesses beyond a cache, cold ones apart, %",
			Columns: []doc.Column{{Key: kind, Head: kind},
				{Key: "accesses", Head: "accesses", Kind: doc.Whole},
				{Key: "share", Head: "share, %", Kind: doc.Real, Unit: doc.PerCent}}}
		add := func(key, head string, known bool) {
			t.Columns = append(t.Columns, doc.Column{Key: key, Head: head, Kind: doc.Real, Unit: doc.PerCent, Known: known})
		}
		for _, m := range p.Misses {
			name := cmp.Or(m.Cache, units.Bytes(m.CacheBytes))
			add(name+"_largest_share", name+": "+largest, false)
			add(name+"_share", number(p.At), false)
			if p.actual != nil {
				add(name+"_actual_share", "counted", true)
			}
			t.Columns = append(t.Columns, doc.Column{Key: name + "_crosses", Head: "crosses at"})
		}
		if p.actual != nil {
			t.Columns = append(t.Columns,
				doc.Column{Key: "misplaced_percent", Head: "in other bins, %", Kind: doc.Real, Known: true},
				doc.Column{Key: "error_percent", Head: "error, %", Kind: doc.Real, Known: true})
		}
		for i := range p.Parts {
			x := &p.Parts[i]
			if x.By != kind {
				continue
			}
			row := []any{x.Name, x.Accesses, doc.Some(x.Share)}
			for _, m := range x.Far {
				row = append(row, doc.Some(m.Largest), doc.Some(m.Share))
				if p.actual != nil {
					row = append(row, m.Actual)
				}
				text := ""
				if c := x.crossing(m.CacheBytes); c != nil {
					text = c.sizes()
				}
				row = append(row, text)
			}
			if p.actual != nil {
				a, b := doc.Number{}, doc.Number{}
				if x.ErrorPercent != nil {
					a, b = *x.MisplacedPercent, *x.ErrorPercent
				}
				row = append(row, a, b)
			}
			t.Row(row...)
		}
		if len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}
