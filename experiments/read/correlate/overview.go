package correlate

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// key distinguishes the associations of different scopes.
type key struct {
	outcome Outcome
	source  string
}

func (a *Association) key() key {
	k := key{outcome: a.Outcome}
	if a.MissSource != nil {
		k.source = *a.MissSource
	}
	return k
}

func (a *Association) title() string { return a.key().String() }

func (k key) String() string {
	if k.source != "" {
		return k.outcome.String() + " (" + k.source + ")"
	}
	return k.outcome.String()
}

func associations(f *Family) []key {
	var list []key
	for _, o := range Outcomes {
		for i := range f.Scopes {
			for j := range f.Scopes[i].Associations {
				if k := f.Scopes[i].Associations[j].key(); k.outcome == o && !slices.Contains(list,
					k) {
					list = append(list, k)
				}
			}
		}
	}
	return list
}

func (s *Scope) find(k key) *Association {
	for i := range s.Associations {
		if s.Associations[i].key() == k {
			return &s.Associations[i]
		}
	}
	return nil
}

// tests counts the coefficients with a p, and those of them below 0.05.
func (f *Family) tests() (n, below int) {
	for i := range f.Scopes {
		for j := range f.Scopes[i].Associations {
			for _, c := range f.Scopes[i].Associations[j].Coefficients {
				for _, p := range []result.Number{c.Pearson.P, c.Spearman.P} {
					if p.Known() {
						n++
						if p.Float() < 1-estimate.Confidence {
							below++
						}
					}
				}
			}
		}
	}
	return n, below
}

// String returns the answer in a sentence.
func (b *Best) String() string {
	s := fmt.Sprintf("%s (%s)", b.Points[0], signed(b.Value))
	if n := len(b.Points) - 1; n > 0 {
		s += fmt.Sprintf(", a tie with %s: %s", units.Count(n, "other"), abridged(b.Points[1:]))
	}
	if b.P.Known() && b.P.Float() >= 1-estimate.Confidence {
		s += fmt.Sprintf("; chance alone may give that (p %s)", doc.Probability(b.P))
	}
	if !b.Share.Known() {
		return s + "; no resampling: too few independent units"
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
		s += fmt.Sprintf("; %d of the other %d tie with it", same, len(b.Rivals))
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
