package virda

import (
	"fmt"
	"math/bits"
	"slices"

	"krdlab/experiments/gotrace"
	"krdlab/experiments/reproduce"
	"krdlab/hw"
	"krdlab/krd"
	"krdlab/krd/analysis/components"
	"krdlab/krd/doc"
)

// The thresholds of the judgements.
const (
	withinPoints = 10 // of two shares, in per cent of all
	leastError   = 3  // of a prediction, in %
	partRatio    = 1.2
	// the length at which the loops part is beyond LLC/2 and at most 2 LLC: the first power of two
	// beyond the LLC, or beyond half of it, where others use it too
	llcBelow, llcAbove = 0.5, 2
)

// A Result is what the steps of a folder came to.
type Result struct {
	SchemaVersion int             `json:"schema_version"`
	Scale         reproduce.Scale `json:"scale"`
	Computer      hw.Machine      `json:"computer"` // of the timing
	Agree         int             `json:"agree"`    // judgements
	Judged        int             `json:"judged"`
	Predictions   []Prediction    `json:"predictions"`
	Causes        []Cause         `json:"causes"`
	Interchange   []Interchange   `json:"interchange"`
	Timing        Timing          `json:"timing"`
	Simulated     []Simulated     `json:"simulated"`

	figures []figure
}

// A Prediction is that of a kernel at one size.
type Prediction struct {
	Kernel        string             `json:"kernel"`
	Section       string             `json:"section"` // of the paper
	Sizes         []float64          `json:"sizes"`
	At            float64            `json:"at"`
	Components    []components.Moved `json:"components"`
	PaperShifts   []float64          `json:"paper_shifts"`
	Shifts        []float64          `json:"shifts"`
	ShiftsAgree   bool               `json:"shifts_agree"`
	MovingAgree   bool               `json:"moving_agree"` // those of the components that move
	PaperError    float64            `json:"paper_error_percent"`
	Error         doc.Number         `json:"error_percent"`
	ErrorWithCold doc.Number         `json:"error_percent_with_cold"`
	ErrorAgrees   bool               `json:"error_agrees"`
	Warnings      []string           `json:"warnings"`
}

// A Cause is the share of a component that a function has.
type Cause struct {
	Kernel        string     `json:"kernel"`
	Component     string     `json:"component"` // of the paper
	Size          int        `json:"size"`
	FromBin       int        `json:"from_bin"`
	ToBin         int        `json:"to_bin"`
	PaperFunction string     `json:"paper_function"`
	PaperPercent  doc.Number `json:"paper_percent"` // null: in words
	PaperWords    string     `json:"paper_words,omitempty"`
	Function      string     `json:"function"`
	Percent       doc.Number `json:"percent"` // null: there is no such component
	Agrees        bool       `json:"agrees"`
}

// An Interchange is FFT by lines before and after its loops are interchanged, shares in % of all
// accesses. The middle is from bin 8 to the one below that of the array.
type Interchange struct {
	Numbers   int     `json:"numbers"` // complex ones
	Length    int     `json:"array_length"`
	MiddleTo  int     `json:"middle_to_bin"`
	Before    Shares  `json:"before"`
	After     Shares  `json:"after"`
	PaperLast int     `json:"paper_last_bin"`
	PaperMid  float64 `json:"paper_middle_percent"` // before, about 2 a bin
	Agrees    bool    `json:"agrees"`
}

// Shares are those of a signature.
type Shares struct {
	Middle  float64 `json:"middle_percent"` // of all its bins
	Bin7    float64 `json:"bin_7_percent"`
	Last    float64 `json:"last_percent"` // of the last component's highest bin
	LastBin int     `json:"last_bin"`
}

// What the paper says of the two (4.3.1).
const (
	middleFrom  = 8
	paperMiddle = 2.0  // % a bin, before; "almost empty" after
	paperLast   = 10.0 // %, before
	paperPart   = 8 << 20
	paperLLC    = 6 << 20
)

// Timing is the times of both loops.
type Timing struct {
	Points    []TimePoint `json:"points"`
	PartBytes *uint64     `json:"part_bytes"` // the array from which they differ; null: none
	PaperPart uint64      `json:"paper_part_bytes"`
	PaperLLC  uint64      `json:"paper_llc_bytes"`
	LLCBytes  hw.Size     `json:"llc_bytes"`
	Agrees    *bool       `json:"agrees"` // null: the LLC is not known
}

// A TimePoint is the best times for one access of the original loops.
type TimePoint struct {
	Numbers      int     `json:"numbers"`
	ArrayBytes   uint64  `json:"array_bytes"`
	Original     float64 `json:"original_ns"`
	Interchanged float64 `json:"interchanged_ns"`
	Ratio        float64 `json:"ratio"`
	Runs         int     `json:"runs"`
}

