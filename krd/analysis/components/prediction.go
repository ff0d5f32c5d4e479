package components

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/analysis/distances"
	"krdlab/krd/doc"
)

// A Sized is a report and the size of the run's input.
type Sized struct {
	Name   string // of the file
	Size   float64
	Report *krd.Report
	Parts  *krd.Parts // of a Go program; nil: not known
}

// A Question is the input of [Ask].
type Question struct {
	Small   []Sized
	At      float64
	Actual  *krd.Report // of an input of that size; nil: not known
	Counted *krd.Parts  // its parts
	Caches  []uint64    // sizes in bytes; nil: L2 and LLC of the largest input
	// Different allows runs of different programs, and sizes in another order than their n.
	Different bool
}

// ErrQuestion is wrapped by the error of inputs that cannot be compared.
var ErrQuestion = failure.New(failure.Request, "cannot predict")

// A Prediction is the JSON form of `krdlab predict`.
type Prediction struct {
	SchemaVersion int       `json:"schema_version"`
	At            float64   `json:"at"`
	Sizes         []float64 `json:"sizes"` // ascending
	Unit          string    `json:"unit,omitempty"`
	Distance      string    `json:"distance"`
	Weight        string    `json:"weight"`
	Accesses      uint64    `json:"accesses"` // predicted, as all that follows
	Bins          []krd.Bin `json:"bins"`
	Cold          uint64    `json:"cold"`
	Components    []Moved   `json:"components"` // of the largest size
	// Unexplained is the largest share of a smaller input's accesses that are elsewhere than the
	// components of the largest, moved back, have them.
	Unexplained float64 `json:"unexplained"`
	// the paper's error over the bins from [FirstBin] on, without and with INF; absent without an
	// actual histogram, null where neither has anything in those bins
	ErrorPercent         *doc.Number `json:"error_percent,omitempty"`
	ErrorPercentWithCold *doc.Number `json:"error_percent_with_cold,omitempty"`
	// MisplacedPercent is the same over all bins, from the first on, and INF
	MisplacedPercent *doc.Number `json:"misplaced_percent,omitempty"`
	Misses           []Miss      `json:"misses"`
	// Parts are the functions and fields of a Go program; PartsLeft is how many of them are not in all runs.
	Parts     []PartPrediction `json:"parts,omitempty"`
	PartsLeft int              `json:"parts_left,omitempty"`
	doc.Concluded

	small     []Input
	predicted *Signature
	actual    *Signature
	report    *krd.Report // of the largest size
}

// A Miss is the miss share of a fully associative LRU cache, by the bins: see [Signature.Beyond].
type Miss struct {
	CacheBytes uint64     `json:"cache_bytes"`
	Cache      string     `json:"cache,omitempty"` // L2 or LLC, where it is that of the runs
	Misses     uint64     `json:"misses"`
	Share      float64    `json:"share"`
	Actual     doc.Number `json:"actual_share"` // null: there is no actual histogram
}

// misfit is the share of unexplained accesses from which a prediction is doubted.
const misfit = 0.2

// betweenDoublings is how far from a whole number of doublings sizes may be apart for bins to move as wholes.
const betweenDoublings = 0.05

