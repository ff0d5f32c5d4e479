package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// View returns what people read of the report: the changes that hold, then a table for each
// quantity, then what is in one only, and warnings.
func (r *Report) View() *doc.Doc {
	answers, rest := r.Apart()
	d := &doc.Doc{Warnings: rest}
	d.Add(doc.Paragraph{"A  " + r.A.Name + revision(&r.A), "B  " + r.B.Name + revision(&r.B)})
	found := doc.Paragraph{fmt.Sprintf("%s in both, %d only in A, %d only in B.",
		units.Count(len(r.Pairs), "configuration"), len(r.OnlyA), len(r.OnlyB))}
	if r.Tests == 0 {
		found = append(found, fmt.Sprintf("No test was made: %s.", r.whyNoTest()))
	} else {
		found = append(found, fmt.Sprintf("%s by Mann-Whitney's U, two-sided: %d with p < %.2f (by "+
			"chance alone at most about %.0f); %d hold after Holm's correction.",
			units.Count(r.Tests, "test"), r.Below, r.Alpha, math.Round(r.Alpha*float64(r.Tests)), r.Hold))
	}
	for _, m := range answers {
		found = append(found, "- "+m)
	}
	d.Add(found)
	for _, key := range r.keys() {
		of := &doc.Doc{Title: key.String()}
		if key.Substrate == loi.Simulated {
			of.Say("SIMULATED: no measurement")
		}
		for _, q := range r.quantities(key) {
			r.table(of, key, q)
		}
		d.Add(of)
	}
	last := doc.Paragraph{fmt.Sprintf("change: of the median, in %% of A. better, worse: holds "+
		"after Holm's correction; with ?: p < %.2f, but does not hold; not shown: nothing shows a "+
		"difference.", r.Alpha)}
	for _, only := range []struct {
		name string
		list []Config
	}{{"A", r.OnlyA}, {"B", r.OnlyB}} {
		for _, c := range only.list {
			last = append(last, fmt.Sprintf("only in %s: %s", only.name, c))
		}
	}
	d.Add(last)
	return d
}

func revision(s *Side) string {
	if s.Revision == nil {
		return ""
	}
	short := (*s.Revision)[:min(12, len(*s.Revision))]
	if s.Modified != nil && *s.Modified {
		short += ", modified"
	}
	return " (krdlab " + short + ")"
}

// smallestP returns the smallest two-sided p that the largest samples tested can have, without
// ties, and their sizes.
func (r *Report) smallestP() (p float64, n string) {
	p = 2
	for i := range r.Pairs {
		for _, c := range r.Pairs[i].Quantities {
			if !c.P.Known() {
				continue
			}
			// over the binomial coefficient of a + b and a: all of A below all of B, or above
			x := 2.0
			for k := 1; k <= c.A.N; k++ {
				x *= float64(k) / float64(c.B.N+k)
			}
			switch result.Deterministic { // of the sign test: all on one side
			case c.A.Reason:
				x = math.Ldexp(2, -c.B.N)
			case c.B.Reason:
				x = math.Ldexp(2, -c.A.N)
			}
			if x < p {
				p, n = x, fmt.Sprintf("%d and %d repetitions", c.A.N, c.B.N)
			}
		}
	}
	return p, n
}

// whyNoTest returns what all comparisons are instead.
func (r *Report) whyNoTest() string {
	n := r.verdicts()
	switch {
	case n[TooFew] == 0 && n[Better]+n[Worse] > 0:
		return "what differs is deterministic on both sides"
	case n[TooFew] == 0 && n[Same] > 0:
		return "A and B are equal in every value that both have"
	case n[Same] == 0:
		return fmt.Sprintf("there are fewer than %d repetitions", estimate.MinTested)
	}
	return fmt.Sprintf("what differs has fewer than %d repetitions", estimate.MinTested)
}

// conclude finds the verdicts that hold, by quantity: in how many configurations, and from which change
// to which; or that none does, or can.
func (r *Report) conclude() {
	for _, name := range r.names() {
		for _, v := range []Verdict{Better, Worse} {
			var low, high result.Number
			n, where, least := 0, "", math.MaxInt
			p := 0.0
			for i := range r.Pairs {
				for _, c := range r.Pairs[i].Quantities {
					if c.Quantity != name || c.Verdict != v {
						continue
					}
					d := c.ChangePercent
					if n == 0 || d.Float() < low.Float() {
						low = d
					}
					if n == 0 || d.Float() > high.Float() {
						high = d
					}
					if c.HolmP.Known() {
						p = max(p, c.HolmP.Float())
					}
					where = fmt.Sprintf("%s on %s", r.Pairs[i].Scheduler, units.Count(r.Pairs[i].Cores, "core"))
					n, least = n+1, min(least, c.A.N, c.B.N)
				}
			}
			if n > 0 {
				f := doc.Find(map[Verdict]doc.Code{Better: better, Worse: worse}[v], where, n, len(r.Pairs), low,
					high).About(inWords(name))
				f.Evidence = &doc.Evidence{N: least, P: p, Looks: r.Tests}
				r.Conclude(f)
			}
		}
	}
	best, n := r.smallestP()
	switch {
	case len(r.Findings) > 0:
	case r.Tests > 0 && best*float64(r.Tests) >= r.Alpha:
		r.Find(noneCanHold, n, best, r.Tests, r.Alpha)
	case r.Tests > 0:
		r.Find(noChange, r.Tests)
	case r.verdicts()[TooFew] == 0 && r.verdicts()[Same] > 0:
		r.Find(allTheSame)
	}
}

