package virda

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/analysis/components"
	"krdlab/krd/doc"
)

// partRatio is of the misses of FFT's loops, from which they have parted.
const partRatio = 1.2

// The paper's numbers on FFT's loops (4.3.1, figures 8 to 10). The middle is from bin 8 to the one
// below the last, which is that of distances just below the array's bytes; after the interchange it
// is "almost empty", which a print of 0 % would be.
const (
	middleFrom  = 8
	paperMiddle = 0.02 // a bin, before; a unit of the last digit is half of that
	paperLast   = 0.10
	paperPart   = 8 << 20 // bytes of the array
)

// A result holds the results of the steps of a folder.
type result struct {
	*study.Outcome
	moves map[string][]float64 // of SciMark's kernels
}

// judgeReadings adds a claim that has readings.
func (r *result) judgeReadings(c study.Claim) string {
	var all []claims.Verdict
	for _, x := range c.Readings {
		all = append(all, x.Verdict)
	}
	c.Verdict = claims.Readings(all...)
	return r.Judge(c)
}

// judge adds a claim whose parts must hold together.
func (r *result) judge(c study.Claim, all ...claims.Verdict) string {
	c.Verdict = claims.All(all...)
	return r.Judge(c)
}

// printed returns the verdict on a share that the paper prints, whose last digit has the unit.
func printed(share, paper, unit float64) claims.Verdict {
	return claims.Printed(paper, paper, unit, 0).Of(claims.Exactly(share))
}

// below returns the verdict on an order.
func below(a, b float64) claims.Verdict {
	return claims.Order().Of(claims.Exactly(claims.Gap(a, b)))
}

// table adds a table, whose columns are given as keys and heads in turn. Keys that end in _percent,
// _ops or ratio are of numbers as they stand, in _bin or _bytes (for data alone) of whole
// ones; other heads that end in % are of shares, and the rest of words.
func (r *result) table(name, title string, keys int, pairs ...string) *doc.Table {
	t := &doc.Table{Name: name, Title: title, Keys: keys}
	for i := 0; i < len(pairs); i += 2 {
		c := doc.Column{Key: pairs[i], Head: pairs[i+1]}
		switch c.Key[strings.LastIndexByte(c.Key, '_')+1:] {
		case "percent", "ops", "ratio":
			c.Kind = doc.Real
		case "bytes":
			c.Kind, c.Data = doc.Whole, true
		case "bin":
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

// moving returns the shifts that are not 0; once: each once, ascending.
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
			"last digit if that is more, errors at most so large. The paper timed FFT's loops and counted " +
			"misses and instructions on a Core 2 Quad Q9550; here caches of its sizes are simulated (L1 32 KiB, " +
			"8 ways; LLC 6 MiB, inclusive; LRU, no prefetching), and loads and stores are counted."}},
		moves: map[string][]float64{}}
	s := sizes(f.Scale)
	r.Conclude()
	for _, part := range []func(*study.Folder, *size) error{r.predictions, r.interchange, r.loops,
		r.table2, r.simulated} {
		if err := part(f, &s); err != nil {
			return nil, err
		}
	}
	return r.Outcome, nil
}

// traced loads a traced step.
func traced(f *study.Folder, name string) (*goprogram.Document, error) {
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
		"shifts", "ours", "shifts_apart", "updates as two accesses", "shifts_agree", "agree",
		"moving_agree", "of those that move",
		"paper_error_percent", "error at LARGE, paper, %", "error_percent", "ours, %",
		"error_with_cold_percent", "with cold, %", "error_agrees", "agrees")
	causes := r.table("causes", "Functions that cause a component", 2,
		"kernel", "kernel", "component", "component", "bins", "bins", "paper_function", "paper",
		"paper_share", "of it, %", "paper_words", "", "function", "ours", "share", "of it, %", "agrees",
		"agrees", "share_at_target", "in the largest, fewer cycles, %")
	for _, p := range programs {
		q := &components.Question{}
		var d *goprogram.Document
		var err error
		agree, in := "", s.of[p.kernel]
		for _, n := range in.small {
			if d, err = traced(f, tracedName(p.kernel, original, n, goprogram.Data)); err != nil {
				return err
			}
			q.Small = append(q.Small, sized(n, d.KRD))
		}
		two, err := apartShifts(f, &p, in)
		if err != nil {
			return err
		}
		apart := any(doc.Missing("it has none"))
		if two != nil {
			apart = shiftWords(two)
		}
		cycled, err := traced(f, cycledName(p.kernel, in.small[1]))
		if err != nil {
			return err
		}
		for i, n := range in.targets {
			if d, err = traced(f, tracedName(p.kernel, original, n, goprogram.Data)); err != nil {
				return err
			}
			q.At, q.Actual = float64(n), d.KRD
			a, err := components.Ask(q)
			if err != nil {
				return fmt.Errorf("%s: %w", p.kernel, err)
			}
			list, figure := shiftsOf(a.Components), fmt.Sprintf("%s-%d", p.kernel, n)
			r.moves[p.kernel] = list
			if i == 0 { // of all targets the same
				agree = r.shifts(&p, figure, list, two)
			}
			t.Row(p.kernel, sizeWords(a.Sizes), sizeWords([]float64{a.At}), shiftWords(p.shifts),
				shiftWords(list), apart, agree, units.Yes(slices.Equal(moving(list, false), moving(p.shifts, false))),
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
				r.cause(causes, &p, &c, a.Components, cycled, d, doublings)
			}
		}
	}
	return nil
}

