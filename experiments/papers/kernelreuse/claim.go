package kernelreuse

import (
	"math"
	"slices"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/krd/doc"
)

// A Claim is one statement of the paper with its test. Two sentences that say the same are one
// claim; a sentence that can be understood in two ways is one claim with two readings.
type Claim struct {
	ID    string
	Where string   // in the paper
	Quote string   // its own words, or the numbers of a table
	Says  string   // what is tested, in a few words
	Paper string   // its value, "" where it gives none
	Test  string   // what it is held to
	On    []string // the simulated programs that it is about; none: this computer's runs
	Basis Basis

	meanings []meaning // of the sentence
	worlds   []world   // under which it is judged; none: the plain one
}

// A Basis says what an agreement is worth.
type Basis string

// The bases.
const (
	Fitted    Basis = "fitted"    // the simulated machine was fitted to it: it proves nothing
	Seen      Basis = "seen"      // it was seen when a parameter or a rule was last changed
	Predicted Basis = "predicted" // no parameter or rule was changed after it was seen
	Measured  Basis = "measured"  // on this computer
)

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

// A PartFinding is what became of a part.
type PartFinding struct {
	Name    string         `json:"part"`
	Verdict claims.Verdict `json:"verdict"`
	BySeeds claims.Verdict `json:"verdict_by_seeds"`
	Banded  bool           `json:"band"` // the draws of the parameters have what it is about
}

// A ReadingFinding is what became of a claim in one reading.
type ReadingFinding struct {
	Name    string         `json:"reading"`
	Ours    string         `json:"ours"`
	Verdict claims.Verdict `json:"verdict"`
	BySeeds claims.Verdict `json:"verdict_by_seeds"`
	Parts   []PartFinding  `json:"parts"`
}

// A Finding is what became of a claim in an experiment.
type Finding struct {
	ID      string         `json:"id"`
	Where   string         `json:"where"`
	Quote   string         `json:"quote"`
	Says    string         `json:"claim"`
	Paper   string         `json:"paper"`
	Test    string         `json:"test"`
	Basis   Basis          `json:"basis"`
	Fitted  bool           `json:"fitted"`
	Ours    string         `json:"ours"`
	Verdict claims.Verdict `json:"verdict"`
	// BySeeds is the verdict without the draws of the guessed parameters: the intervals over seeds
	// alone.
	BySeeds  claims.Verdict   `json:"verdict_by_seeds"`
	Readings []ReadingFinding `json:"readings"`
	// MachineHash is that of the machine of the simulated cells, Frozen whether it is the frozen one;
	// "" where there is no such machine, or several.
	MachineHash string `json:"machine_hash"`
	Frozen      bool   `json:"frozen"`
}

// ForClaims is an error unless the draws are of the evaluation at that scale: of its sizes, and of
// its machine as the program has it.
func (b *Bands) ForClaims(scale steps.Scale) error {
	if b.Scale != scale {
		return failure.Errorf(failure.Request, "found draws of --scale %s, expected %s", b.Scale,
			scale)
	}
	m, err := machine.ByName(request.DefaultMachine)
	if err == nil && m.Hash() != b.MachineHash {
		return failure.Errorf(failure.Request, "found draws of the machine %.12s, expected %s %.12s",
			b.MachineHash, m.Name, m.Hash())
	}
	return err
}

// Judge tests all claims. The bands are what the numbers of each draw of the guessed parameters
// are; nil: none were drawn.
func Judge(e *dataset.Experiment, bands *Bands) []Finding {
	v := newView(e)
	hash := machineHash(e)
	var list []Finding
	for i := range Claims {
		f := Claims[i].judge(v, bands)
		f.MachineHash, f.Frozen = hash, hash == Frozen
		list = append(list, f)
	}
	return list
}

// Claims are the paper's, in its order.
var Claims = slices.Concat(scaling, reuse, hardware, concluding, native)

func (c *Claim) judge(v *view, bands *Bands) Finding {
	f := Finding{ID: c.ID, Where: c.Where, Quote: c.Quote, Says: c.Says, Paper: c.Paper,
		Test: c.Test, Basis: c.Basis, Fitted: c.Basis == Fitted}
	worlds := c.worlds
	if worlds == nil {
		worlds = []world{plain}
	}
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

func (m *meaning) judge(v *view, bands *Bands) ReadingFinding {
	var r ReadingFinding
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

func (p *part) judge(v *view, bands *Bands) PartFinding {
	f := PartFinding{Name: p.name}
	q := p.of(v)
	f.BySeeds = p.test.Of(q)
	if low, high, ok := p.band(v, bands); ok {
		f.Banded = true
		from, to, sure := q.Bounds()
		q = ranged(q.Median.Float(), min(from, low), max(to, high), sure, q.N)
	}
	f.Verdict = p.test.Of(q)
	for _, t := range p.terms {
		if f.BySeeds != claims.NotRun && !v.onPaperSize(t.kernel) {
			f.Verdict, f.BySeeds = claims.OtherSize, claims.OtherSize
		}
	}
	return f
}

// band is from the least to the greatest of the quantity over the draws: computed within each, so
// that what moves both sides of a comparison cancels out. ok is false if a draw lacks it.
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