// Simulated is how the components of a kernel of krdlab move.
type Simulated struct {
	Kernel      string             `json:"kernel"`
	Scheduler   string             `json:"scheduler"`
	Sizes       []float64          `json:"sizes"`
	Components  []components.Moved `json:"components"`
	SciMark     string             `json:"scimark"`
	Shifts      []float64          `json:"shifts"`
	Theirs      []float64          `json:"scimark_shifts"`
	Same        bool               `json:"same"` // of those that move, each once
	Unexplained float64            `json:"unexplained"`
}

// shifts lists those of components that are no plateaus, by bin.
func shifts(list []components.Moved) (out []float64) {
	for _, c := range list {
		if c.Shift != nil {
			out = append(out, *c.Shift)
		}
	}
	return out
}

// moving are the shifts that are not 0; once: each once, ascending.
func moving(list []float64, once bool) []float64 {
	list = slices.DeleteFunc(slices.Clone(list), func(v float64) bool { return v == 0 })
	if once {
		slices.Sort(list)
		list = slices.Compact(list)
	}
	return list
}

func within(a, b float64) bool { return max(a-b, b-a) <= withinPoints }

// judge counts a judgement, and returns it.
func (r *Result) judge(agrees bool) bool {
	r.Judged++
	if agrees {
		r.Agree++
	}
	return agrees
}