// apartShifts lists those of components where an update is a load and a store; nil: there are none.
func apartShifts(f *study.Folder, p *program, in inputs) ([]float64, error) {
	q := &components.Question{At: float64(in.targets[0])}
	for _, n := range in.apart(p) {
		d, err := traced(f, apartName(p.kernel, n))
		if err != nil {
			return nil, err
		}
		q.Small = append(q.Small, sized(n, d.KRD))
	}
	if len(q.Small) == 0 {
		return nil, nil
	}
	a, err := components.Ask(q)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.kernel, err)
	}
	return shiftsOf(a.Components), nil
}

// shifts judges those of a kernel's components, where an update is one access or two.
func (r *result) shifts(p *program, figure string, one, two []float64) string {
	c := study.Claim{ID: "shifts-" + p.kernel, Where: p.section, Test: "the same",
		Says:  p.kernel + ": bins by which its components move when the input doubles",
		Paper: shiftWords(p.shifts), Ours: shiftWords(one), Figure: figure}
	if two == nil {
		return r.judge(c, claims.Same(slices.Equal(one, p.shifts)))
	}
	for i, list := range [][]float64{one, two} {
		c.Readings = append(c.Readings, study.Reading{Verdict: claims.Same(slices.Equal(list, p.shifts)),
			Ours: shiftWords(list), Name: []string{"an update is one access", "an update is a load and a store"}[i]})
	}
	c.Ours += "; with updates as a load and a store " + shiftWords(two)
	return r.judgeReadings(c)
}

// cause adds the share that a function has of the last component that moves as the paper says, in
// the largest input that components were found in, and where it is after so many doublings. d has
// many cycles, so that what fills and checks the data counts little; large has few.
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

// shareOf returns the share of a function in the accesses of bins.
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
			d, err := traced(f, tracedName("fft", loops, n, goprogram.Lines))
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

// A missPoint holds the misses of FFT of an array.
type missPoint struct {
	bytes  uint64
	misses [2]*Missed // original, interchanged
}

// cached loads a program in the simulated caches.
func cached(f *study.Folder, kernel, loops string, n int) (*Missed, error) {
	name := cachedName(kernel, loops, n)
	m, err := study.Load[Missed](f, name)
	if err == nil && (m.Operations == 0 || len(m.Misses) != len(ways)) {
		err = fmt.Errorf("%s: %w", f.Path(name), study.ErrStep)
	}
	return m, err
}

// parted returns the bytes of the array from which on the original loops miss partRatio times as
// often, at every longer one; 0: of the longest they do not.
func parted(list []missPoint, cache int) (bytes uint64) {
	for _, p := range slices.Backward(list) {
		if p.misses[0].perThousand(cache) < partRatio*p.misses[1].perThousand(cache) {
			break
		}
		bytes = p.bytes
	}
	return bytes
}

// loops judges where FFT's loops part.
func (r *result) loops(f *study.Folder, s *size) error {
	pairs := []string{"array_length", "array", "array_bytes", "", "", "bytes"}
	for _, n := range ways {
		for _, order := range []string{original, interchanged} {
			pairs = append(pairs, fmt.Sprintf("%s_%d_ways_ops", order, n), order+", "+waysName(n))
		}
	}
	t := r.table("misses", "Misses in 1 000 loads and stores of FFT, in simulated caches of the paper's sizes "+
		"(figure 9 a)", 1, pairs...)
	var list []missPoint
	for _, n := range s.arrays {
		p := missPoint{bytes: 16 * uint64(n)}
		for i, order := range []string{original, interchanged} {
			var err error
			if p.misses[i], err = cached(f, "fft", order, n); err != nil {
				return err
			}
		}
		row := []any{strconv.Itoa(2 * n), p.bytes, units.Bytes(p.bytes)}
		for i := range ways {
			for _, m := range p.misses {
				row = append(row, doc.Some(m.perThousand(i)))
			}
		}
		t.Row(row...)
		list = append(list, p)
	}
	r.part(list)
	r.draw("misses", "fft's misses, original and interchanged loops, in the simulated caches (figure 9 a)",
		missesFigure(list))
	return nil
}