// Ask predicts. Errors wrap [ErrQuestion] or are [ErrEmpty], and name the input.
func Ask(q *Question) (*Prediction, error) {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrQuestion, fmt.Sprintf(format, args...))
	}
	small := slices.SortedStableFunc(slices.Values(q.Small),
		func(a, b Sized) int { return cmp.Compare(a.Size, b.Size) })
	if len(small) < 2 {
		return nil, wrong("expected runs of at least two sizes, found %d", len(small))
	}
	if !(q.At > 0) || math.IsInf(q.At, 0) {
		return nil, wrong("the size asked for is %v; expected more than 0, and finite", q.At)
	}
	p := &Prediction{SchemaVersion: SchemaVersion, At: q.At, Misses: []Miss{}}
	p.Conclude()
	list := append(slices.Clip(small), Sized{"the actual histogram", q.At, q.Actual, q.Counted})
	for i, x := range list {
		if x.Report == nil {
			continue
		}
		first := list[0]
		switch {
		case !(x.Size > 0) || math.IsInf(x.Size, 0):
			return nil, wrong("%s: the size %v is not more than 0", x.Name, x.Size)
		case i > 0 && i < len(small) && x.Size == list[i-1].Size:
			return nil, wrong("%s and %s have the same size, %v; expected sizes that differ",
				list[i-1].Name, x.Name, x.Size)
		case key(x.Report) != key(first.Report):
			return nil, wrong("%s counts %s, and %s %s; expected the same of all", first.Name,
				key(first.Report), x.Name, key(x.Report))
		}
		if err := sameProgram(list[:i], x); err != nil && !q.Different {
			return nil, err
		}
		s, err := Of(&x.Report.Histogram)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.Name, err)
		}
		for _, f := range doc.Recorded(x.Report.Warnings, x.Report.WarningCodes) {
			p.Conclude(f.About(x.Name))
		}
		if i == len(small) {
			p.actual = s
			continue
		}
		p.small, p.Sizes = append(p.small, Input{x.Name, x.Size, s}), append(p.Sizes, x.Size)
		p.report = x.Report
	}
	p.Unit, p.Distance, p.Weight = p.report.Unit, string(p.report.Distance), string(p.report.Weight)
	f := Predict(p.small, q.At)
	p.predicted, p.Components, p.Unexplained = &f.Signature, f.Components, f.Unexplained
	h := f.histogram()
	p.Accesses, p.Bins, p.Cold = h.Accesses, h.Bins, h.Cold
	if p.actual != nil {
		finite, all := Errors(p.predicted, p.actual)
		a, b := doc.Some(100*finite), doc.Some(100*all)
		c := doc.Some(100 * misplaced(p.predicted, p.actual))
		p.ErrorPercent, p.ErrorPercentWithCold, p.MisplacedPercent = &a, &b, &c
	}
	p.miss(q.Caches)
	p.predictParts(small, q.Counted)
	p.concludeParts()
	p.conclude()
	p.doubt()
	return p, nil
}

// sameProgram returns an error where x is a run of another program than one before it, or its size
// lies on the other side of that one's than its n does, as far as they are known.
func sameProgram(before []Sized, x Sized) error {
	for _, o := range before {
		a, b := o.Report, x.Report
		if a.ProgramName != "" && b.ProgramName != "" && a.ProgramName != b.ProgramName {
			return fmt.Errorf("%w: %s is a run of %s, and %s of %s; expected the same program of all, or "+
				"--different", ErrQuestion, o.Name, a.ProgramName, x.Name, b.ProgramName)
		}
		n, err := strconv.ParseFloat(a.N, 64)
		m, err2 := strconv.ParseFloat(b.N, 64)
		if err == nil && err2 == nil && cmp.Compare(n, m) != cmp.Compare(o.Size, x.Size) {
			return fmt.Errorf("%w: %s has n=%s and size %s, and %s n=%s and size %s; expected sizes in the "+
				"order of n, or --different", ErrQuestion, o.Name, a.N, number(o.Size), x.Name, b.N,
				number(x.Size))
		}
	}
	return nil
}

// key returns the facts that must be the same in all inputs.
func key(r *krd.Report) string {
	s := fmt.Sprintf("%s distances between %s", r.Distance, unitWords(r.Unit))
	if r.Weight == krd.WeightBytes {
		s += " by bytes"
	}
	if r.Coherence {
		s += " with coherence"
	}
	return s
}

// conclude finds what each component does when the size grows, the largest first.
func (p *Prediction) conclude() {
	for _, c := range slices.SortedStableFunc(slices.Values(p.Components),
		func(a, b Moved) int { return cmp.Compare(b.Share, a.Share) }) {
		f := doc.Find(componentMoves, growsAs(c.FromShift))
		switch {
		case c.Appears:
			f = doc.Find(componentAppears, 100*c.Share, number(p.Sizes[len(p.Sizes)-1]))
		case c.Shift == nil:
			f = doc.Find(componentWidens, growsAs(c.FromShift), growsAs(c.ToShift))
		case c.ToShift == 0:
			continue
		}
		p.Conclude(f.About(fmt.Sprintf("bins %d to %d", c.FromBin, c.ToBin)))
	}
}

