package virda

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/hw"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/analysis/components"
	"krdlab/krd/doc"
)

// partRatio is of the times of FFT's loops, from which they have parted.
const partRatio = 1.2

// What the paper says of FFT's loops (4.3.1, figures 8 to 10). The middle is from bin 8 to the one
// below the last, which is that of distances just below the array's bytes; after the interchange it
// is "almost empty", which a print of 0 % would be.
const (
	middleFrom  = 8
	paperMiddle = 0.02 // a bin, before; a unit of the last digit is half of that
	paperLast   = 0.10
	paperPart   = 8 << 20 // bytes of the array
	paperLLC    = 6 << 20
)

// A result is what the steps of a folder come to.
type result struct {
	*study.Outcome
	computer hw.Machine           // of the timing
	moves    map[string][]float64 // of SciMark's kernels
}

// judge adds a claim whose parts must hold together.
func (r *result) judge(c study.Claim, all ...claims.Verdict) string {
	c.Verdict = claims.All(all...)
	return r.Judge(c)
}

// printed is the verdict on a share that the paper prints, the last digit of which has the unit.
func printed(share, paper, unit float64) claims.Verdict {
	return claims.Printed(paper, paper, unit, 0).Of(claims.Exactly(share))
}

// below is the verdict on an order.
func below(a, b float64) claims.Verdict {
	return claims.Order().Of(claims.Exactly(claims.Gap(a, b)))
}

// table adds a table, whose columns are given as keys and heads in turn. Keys that end in _percent,
// _ns or ratio are of numbers as they stand, in _bin, _bytes (for data alone) or runs of whole
// ones; other heads that end in % are of shares, and the rest of words.
func (r *result) table(name, title string, keys int, pairs ...string) *doc.Table {
	t := &doc.Table{Name: name, Title: title, Keys: keys}
	for i := 0; i < len(pairs); i += 2 {
		c := doc.Column{Key: pairs[i], Head: pairs[i+1]}
		switch c.Key[strings.LastIndexByte(c.Key, '_')+1:] {
		case "percent", "ns", "ratio":
			c.Kind = doc.Real
		case "bytes":
			c.Kind, c.Data = doc.Whole, true
		case "bin", "runs":
			c.Kind = doc.Whole
		default:
			if strings.HasSuffix(c.Head, ", %") {
				c.Kind, c.Unit = doc.Real, doc.PerCent
			}
		}
		t.Columns = append(t.Columns, c)
	}
	r.Tables = append(r.Tables, t)
	return t
}

