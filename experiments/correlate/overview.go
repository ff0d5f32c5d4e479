package correlate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/result"
	"krdlab/experiments/show"
	"krdlab/hw/units"
)

// overview has a row for each scope, Spearman's coefficients of a few points.
func (t *texter) overview(f *Family, k key) {
	shown := f.shown()
	header := append([]string{"Spearman", "pairs"}, shown...)
	for i := range header {
		header[i] = strings.Replace(header[i], " or cold", "\nor cold", 1)
	}
	var rows [][]string
	for i := range f.Scopes {
		s := &f.Scopes[i]
		a := s.find(k)
		if a == nil {
			continue
		}
		row := []string{s.Name, strconv.Itoa(a.N)}
		for _, name := range shown {
			at := slices.IndexFunc(a.Coefficients,
				func(c Coefficients) bool { return c.Point == name })
			if at < 0 {
				row = append(row, "n/a "+t.note("too few pairs with a KRD and this outcome"))
				continue
			}
			c := &a.Coefficients[at].Spearman
			cell := t.value(c)
			if c.Value.Known() {
				if c.P.Known() {
					cell += ", p " + show.Probability(c.P)
				}
				if c.Low.Known() {
					cell += "\n" + interval(c)
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	t.line("")
	t.line("%s, by what is set against what", k)
	t.Table(show.Columns(1, header, rows))
	t.flush()
	for _, m := range tooSmall(f, k) {
		t.line("%s.", m)
	}
	for _, name := range shown {
		if m := f.reversed(k, name); m != "" {
			t.line("%s.", m)
		}
	}
}

// tooSmall says which scopes cannot be significant.
func tooSmall(f *Family, k key) []string {
	names := map[string][]string{}
	var order []string
	for i := range f.Scopes {
		if a := f.Scopes[i].find(k); a != nil {
			if p := a.SmallestP; p.Known() && p.Float() > 1-result.Confidence {
				what := fmt.Sprintf("n = %d is too small: the smallest two-sided p that "+
					"Spearman's coefficient can have is %.3f", a.N, p.Float())
				if names[what] == nil {
					order = append(order, what)
				}
				names[what] = append(names[what], f.Scopes[i].Name)
			}
		}
	}
	var list []string
	for _, what := range order {
		list = append(list, strings.Join(names[what], ", ")+": "+what)
	}
	return list
}

// reversed says where a point's coefficient changes its sign when cores and size are held equal
// (Simpson's paradox), "" if it does not.
func (f *Family) reversed(k key, point string) string {
	of := func(kind Kind) float64 {
		for i := range f.Scopes {
			if a := f.Scopes[i].find(k); a != nil && f.Scopes[i].Kind == kind {
				for _, c := range a.Coefficients {
					if c.Point == point {
						return c.Spearman.Value.Float()
					}
				}
			}
		}
		return math.NaN()
	}
	all, equal := of(AllConfigurations), of(EqualCores)
	if !(all*equal < 0 && min(math.Abs(all), math.Abs(equal)) >= 0.1) {
		return ""
	}
	return fmt.Sprintf("%s: %.3f over all, and %.3f between schedulers at equal cores and size: "+
		"over all it is cores or sizes that move both (Simpson's paradox)",
		point, all, equal)
}

// bests says for the larger scopes which point goes with each outcome most strongly.
func (t *texter) bests(f *Family) {
	any := false
	for i := range f.Scopes {
		s := &f.Scopes[i]
		if s.Kind == OneScheduler || s.Kind == OneCoreCount {
			continue
		}
		for j := range s.Associations {
			a := &s.Associations[j]
			if a.BestPearson == nil {
				continue
			}
			if !any {
				any = true
				t.line("")
				t.line("Which KRD share goes with it most strongly")
			}
			t.line("- %s, %s, n = %d pairs", s.Name, a.title(), a.N)
			t.line("    by Pearson   %s", show.Wrap(a.BestPearson.String(), 100, 17))
			t.line("    by Spearman  %s", show.Wrap(a.BestSpearman.String(), 100, 17))
		}
	}
}

// String is the answer in a sentence.
func (b *Best) String() string {
	s := fmt.Sprintf("%s (%s)", b.Points[0], signed(b.Value))
	if n := len(b.Points) - 1; n > 0 {
		s += fmt.Sprintf(", a tie with %s: %s", units.Count(n, "other"), abridged(b.Points[1:]))
	}
	if b.P.Known() && b.P.Float() >= 1-result.Confidence {
		s += fmt.Sprintf("; chance alone may give that (p %s)", show.Probability(b.P))
	}
	if !b.Share.Known() {
		return s + "; how sure that is cannot be told: too few independent units"
	}
	s += fmt.Sprintf("; best in %.0f %% of resamples", 100*b.Share.Float())
	same := 0
	for i := range b.Rivals {
		if !b.Rivals[i].Distinguishable() {
			same++
		}
	}
	if len(b.Rivals) > 0 {
		r := &b.Rivals[0]
		s += fmt.Sprintf(", next %s (%s) in %.0f %%", r.Point, signed(r.Value), 100*r.Share.Float())
		s += fmt.Sprintf("; %d of the other %d cannot be told from it", same, len(b.Rivals))
	}
	if b.Value.Float() < 0 {
		s += ". Negative: more of these accesses go with less of it, so something else moves both"
	}
	return s
}

// abridged lists up to three names.
func abridged(names []string) string {
	if len(names) <= 3 {
		return strings.Join(names, ", ")
	}
	return names[0] + ", ..., " + names[len(names)-1]
}