// doubt adds what makes a prediction doubtful.
func (p *Prediction) doubt() {
	moves := func(c Moved) bool { return c.ToShift > 0 }
	if !slices.ContainsFunc(p.Components, moves) {
		p.Find(nothingMoves)
	}
	if p.Unexplained > misfit {
		p.Find(anotherLaw, 100*p.Unexplained)
	}
	low, high := p.Sizes[0], p.Sizes[len(p.Sizes)-1]
	if high < math.Sqrt2*low {
		p.Find(sizesAlike, high/low)
	}
	if p.At < high {
		p.Find(smallerThanRun)
	}
	for _, n := range append(slices.Clip(p.Sizes), p.At) {
		doublings := math.Log2(max(n, high) / min(n, high))
		if math.Abs(doublings-math.Round(doublings)) > betweenDoublings && slices.ContainsFunc(p.Components, moves) {
			p.Find(sizesBetween, max(n, high)/min(n, high))
			break
		}
	}
}

// miss predicts the misses of caches, in their order, or of those of the runs.
func (p *Prediction) miss(caches []uint64) {
	named := map[uint64]string{}
	for _, c := range []struct {
		bytes *uint64
		name  string
	}{{p.report.L2Bytes, "L2"}, {p.report.LLCBytes, "LLC"}} {
		if c.bytes == nil {
			continue
		}
		if caches == nil || slices.Contains(caches, *c.bytes) {
			named[*c.bytes] = c.name
		}
	}
	if caches == nil {
		for bytes := range named {
			caches = append(caches, bytes)
		}
		slices.Sort(caches)
	}
	for _, bytes := range caches {
		share := p.predicted.Beyond(bytes)
		m := Miss{CacheBytes: bytes, Cache: named[bytes], Share: share,
			Misses: uint64(math.Round(share * float64(p.Accesses)))}
		if p.actual != nil {
			m.Actual = doc.Some(p.actual.Beyond(bytes))
		}
		p.Misses = append(p.Misses, m)
	}
}

// View returns the prediction for people.
func (p *Prediction) View() *doc.Doc {
	_, rest := p.Apart() // the table of components has its answers
	d := &doc.Doc{Title: "Predicted reuse signature at " + number(p.At), Warnings: rest}
	for _, f := range p.Findings {
		if f.Code == crossesCache {
			d.Say("%s", f.Sentence())
		}
	}
	d.Say("From runs at %s, of accesses to %s.", p.sizes(), unitWords(p.Unit))
	if p.ErrorPercent != nil {
		text := func(n *doc.Number) string {
			if !n.Known() {
				return doc.NotAvailable
			}
			return doc.Digits(n.Float(), 3) + " %"
		}
		d.Say("Accesses in other bins than predicted: %s of all. Error from 1 KiB on (virda, 4.3.1): %s, "+
			"with cold accesses %s.", text(p.MisplacedPercent), text(p.ErrorPercent), text(p.ErrorPercentWithCold))
	}
	for _, t := range p.partTables() {
		d.Add(t)
	}
	if p.PartsLeft > 0 {
		d.Say("Not in all runs, and not predicted: %s.", units.Count(uint64(p.PartsLeft), "function or field"))
	}
	t := &doc.Table{Name: "components", Keys: 2,
		Title: "components at " + number(p.Sizes[len(p.Sizes)-1]),
		Columns: append(rangeColumns(), doc.Column{Key: "from_shift", Head: "moves a doubling",
			Kind: doc.Real}, doc.Column{Key: "to_shift", Kind: doc.Real, Data: true},
			doc.Column{Head: "grows as"})}
	for _, c := range p.Components {
		law := growsAs(c.FromShift)
		if c.Shift == nil {
			law = "gets wider: " + law + " to " + growsAs(c.ToShift)
		}
		t.Row(append(rangeCells(c.Component), c.FromShift, c.ToShift, law)...)
	}
	d.Add(t)
	d.Add(p.table())
	if len(p.Misses) > 0 {
		m := &doc.Table{Name: "misses", Title: "misses of a fully associative LRU cache, predicted",
			Columns: []doc.Column{{Key: "cache", Head: "cache"},
				{Key: "cache_bytes", Kind: doc.Whole, Data: true},
				{Key: "misses", Head: "misses", Kind: doc.Whole},
				{Key: "share", Head: "share, %", Kind: doc.Real, Unit: doc.PerCent},
				{Key: "actual_share", Head: "actual, %", Kind: doc.Real, Unit: doc.PerCent, Known: true}}}
		for _, x := range p.Misses {
			name := units.Bytes(x.CacheBytes)
			if x.Cache != "" {
				name = x.Cache + ", " + name
			}
			m.Row(name, x.CacheBytes, x.Misses, doc.Some(x.Share), x.Actual)
		}
		d.Add(m)
	}
	return d
}