// part judges from which array on the loops part, in each cache, and how fast misses grow beyond.
func (r *result) part(list []missPoint) {
	part := study.Claim{ID: "part", Where: "4.3.1, figure 9 a", Figure: "misses",
		Says:  fmt.Sprintf("fft: from which array on the original loops miss %g times as often", partRatio),
		Paper: units.Bytes(paperPart), Test: "the same, of arrays that double"}
	grow := study.Claim{ID: "growth", Where: "4.3.1, figure 9 a", Figure: "misses",
		Says:  "fft: beyond the cache the original loops' misses grow faster than those of interchanged ones",
		Paper: "sharply, much slower", Test: "more by 10 % from the array below the cache to the longest"}
	var where, rises []string
	below := 0
	for i, p := range list {
		if p.bytes < paperLLC {
			below = i
		}
	}
	for i, n := range ways {
		at := parted(list, i)
		v := claims.Same(at == paperPart)
		words := "at none"
		if at > 0 {
			words = units.Bytes(at)
		}
		var rise [2]float64
		for k := range rise {
			rise[k] = list[len(list)-1].misses[k].perThousand(i) - list[below].misses[k].perThousand(i)
		}
		grown := claims.Order().Of(claims.Exactly(claims.Gap(rise[1], rise[0])))
		rising := fmt.Sprintf("by %.3g and by %.3g", rise[0], rise[1])
		if list[len(list)-1].bytes < paperPart {
			v, grown = claims.OtherSize, claims.OtherSize
		}
		part.Readings = append(part.Readings, study.Reading{Name: waysName(n), Ours: words, Verdict: v})
		grow.Readings = append(grow.Readings, study.Reading{Name: waysName(n), Ours: rising, Verdict: grown})
		where = append(where, words+" ("+waysName(n)+")")
		rises = append(rises, rising+" ("+waysName(n)+")")
	}
	part.Ours, grow.Ours = strings.Join(where, ", "), strings.Join(rises, ", ")
	r.judgeReadings(part)
	r.judgeReadings(grow)
}

// table2 sets misses beside the paper's. The paper's are of all instructions, and ours of loads and
// stores, so ours are to be no fewer.
func (r *result) table2(f *study.Folder, s *size) error {
	t := r.table("table2", "Misses of the last-level cache (table 2): the paper's in 1 000 instructions, simulated "+
		"ones in 1 000 counted operations, loads and stores", 1, "program", "program", "size", "of size",
		"paper_ops", "paper, instructions", "ways_ops", "operations, "+waysName(ways[0]), "associative_ops",
		waysName(ways[1]), "agrees", "agrees")
	var found []*Missed
	large := true
	for _, p := range programs {
		n := s.table2[p.kernel]
		m, err := cached(f, p.kernel, original, n)
		if err != nil {
			return err
		}
		found, large = append(found, m), large && n == p.large
		t.Row(p.kernel, strconv.Itoa(n), doc.Some(p.mpki), doc.Some(m.perThousand(0)), doc.Some(m.perThousand(1)),
			r.mpki(&p, m, n))
	}
	for _, p := range others {
		why := doc.Missing("a Java program of SPECjvm2008 that is not here")
		t.Row(p.name, why, doc.Some(p.mpki), why, why, r.judge(study.Claim{ID: "mpki-" + p.name, Where: "table 2",
			Says: p.name + ": L2 misses in 1 000 instructions", Paper: fmt.Sprint(p.mpki), Test: "none",
			Ours: "n/a: a Java program of SPECjvm2008 that is not here"}, claims.NotRun))
	}
	r.order(found, large)
	return nil
}

// mpki judges the misses of a kernel, which bound those in 1 000 instructions.
func (r *result) mpki(p *program, m *Missed, n int) string {
	v := claims.Refuted(0.9*p.mpki, math.Inf(1)).Of(claims.Exactly(m.perThousand(0)))
	if n != p.large {
		v = claims.OtherSize
	}
	return r.judge(study.Claim{ID: "mpki-" + p.kernel, Where: "table 2",
		Says:  p.kernel + ": L2 misses in 1 000 instructions, here in 1 000 loads and stores, simulated",
		Paper: fmt.Sprint(p.mpki), Ours: fmt.Sprintf("%.2f", m.perThousand(0)),
		Test: "refuted where fewer, within 10 %: instructions are more than loads and stores"}, v)
}

// order judges that of the kernels' misses, in the order of programs.
func (r *result) order(found []*Missed, large bool) {
	var all []claims.Verdict
	var ours []string
	for i, m := range found {
		ours = append(ours, fmt.Sprintf("%s %.2f", programs[i].kernel, m.perThousand(0)))
		// the paper has the second and the third within 3 %
		for k := range i {
			if programs[k].mpki > 1.1*programs[i].mpki {
				all = append(all, below(m.perThousand(0), found[k].perThousand(0)))
			}
		}
	}
	if !large {
		all = append(all, claims.OtherSize)
	}
	r.judge(study.Claim{ID: "mpki-order", Where: "table 2", Says: "which of the four misses more",
		Paper: "fft, then lu and sparse, then sor", Ours: strings.Join(ours, ", "),
		Test: "each pair that the paper has more than 10 % apart"}, all...)
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