// Result makes the result of the steps, all of which must be done. Errors: [ErrStep], wrapped; those
// of the file system.
func (f *Folder) Result() (*Result, error) {
	r := &Result{SchemaVersion: 1, Scale: f.Scale}
	s := sizes(f.Scale)
	for _, part := range []func(*Folder, *size) error{r.predict, r.interchange, r.timing, r.simulate} {
		if err := part(f, &s); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// traced loads a traced step.
func traced(f *Folder, kernel, loops string, n int, unit gotrace.Unit) (*gotrace.Document, error) {
	name := tracedName(kernel, loops, n, unit)
	d, err := load[gotrace.Document](f, name)
	if err == nil && d.KRD == nil {
		err = fmt.Errorf("%s: %w", f.path(name), ErrStep)
	}
	return d, err
}

func (r *Result) predict(f *Folder, s *size) error {
	for _, p := range programs {
		q := &components.Question{}
		var largest *gotrace.Document
		for _, n := range s.of[p.kernel].small {
			d, err := traced(f, p.kernel, original, n, gotrace.Data)
			if err != nil {
				return err
			}
			q.Small = append(q.Small, components.Sized{Name: fmt.Sprint(n), Size: float64(n),
				Report: d.KRD})
			largest = d
		}
		for i, n := range s.of[p.kernel].targets {
			d, err := traced(f, p.kernel, original, n, gotrace.Data)
			if err != nil {
				return err
			}
			q.At, q.Actual = float64(n), d.KRD
			a, err := components.Ask(q)
			if err != nil {
				return fmt.Errorf("%s: %w", p.kernel, err)
			}
			x := Prediction{Kernel: p.kernel, Section: p.section, Sizes: a.Sizes, At: a.At,
				Components: a.Components, PaperShifts: p.shifts, Shifts: shifts(a.Components),
				PaperError: p.error, Error: *a.ErrorPercent, ErrorWithCold: *a.ErrorPercentWithCold,
				Warnings: a.Warnings}
			x.ShiftsAgree = slices.Equal(x.Shifts, p.shifts)
			x.MovingAgree = slices.Equal(moving(x.Shifts, false), moving(p.shifts, false))
			x.ErrorAgrees = r.judge(x.Error.Known() && x.Error.Float() <= leastError)
			if i == 0 { // of all targets the same
				r.judge(x.ShiftsAgree)
				r.causes(&p, a.Components, largest, s.of[p.kernel].small)
			}
			r.Predictions = append(r.Predictions, x)
			r.figures = append(r.figures, figure{fmt.Sprintf("%s-%d", p.kernel, n),
				fmt.Sprintf("%s: signatures and the prediction at %d", p.kernel, n), a})
		}
	}
	return nil
}

// causes looks for the functions that the paper names, in the larger of the small inputs.
func (r *Result) causes(p *program, list []components.Moved, d *gotrace.Document, small []int) {
	for _, c := range p.causes {
		x := Cause{Kernel: p.kernel, Component: c.component, Size: small[len(small)-1],
			PaperFunction: c.theirs, PaperWords: c.words, Function: c.ours}
		if c.words == "" {
			x.PaperPercent = doc.Some(c.share)
		}
		for _, m := range slices.Backward(list) {
			if m.Shift == nil || *m.Shift != c.shift {
				continue
			}
			x.FromBin, x.ToBin = m.FromBin, m.ToBin
			var all, of uint64
			for _, g := range d.Functions {
				for _, b := range g.Bins {
					if bin := bits.Len64(b.FromBytes); bin >= m.FromBin && bin <= m.ToBin {
						all += b.Count
						if g.Name == c.ours {
							of += b.Count
						}
					}
				}
			}
			x.Percent = doc.Some(100 * float64(of) / float64(max(all, 1)))
			x.Agrees = c.words == "" && within(x.Percent.Float(), c.share) ||
				c.words != "" && x.Percent.Float() >= c.least
			break
		}
		r.judge(x.Agrees)
		r.Causes = append(r.Causes, x)
	}
}

func (r *Result) interchange(f *Folder, s *size) error {
	var curves []lineCurve
	for _, n := range s.interchange {
		// an array of 2n doubles has 16n bytes; its accesses that are apart by all of it are below
		last := bits.Len64(16*uint64(n)) - 1
		x := Interchange{Numbers: n, Length: 2 * n, MiddleTo: last - 1, PaperLast: last,
			PaperMid: paperMiddle * float64(last-middleFrom)}
		for _, loops := range []string{original, interchanged} {
			d, err := traced(f, "fft", loops, n, gotrace.Lines)
			if err != nil {
				return err
			}
			g, err := components.Of(&d.KRD.Histogram)
			if err != nil {
				return err
			}
			to := &x.Before
			if loops == interchanged {
				to = &x.After
			}
			*to = sharesOf(g, x.MiddleTo)
			curves = append(curves, lineCurve{n, loops, d.KRD})
		}
		x.Agrees = r.judge(within(x.Before.Middle, x.PaperMid) && within(x.Before.Last, paperLast) &&
			x.Before.LastBin == x.PaperLast && x.After.Middle <= min(withinPoints, x.Before.Middle/2) &&
			x.After.Bin7 > x.Before.Bin7)
		r.Interchange = append(r.Interchange, x)
	}
	r.figures = append(r.figures, figure{"interchange",
		"fft before and after the interchange of its loops, by lines (the paper's figures 8 and 10)",
		interchangeFigure(curves)})
	return nil
}

func sharesOf(g *components.Signature, to int) (x Shares) {
	for k := middleFrom; k <= to; k++ {
		x.Middle += 100 * g.Share[k]
	}
	x.Bin7 = 100 * g.Share[middleFrom-1]
	x.LastBin = to
	for k := to; k < components.Bins; k++ {
		if g.Share[k] > g.Share[x.LastBin] {
			x.LastBin = k
		}
	}
	x.Last = 100 * g.Share[x.LastBin]
	return x
}

func (r *Result) timing(f *Folder, s *size) error {
	t := &r.Timing
	t.PaperPart, t.PaperLLC = paperPart, paperLLC
	for _, n := range s.timing {
		d, err := load[Timed](f, timedName(n))
		if err == nil && (len(d.OriginalNs) == 0 || len(d.InterchangedNs) == 0) {
			err = fmt.Errorf("%s: %w", f.path(timedName(n)), ErrStep)
		}
		if err != nil {
			return err
		}
		r.Computer, t.LLCBytes = d.Computer, d.Computer.LLCBytes
		a, b := slices.Min(d.OriginalNs), slices.Min(d.InterchangedNs)
		t.Points = append(t.Points, TimePoint{n, d.ArrayBytes, a / float64(d.Accesses),
			b / float64(d.Accesses), a / b, len(d.OriginalNs)})
	}
	for _, p := range slices.Backward(t.Points) {
		if p.Ratio < partRatio {
			break
		}
		t.PartBytes = &p.ArrayBytes
	}
	if llc := float64(t.LLCBytes); llc > 0 {
		ok := t.PartBytes != nil && float64(*t.PartBytes) > llcBelow*llc &&
			float64(*t.PartBytes) <= llcAbove*llc
		r.judge(ok)
		t.Agrees = &ok
	}
	r.figures = append(r.figures, figure{"timing",
		"fft's time for an access, original and interchanged loops (the paper's figure 9)",
		drawing{t.figure()}})
	return nil
}

func (r *Result) simulate(f *Folder, s *size) error {
	for _, k := range s.simulated {
		for _, scheduler := range schedulers {
			q := &components.Question{}
			for _, n := range k.sizes {
				d, err := load[krd.Report](f, simulatedName(k.kernel, scheduler, n))
				if err != nil {
					return err
				}
				q.Small = append(q.Small, components.Sized{Name: fmt.Sprint(n), Size: float64(n),
					Report: d})
			}
			q.At = 2 * q.Small[len(q.Small)-1].Size
			a, err := components.Ask(q)
			if err != nil {
				return fmt.Errorf("%s under %s: %w", k.kernel, scheduler, err)
			}
			x := Simulated{Kernel: k.kernel, Scheduler: scheduler, Sizes: a.Sizes, SciMark: k.scimark,
				Components: a.Components, Shifts: shifts(a.Components), Unexplained: a.Unexplained}
			at := slices.IndexFunc(r.Predictions, func(p Prediction) bool { return p.Kernel == k.scimark })
			x.Theirs = r.Predictions[at].Shifts
			x.Same = slices.Equal(moving(x.Shifts, true), moving(x.Theirs, true))
			r.Simulated = append(r.Simulated, x)
			r.figures = append(r.figures, figure{fmt.Sprintf("simulated-%s-%s", k.kernel, scheduler),
				fmt.Sprintf("%s of krdlab, simulated, under %s", k.kernel, scheduler), a})
		}
	}
	return nil
}