func number(v float64) string {
	if v >= 1e15 || v != 0 && v < 1e-5 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// sizes lists them.
func (p *Prediction) sizes() string {
	text := ""
	for i, n := range p.Sizes {
		switch i {
		case 0:
		case len(p.Sizes) - 1:
			text += " and "
		default:
			text += ", "
		}
		text += number(n)
	}
	return text
}

// table returns the bins of all signatures, from the first to the last that any of them has.
func (p *Prediction) table() *doc.Table {
	t := &doc.Table{Name: "bins", Title: "shares of all accesses, %", Columns: []doc.Column{
		{Key: "bin", Head: "bin"}, {Key: "from_bytes", Kind: doc.Whole, Data: true}, {Head: "from"}}}
	var all []*Signature
	add := func(key, head string, s *Signature) {
		t.Columns = append(t.Columns, doc.Column{Key: key, Head: head, Kind: doc.Real,
			Unit: doc.PerCent})
		all = append(all, s)
	}
	for i := range p.small {
		n := number(p.small[i].Size)
		add("at_"+n, n, p.small[i].Signature)
	}
	add("predicted", "predicted", p.predicted)
	if p.actual != nil {
		add("actual", "actual", p.actual)
	}
	row := func(bin string, from any, text string, of func(*Signature) float64) (seen bool) {
		cells := []any{bin, from, text}
		for _, s := range all {
			cells = append(cells, doc.Some(of(s)))
			seen = seen || of(s) > 0
		}
		t.Row(cells...)
		return seen
	}
	high, begun := 0, false
	for _, s := range all {
		high = max(high, s.highest())
	}
	for k := range high + 1 {
		seen := row(strconv.Itoa(k), lowest(k), units.Bytes(lowest(k)),
			func(s *Signature) float64 { return s.Share[k] })
		if begun = begun || seen; !begun {
			t.Rows = t.Rows[:0]
		}
	}
	row("INF", nil, "cold", func(s *Signature) float64 { return s.Cold })
	return t
}

// PredictionTables are the names of what Tables may return.
var PredictionTables = []string{"components", "bins", "misses", "functions", "fields"}

// Tables returns the data tables, by name.
func (p *Prediction) Tables() (list []*doc.Table) {
	for _, x := range p.View().Parts {
		if t, ok := x.(*doc.Table); ok {
			list = append(list, t)
		}
	}
	return list
}

// solid returns look number i of those with a solid line, see [plot.LookAt]; dashed is one with
// dashes.
func solid(i int) int { return 1 + 7*i }

const dashed = 2

// Draw draws the signatures: those of the runs, the predicted one, and the actual one where it is
// known.
func (p *Prediction) Draw(w io.Writer, format string) error {
	var curves []distances.Curve
	add := func(name string, look int, s *Signature) {
		h := s.histogram()
		curves = append(curves, distances.Curve{Name: name, Look: look, Histogram: &h})
	}
	for i, x := range p.small {
		add(number(x.Size), solid(i), x.Signature)
	}
	add("predicted at "+number(p.At), dashed, p.predicted)
	if p.actual != nil {
		add("actual at "+number(p.At), solid(len(p.small)), p.actual)
	}
	f, err := figure(p.report, curves, "")
	if err != nil {
		return err
	}
	return f.Write(w, format)
}