// shiftsOf lists those of components that are no plateaus, by bin.
func shiftsOf(list []components.Moved) (out []float64) {
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

// shiftWords prints shifts as the paper says them.
func shiftWords(list []float64) string {
	var text []string
	for _, v := range list {
		word := "fixed"
		if v != 0 {
			word = fmt.Sprintf("+%g", v)
		}
		text = append(text, word)
	}
	return strings.Join(text, " ")
}

func sizeWords(list []float64) string {
	var text []string
	for _, v := range list {
		text = append(text, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return strings.Join(text, ", ")
}

// binWords prints a range of bins.
func binWords(from, to int) string {
	if from == to {
		return strconv.Itoa(from)
	}
	return fmt.Sprintf("%d-%d", from, to)
}

func outcomeOf(f *study.Folder) (*study.Outcome, error) {
	r := &result{Outcome: &study.Outcome{Scale: f.Scale, Tiny: true,
		Title: fmt.Sprintf("The virda paper's evaluation, scale %s", f.Scale),
		Says: []string{"Shifts are to be equal; numbers within 10 % of the paper's, or half a unit of its " +
			"last digit if that is more, errors at most so large; loops are to part at the same power of " +
			"two of LLCs."}}, moves: map[string][]float64{}}
	s := sizes(f.Scale)
	r.Conclude()
	for _, part := range []func(*study.Folder, *size) error{r.predictions, r.interchange, r.timing,
		r.simulated} {
		if err := part(f, &s); err != nil {
			return nil, err
		}
	}
	r.More = map[string]any{"computer": r.computer}
	return r.Outcome, nil
}

// traced loads a traced step.
func traced(f *study.Folder, kernel, loops string, n int, unit goprogram.Unit) (*goprogram.Document, error) {
	name := tracedName(kernel, loops, n, unit)
	d, err := study.Load[goprogram.Document](f, name)
	if err == nil && d.KRD == nil {
		err = fmt.Errorf("%s: %w", f.Path(name), study.ErrStep)
	}
	return d, err
}

func sized(n int, r *krd.Report) components.Sized {
	return components.Sized{Name: strconv.Itoa(n), Size: float64(n), Report: r}
}

func (r *result) predictions(f *study.Folder, s *size) error {
	t := r.table("predictions", "Components and predictions by datum (4.2, 4.3.1 to 4.3.4)", 2,
		"kernel", "kernel", "sizes", "from", "at", "at", "paper_shifts", "bins a doubling, paper",
		"shifts", "ours", "shifts_agree", "agree", "moving_agree", "of those that move",
		"paper_error_percent", "error at LARGE, paper, %", "error_percent", "ours, %",
		"error_with_cold_percent", "with cold, %", "error_agrees", "agrees")
	causes := r.table("causes", "Functions that cause a component", 2,
		"kernel", "kernel", "component", "component", "bins", "bins", "paper_function", "paper",
		"paper_share", "of it, %", "paper_words", "", "function", "ours", "share", "of it, %", "agrees",
		"agrees", "share_at_target", "in the largest, %")
	for _, p := range programs {
		q := &components.Question{}
		var d *goprogram.Document
		var err error
		in := s.of[p.kernel]
		for _, n := range in.small {
			if d, err = traced(f, p.kernel, original, n, goprogram.Data); err != nil {
				return err
			}
			q.Small = append(q.Small, sized(n, d.KRD))
		}
		largest := d
		for i, n := range in.targets {
			if d, err = traced(f, p.kernel, original, n, goprogram.Data); err != nil {
				return err
			}
			q.At, q.Actual = float64(n), d.KRD
			a, err := components.Ask(q)
			if err != nil {
				return fmt.Errorf("%s: %w", p.kernel, err)
			}
			list, figure := shiftsOf(a.Components), fmt.Sprintf("%s-%d", p.kernel, n)
			r.moves[p.kernel] = list
			same := slices.Equal(list, p.shifts)
			agree := string(claims.Same(same))
			if i == 0 { // of all targets the same
				agree = r.judge(study.Claim{ID: "shifts-" + p.kernel, Where: p.section, Test: "the same",
					Says:  p.kernel + ": bins by which its components move when the input doubles",
					Paper: shiftWords(p.shifts), Ours: shiftWords(list), Figure: figure}, claims.Same(same))
			}
			t.Row(p.kernel, sizeWords(a.Sizes), sizeWords([]float64{a.At}), shiftWords(p.shifts),
				shiftWords(list), agree, units.Yes(slices.Equal(moving(list, false), moving(p.shifts, false))),
				doc.Some(p.error), *a.ErrorPercent, *a.ErrorPercentWithCold,
				r.judge(study.Claim{ID: "error-" + figure, Where: p.section, Test: "at most, within 10 %",
					Says:  fmt.Sprintf("%s: error of what is predicted of LARGE, here of %d, %%", p.kernel, n),
					Paper: fmt.Sprintf("%.1f", p.error), Ours: fmt.Sprintf("%.2f", a.ErrorPercent.Float()),
					Figure: figure}, claims.NoMore(p.error, 0.1, 0).Of(claims.Exactly(a.ErrorPercent.Float()))))
			r.draw(figure,
				fmt.Sprintf("%s: signatures and the prediction at %d", p.kernel, n), a)
			for _, f := range a.Findings {
				r.Conclude(f.About(fmt.Sprintf("%s at %d", p.kernel, n)))
			}
			if i < len(in.targets)-1 {
				continue
			}
			doublings := bits.Len(uint(n/in.small[1])) - 1
			for _, c := range p.causes {
				r.cause(causes, &p, &c, a.Components, largest, d, doublings)
			}
		}
	}
	return nil
}

// cause adds the share that a function has of the last component that moves as the paper says, in
// the largest input that components were found in, and where it is after so many doublings.
func (r *result) cause(t *doc.Table, p *program, c *cause, list []components.Moved, d,
	large *goprogram.Document, doublings int) {
	theirs, held := doc.Number{}, study.Claim{ID: "cause-" + p.kernel + "-" + c.component, Where: p.section,
		Says:  fmt.Sprintf("%s: the share of %s in its %s component", p.kernel, c.theirs, c.component),
		Paper: c.words, Test: "more than half", Ours: "no component moves so"}
	switch c.words {
	case "":
		theirs = doc.Some(c.share)
		held.Paper, held.Test = fmt.Sprintf("%.1f %%", 100*c.share), "within 10 %"
	case fromIt:
		held.Test = "all of it, within 10 %"
	}
	for _, m := range slices.Backward(list) {
		if m.Shift == nil || *m.Shift != c.shift {
			continue
		}
		share, up := shareOf(c.ours, d, m.FromBin, m.ToBin), int(c.shift)*doublings
		verdict := printed(share, c.share, 0.001)
		switch c.words {
		case mostly:
			verdict = below(1-share, share)
		case fromIt:
			verdict = printed(share, 1, 0)
		}
		held.Ours = fmt.Sprintf("%.1f %%", 100*share)
		t.Row(p.kernel, c.component, binWords(m.FromBin, m.ToBin), c.theirs, theirs, c.words, c.ours,
			doc.Some(share), r.judge(held, verdict),
			doc.Some(shareOf(c.ours, large, m.FromBin+up, m.ToBin+up)))
		return
	}
	t.Row(p.kernel, c.component, doc.Missing("no component moves so"), c.theirs, theirs, c.words,
		c.ours, nil, r.judge(held, claims.Disagree), nil)
}

// shareOf is the share of a function in the accesses of bins.
func shareOf(function string, d *goprogram.Document, from, to int) float64 {
	var all, of uint64
	for _, g := range d.Functions {
		for _, b := range g.Bins {
			if k := bits.Len64(b.FromBytes); k >= from && k <= to {
				all += b.Count
				if g.Name == function {
					of += b.Count
				}
			}
		}
	}
	return float64(of) / float64(max(all, 1))
}

func (r *result) interchange(f *study.Folder, s *size) error {
	t := r.table("interchange", "FFT by lines, before and after its loops are interchanged (figures "+
		"8 and 10)", 1, "array_length", "array", "middle_bins", "middle bins", "paper_middle",
		"they hold, paper, %", "before", "before, %", "after", "after, %", "before_bin_7",
		"bin 7 before, %", "after_bin_7", "after, %", "paper_last_bin", "last bin, paper",
		"paper_last", "holds, paper, %", "last_bin",
		"ours", "last", "holds, %", "agrees", "agrees")
	var curves []lineCurve
	for _, n := range s.interchange {
		bytes := 16 * uint64(n) // n complex numbers are an array of 2n
		last := bits.Len64(bytes - 1)
		var is [2]*components.Signature
		var middle [2]float64
		for i, loops := range []string{original, interchanged} {
			d, err := traced(f, "fft", loops, n, goprogram.Lines)
			if err == nil {
				is[i], err = components.Of(&d.KRD.Histogram)
			}
			if err != nil {
				return err
			}
			for k := middleFrom; k < last; k++ {
				middle[i] += is[i].Share[k]
			}
			curves = append(curves, lineCurve{n, loops, d.KRD})
		}
		before, after := &is[0].Share, &is[1].Share
		at := last - 1 // the highest bin from there on
		for k := last; k < components.Bins; k++ {
			if before[k] > before[at] {
				at = k
			}
		}
		paper := paperMiddle * float64(last-middleFrom)
		t.Row(strconv.Itoa(2*n), binWords(middleFrom, last-1), doc.Some(paper), doc.Some(middle[0]),
			doc.Some(middle[1]), doc.Some(before[7]), doc.Some(after[7]), last,
			doc.Some(paperLast), at, doc.Some(before[at]),
			r.judge(study.Claim{ID: fmt.Sprintf("interchange-%d", 2*n), Where: "4.3.1, figures 8 and 10",
				Says: fmt.Sprintf("fft, array of %d: its middle bins hold what interchanged loops empty", 2*n),
				Paper: fmt.Sprintf("%.0f %% in the middle, almost none after it; %.0f %% in bin %d",
					100*paper, 100*paperLast, last),
				Ours: fmt.Sprintf("%.1f %% in the middle, %.1f %% after it; %.1f %% in bin %d", 100*middle[0],
					100*middle[1], 100*before[at], at),
				Test: "each within 10 % or half a unit, and more in bin 7 after it", Figure: "interchange"},
				printed(middle[0], paper, paper/2), claims.Same(at == last),
				printed(before[at], paperLast, 0.01), below(before[7], after[7]),
				printed(middle[1], 0, paper/2)))
	}
	r.draw("interchange", "fft before and after the interchange of its loops, by lines (figures 8 "+
		"and 10)", interchangeFigure(curves))
	return nil
}

// A timePoint is the best times for one access, in ns.
type timePoint struct {
	bytes uint64
	times [2]float64 // original, interchanged
	runs  int
}

func (r *result) timing(f *study.Folder, s *size) error {
	t := r.table("timing", "FFT's best time for an access (figure 9 b), ns", 1, "numbers", "numbers",
		"array_bytes", "", "", "array", "original_ns", "original", "interchanged_ns", "interchanged",
		"ratio", "ratio", "runs", "runs")
	var list []timePoint
	for _, n := range s.timing {
		d, err := study.Load[Timed](f, timedName(n))
		if err == nil && (len(d.OriginalNs) == 0 || len(d.InterchangedNs) == 0) {
			err = fmt.Errorf("%s: %w", f.Path(timedName(n)), study.ErrStep)
		}
		if err != nil {
			return err
		}
		r.computer = d.Computer
		of := float64(d.Accesses)
		p := timePoint{d.ArrayBytes, [2]float64{slices.Min(d.OriginalNs) / of,
			slices.Min(d.InterchangedNs) / of}, len(d.OriginalNs)}
		list = append(list, p)
		t.Row(strconv.Itoa(n), p.bytes, units.Bytes(p.bytes), doc.Some(p.times[0]),
			doc.Some(p.times[1]), doc.Some(p.times[0]/p.times[1]), p.runs)
	}
	var part any = doc.Missing("at the longest array they do not differ so")
	parted := 0.0
	for _, p := range slices.Backward(list) {
		if p.times[0] < partRatio*p.times[1] {
			break
		}
		part, parted = units.Bytes(p.bytes), float64(p.bytes)
	}
	x := r.table("part", fmt.Sprintf("The array from which the original loops take %g times as long, "+
		"or more, at every longer one", partRatio), 1, "computer", "computer", "llc", "LLC", "part",
		"array", "agrees", "agrees")
	x.Row("the paper's, Core 2 Quad Q9550", units.Bytes(paperLLC), units.Bytes(paperPart), "")
	if llc := float64(r.computer.LLCBytes); llc > 0 {
		x.Row(r.computer.Name, units.Bytes(uint64(llc)), part,
			r.judge(study.Claim{ID: "part", Where: "4.3.1, figure 9 b", Figure: "timing",
				Says:  fmt.Sprintf("from which array on the original loops take %g times as long", partRatio),
				Paper: fmt.Sprintf("%s with an LLC of %s", units.Bytes(paperPart), units.Bytes(paperLLC)),
				Ours:  fmt.Sprintf("%v with an LLC of %s", part, units.Bytes(uint64(llc))),
				Test:  "the same power of two of the LLC"}, printed(parted/llc, float64(paperPart)/paperLLC, float64(paperPart)/paperLLC)))
	} else {
		x.Row(r.computer.Name, doc.Missing("not known: give --caches in a new folder"), part, nil)
	}
	r.draw("timing", "fft's time for an access, original and interchanged loops (figure 9 b)",
		timingFigure(list, uint64(r.computer.LLCBytes)))
	return nil
}

func (r *result) simulated(f *study.Folder, s *size) error {
	t := r.table("simulated", fmt.Sprintf("krdlab's kernels by blocks, simulated on %d cores of %s",
		simulatedCores, simulatedMachine), 2, "kernel", "kernel", "scheduler", "scheduler", "sizes",
		"sizes", "shifts", "bins a doubling", "scimark_shifts", "SciMark's, by datum", "same",
		"the same move", "unexplained", "unexplained, %")
	for _, k := range s.simulated {
		for _, scheduler := range schedulers {
			q := &components.Question{}
			for _, n := range k.sizes {
				d, err := study.Load[krd.Report](f, simulatedName(k.kernel, scheduler, n))
				if err != nil {
					return err
				}
				q.Small = append(q.Small, sized(n, d))
			}
			q.At = 2 * q.Small[len(q.Small)-1].Size
			a, err := components.Ask(q)
			if err != nil {
				return fmt.Errorf("%s under %s: %w", k.kernel, scheduler, err)
			}
			list, theirs := shiftsOf(a.Components), r.moves[k.scimark]
			t.Row(k.kernel, scheduler, sizeWords(a.Sizes), shiftWords(list), shiftWords(theirs),
				units.Yes(slices.Equal(moving(list, true), moving(theirs, true))), doc.Some(a.Unexplained))
			r.draw(fmt.Sprintf("simulated-%s-%s", k.kernel, scheduler),
				fmt.Sprintf("%s of krdlab, simulated, under %s", k.kernel, scheduler), a)
		}
	}
	return nil
}