func (r *Report) verdicts() map[Verdict]int {
	n := map[Verdict]int{}
	for i := range r.Pairs {
		for _, c := range r.Pairs[i].Quantities {
			n[c.Verdict]++
		}
	}
	return n
}

// inWords names a quantity, or a verdict, for a person; a source in parentheses stays.
func inWords(quantity string) string {
	name, source, _ := strings.Cut(quantity, " (")
	words := map[string]string{"time_ns": "time", "speedup": "speed-up", "ovr": "OVR", "wti": "WTI",
		"kernel_ns": "mean time of a kernel", "llc_misses_per_core": "LLC misses per core",
		string(NotShown): "not shown"}[name]
	if words == "" {
		return quantity
	}
	if source != "" {
		words += " (" + source
	}
	return words
}

// names returns those of the quantities, in the order in which they first appear.
func (r *Report) names() []string {
	var list []string
	for i := range r.Pairs {
		for _, c := range r.Pairs[i].Quantities {
			if !slices.Contains(list, c.Quantity) {
				list = append(list, c.Quantity)
			}
		}
	}
	return list
}

func (r *Report) keys() []dataset.Key {
	var list []dataset.Key
	for i := range r.Pairs {
		if k := r.Pairs[i].key(); !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

func (r *Report) quantities(key dataset.Key) []string {
	var list []string
	for i := range r.Pairs {
		if r.Pairs[i].key() != key {
			continue
		}
		for _, c := range r.Pairs[i].Quantities {
			if !slices.Contains(list, c.Quantity) {
				list = append(list, c.Quantity)
			}
		}
	}
	return list
}

// table adds one quantity of a group, or a line where there is nothing to see.
func (r *Report) table(d *doc.Doc, key dataset.Key, name string) {
	verdicts := map[Verdict]int{}
	var list []*Comparison
	var pairs []*Pair
	for i := range r.Pairs {
		pair := &r.Pairs[i]
		if pair.key() != key {
			continue
		}
		for j := range pair.Quantities {
			if c := &pair.Quantities[j]; c.Quantity == name {
				verdicts[c.Verdict]++
				list, pairs = append(list, c), append(pairs, pair)
			}
		}
	}
	if n := len(list); verdicts[Unmeasured] == n {
		d.Say("%s: %s", inWords(name), list[0].Why)
		return
	} else if verdicts[Same] == n {
		d.Say("%s: the same in all %d", inWords(name), n)
		return
	}
	side := func(head string) doc.Column {
		return doc.Column{Head: head, Kind: doc.Real, Unit: list[0].unit, Like: 1}
	}
	right := func(head string) doc.Column { return doc.Column{Head: head, Kind: doc.Real} }
	t := &doc.Table{Keys: 2, Title: inWords(name), Columns: []doc.Column{{Head: "scheduler"},
		right("cores"), side("A"), side("B"), right("change,\n%"), right("p"), right("p\n(Holm)"),
		{Head: "verdict"}, right("n")}}
	disturbed, sample := false, ""
	for i, c := range list {
		var verdict any = inWords(string(c.Verdict))
		if c.Why != "" {
			verdict = doc.Noted{Value: verdict, Note: c.Why}
		}
		marked := pairs[i].DisturbedA || pairs[i].DisturbedB
		disturbed = disturbed || marked
		n := fmt.Sprintf("%d + %d", c.A.N, c.B.N)
		if i == 0 {
			sample = n
		} else if n != sample {
			sample = ""
		}
		t.Row(brief.Marked(pairs[i].Scheduler, marked), pairs[i].Cores, c.A, c.B,
			c.ChangePercent.Print(percent), doc.Probability(c.P), doc.Probability(c.HolmP), verdict, n)
	}
	if sample != "" { // said once
		t.Title += "; n = " + sample
		t.Columns = t.Columns[:len(t.Columns)-1]
	}
	if disturbed {
		t.Remarks = []string{brief.DisturbedNote}
	}
	d.Add(t)
}

// percent prints a change with its sign, two decimals.
func percent(v float64) string {
	s := units.Fixed(v, 2)
	if v > 0 && s != "0.00" {
		return "+" + s
	}
	return s
}
