package kernelreuse

import (
	"math"
	"slices"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// A Claim is one statement of the paper with its test. Two sentences that say the same are one
// claim; a sentence that can be understood in two ways is one claim with two readings.
type Claim struct {
	ID     string
	Where  string   // in the paper
	Quote  string   // its own words, or the numbers of a table
	Says   string   // what is tested, in a few words
	Paper  string   // its value, "" where it gives none
	Test   string   // what it is held to
	On     []string // the simulated programs that it is about; none: this computer's runs
	Basis  Basis
	Figure string // that shows it, "" where none does

	meanings []meaning // of the sentence
	worlds   []world   // under which it is judged; none: the plain one
}

// A meaning is one way to understand a sentence. It holds if all of its parts do.
type meaning struct {
	name  string // "" where there is one
	parts []part
}

// A part is one pair of an order, or one value: it holds if the quantity does.
type part struct {
	name  string
	terms []term // the values shown
	of    func(v *view) result.Quantity
	test  claims.Test
}

// The bases of claims, and what becomes of them.
type (
	Basis   = study.Basis
	Finding = study.Claim
)

// See package study.
const (
	Fitted    = study.Fitted
	Seen      = study.Seen
	Predicted = study.Predicted
	Measured  = study.Measured
)

// Judge tests all claims. The bands are the numbers of each draw of the guessed parameters; nil:
// none were drawn.
func Judge(e *dataset.Experiment, bands *Bands) []Finding {
	v := newView(e)
	var list []Finding
	for i := range Claims {
		list = append(list, Claims[i].judge(v, bands))
	}
	return list
}

// Claims are the paper's, in its order.
var Claims = slices.Concat(scaling, reuse, hardware, concluding, native)

func (c *Claim) judge(v *view, bands *Bands) Finding {
	f := Finding{ID: c.ID, Where: c.Where, Quote: c.Quote, Says: c.Says, Paper: c.Paper,
		Test: c.Test, Basis: c.Basis, Figure: c.Figure}
	worlds := c.in()
	var verdicts, bySeeds []claims.Verdict
	for _, m := range c.meanings {
		for _, w := range worlds {
			r := m.judge(v.in(w), bands)
			if len(worlds) > 1 {
				r.Name = w.name
			}
			if m.name != "" {
				r.Name = join(m.name, r.Name)
			}
			f.Readings = append(f.Readings, r)
			verdicts, bySeeds = append(verdicts, r.Verdict), append(bySeeds, r.BySeeds)
		}
	}
	f.Verdict, f.BySeeds = claims.Readings(verdicts...), claims.Readings(bySeeds...)
	if f.Ours = ours(f.Readings); f.Verdict == claims.NotRun {
		f.Ours = doc.NotAvailable
	}
	return f
}

// in returns the worlds under which c is judged: the readings of a finding are these for each
// meaning.
func (c *Claim) in() []world {
	if c.worlds == nil {
		return []world{plain}
	}
	return c.worlds
}

// listsTable returns a table of the claims whose verdict would be another if it were known which
// list of victims the paper's Qthreads had: by all readings, and by those with that list alone.
// Those of FMM's tasks, which are simulated with no other list, stay. The findings are those of all
// claims.
func listsTable(found []Finding) *doc.Table {
	t := doc.NewData("victims", "reading", "claim", "from", "to")
	t.Title = "Claims whose verdict changes if Qthreads' victims are known to be listed as in one reading"
	for _, one := range victims {
		for i := range found {
			worlds := Claims[i].in()
			judged := found[i].Verdict != claims.NotRun && found[i].Verdict != claims.OtherSize
			if !judged || !slices.ContainsFunc(worlds, func(w world) bool { return w.list != "" }) {
				continue
			}
			var verdicts []claims.Verdict
			for j, r := range found[i].Readings {
				if w := &worlds[j%len(worlds)]; w.rule != nil || w.list == one.list {
					verdicts = append(verdicts, r.Verdict)
				}
			}
			if to := claims.Readings(verdicts...); to != found[i].Verdict {
				t.Row(one.name, found[i].ID, string(found[i].Verdict), string(to))
			}
		}
	}
	return t
}

func (m *meaning) judge(v *view, bands *Bands) study.Reading {
	var r study.Reading
	var verdicts, bySeeds []claims.Verdict
	for i := range m.parts {
		p := m.parts[i].judge(v, bands)
		r.Parts = append(r.Parts, p)
		verdicts, bySeeds = append(verdicts, p.Verdict), append(bySeeds, p.BySeeds)
	}
	r.Verdict, r.BySeeds = claims.All(verdicts...), claims.All(bySeeds...)
	if r.Ours = m.ours(v, r.Parts); r.Verdict == claims.NotRun {
		r.Ours = doc.NotAvailable
	}
	return r
}

func (p *part) judge(v *view, bands *Bands) study.Part {
	f := study.Part{Name: p.name}
	q := p.of(v)
	f.BySeeds = p.test.Of(q)
	if low, high, ok := p.band(v, bands); ok {
		f.Banded = true
		from, to, sure := q.Bounds()
		q = result.Ranged(q.Median.Float(), min(from, low), max(to, high), sure, q.N)
	}
	f.Verdict = p.test.Of(q)
	for _, t := range p.terms {
		if f.BySeeds != claims.NotRun && !v.onPaperSize(t.kernel) {
			f.Verdict, f.BySeeds = claims.OtherSize, claims.OtherSize
		}
	}
	return f
}

// band returns the range of the quantity over the draws: computed within each, so that an effect on
// both sides of a comparison cancels out. ok is false if a draw lacks it.
func (p *part) band(v *view, bands *Bands) (low, high float64, ok bool) {
	if bands == nil {
		return 0, 0, false
	}
	low, high = math.Inf(1), math.Inf(-1)
	for i := range bands.Draws {
		q := p.of(v.drawn(bands, i))
		if !q.Median.Known() {
			return 0, 0, false
		}
		low, high = min(low, q.Median.Float()), max(high, q.Median.Float())
	}
	return low, high, true
}
