package correlate

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/estimate"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// An Answer names the KRD share that correlates best with an outcome, with its interval, or the
// reason why the runs do not suffice.
type Answer struct {
	Question string  `json:"question"` // what is set against what
	Scope    Kind    `json:"scope"`
	Outcome  Outcome `json:"outcome"`     // "" where there is nothing to compare
	Source   *string `json:"miss_source"` // as [Association.MissSource]
	Text     string  `json:"text"`
	// Brief is the same without intervals.
	Brief string `json:"brief"`
}

// The questions that are answered first.
const (
	betweenSchedulers = "Between schedulers, size and cores equal"
	acrossCores       = "Across sizes and cores, means over schedulers"
	acrossOne         = "Across sizes and cores, one scheduler"
)

// answers returns the findings for each question: misses per access before misses per core, which
// fall with the cores whatever reuse does, and which between schedulers are the same.
func (f *Family) answers() (list []Answer) {
	if s := f.scope(EqualCores); s != nil && s.mute(MissesPerAccess, WTI) != "" {
		list = append(list, s.silence(betweenSchedulers, MissesPerAccess, WTI))
	} else if s != nil {
		list = append(list, s.answers(betweenSchedulers, MissesPerAccess, WTI)...)
	} else {
		why := "nothing to compare: each has one scheduler only"
		for i := range f.Configurations {
			if c := &f.Configurations[i]; i > 0 && c.Cores == f.Configurations[i-1].Cores &&
				c.Size == f.Configurations[i-1].Size {
				why = "nothing to compare: on one core, where schedulers have nothing to decide"
			}
		}
		list = append(list, Answer{Question: betweenSchedulers, Scope: EqualCores, Text: why,
			Brief: why})
	}
	s, question := f.scope(Pooled), acrossCores
	if s == nil && len(distinct(f.Configurations,
		func(c *Configuration) string { return c.Scheduler })) == 1 {
		s, question = f.scope(AllConfigurations), acrossOne
	}
	if s != nil && s.mute(Outcomes...) != "" {
		return append(list, s.silence(question, Outcomes...))
	} else if s != nil {
		return append(list, s.answers(question, Outcomes...)...)
	}
	why := "nothing to compare: one size and core count only"
	return append(list, Answer{Question: acrossCores, Scope: Pooled, Text: why, Brief: why})
}

// mute returns how many points a scope has where they are so few that none of several outcomes can
// be told from chance, whatever the coefficients are; "" where something else is to be said of one.
func (s *Scope) mute(outcomes ...Outcome) string {
	n, several := 0, 0
	for i := range s.Associations {
		a := &s.Associations[i]
		if !slices.Contains(outcomes, a.Outcome) {
			continue
		}
		best := a.BestSpearman
		if a.ByConstruction || best == nil || best.PickedSmallest.Float() <= 1-estimate.Confidence {
			return ""
		}
		n, several = max(n, a.N), several+1
	}
	if several < 2 {
		return ""
	}
	return units.Count(n, "pair")
}

// silence returns the one answer of a scope that is mute.
func (s *Scope) silence(question string, outcomes ...Outcome) Answer {
	text := "nothing can be told: " + s.mute(outcomes...) + " are too few to tell any coefficient " +
		"from chance"
	return Answer{Question: question, Scope: s.Kind, Text: text, Brief: text}
}

// scope returns the first of a kind, nil if there is none.
func (f *Family) scope(kind Kind) *Scope {
	for i := range f.Scopes {
		if f.Scopes[i].Kind == kind {
			return &f.Scopes[i]
		}
	}
	return nil
}

func (s *Scope) answers(question string, outcomes ...Outcome) (list []Answer) {
	for _, o := range outcomes {
		found := false
		for i := range s.Associations {
			if a := &s.Associations[i]; a.Outcome == o {
				found = true
				if a.ByConstruction && o == MissesPerCore {
					continue // as per access
				}
				list = append(list, Answer{question, s.Kind, o, a.MissSource,
					a.title() + ": " + a.answer(true), a.title() + ": " + a.answer(false)})
			}
		}
		if !found && o == MissesPerAccess {
			text := o.String() + ": not counted"
			list = append(list, Answer{Question: question, Scope: s.Kind, Outcome: o, Text: text,
				Brief: text})
		}
	}
	return list
}

const equalByConstruction = "equal by construction"

// excess returns by how much the misses differ from the misses by KRD, "" if that is not known.
func (a *Association) excess() string {
	if !a.ExcessLeast.Known() {
		return ""
	}
	least, most := 100*a.ExcessLeast.Float(), 100*a.ExcessMost.Float()
	s := fmt.Sprintf("%+.1f %%", least)
	if t := fmt.Sprintf("%+.1f %%", most); t != s {
		s = fmt.Sprintf("%+.1f to %s", least, t)
	}
	return s
}

// answer returns the finding, with intervals or in brief.
func (a *Association) answer(whole bool) string {
	best := a.BestSpearman
	switch {
	case a.ByConstruction:
		return doc.Find(byConstruction, a.excess()).Sentence()
	case best == nil && len(a.Coefficients) == 0:
		return fmt.Sprintf("too few to tell: n = %d", a.N)
	case best == nil && constantOutcome(a):
		return fmt.Sprintf("the same everywhere, n = %d: nothing to explain", a.N)
	case best == nil:
		return fmt.Sprintf("no share differs, n = %d: nothing that could explain it", a.N)
	}
	if !whole {
		return fmt.Sprintf("%s %s, n = %d, p %s. %s", best.Points[0], signed(best.Value), a.N,
			doc.Probability(best.PickedP), a.verdict(false))
	}
	var c *Coefficients
	for i := range a.Coefficients {
		if a.Coefficients[i].Point == best.Points[0] {
			c = &a.Coefficients[i]
		}
	}
	s := fmt.Sprintf("%s, Spearman %s, Pearson %s, n = %d; p %s as the best of %d.", c.Point,
		a.estimate(&c.Spearman), a.estimate(&c.Pearson), a.N, doc.Probability(best.PickedP),
		len(best.Points)+len(best.Rivals))
	return s + " " + a.verdict(true)
}

func constantOutcome(a *Association) bool {
	for i := range a.Coefficients {
		if a.Coefficients[i].Spearman.Code == constantY {
			return true
		}
	}
	return false
}

// estimate returns a coefficient with its interval, or why it has none.
func (a *Association) estimate(c *Coefficient) string {
	if !c.Low.Known() {
		return signed(c.Value) + " (no interval)"
	}
	return signed(c.Value) + " (" + interval(c) + ")"
}

// verdict reports whether the runs can tell that reuse goes with the outcome, and, if asked, which
// share does.
func (a *Association) verdict(which bool) string {
	best := a.BestSpearman
	level := 1 - estimate.Confidence
	switch {
	case best.PickedSmallest.Float() > level:
		return fmt.Sprintf("The data cannot tell: p is %.3f or more, whatever they are.",
			best.PickedSmallest.Float())
	case best.PickedP.Float() >= level:
		return "The data do not tell it from chance."
	}
	s := "More than chance"
	if a.Modelled {
		s = "A relation of the model, beyond a chance order of the runs"
	}
	if which {
		same := len(best.Points) - 1
		for i := range best.Rivals {
			if !best.Rivals[i].Distinguishable() {
				same++
			}
		}
		all := len(best.Points) - 1 + len(best.Rivals)
		switch {
		case all == 0:
		case len(best.Points) > 1 && !best.Share.Known():
			s += fmt.Sprintf("; which share cannot be told: %d tie", len(best.Points))
		case !best.Share.Known():
			s += "; which share cannot be told from " + units.Count(a.Units, "unit")
		case same == 0:
			s += ", and ahead of all other shares"
		default:
			s += fmt.Sprintf("; %d of %s tie with it", same,
				units.Count(all, "other share"))
		}
	}
	if best.Value.Float() < 0 {
		s += "; negative: something else moves both"
	}
	return s + "."
}

// answerLines are how wide and how long the answers are at most, that of a single family whole.
const (
	answerWidth = 80
	answerLines = 18
)

// lines returns the answers of a family, whole with intervals; with origin, the limits of the
// numbers too.
func (f *Family) lines(whole, origin bool) (list []string) {
	list = append(list, f.String())
	if origin {
		list = append(list, f.origin()...)
	}
	question := ""
	for _, a := range f.Answers {
		text := a.Text
		if !whole {
			if text = a.Brief; a.Outcome == MissesPerCore {
				continue
			}
		}
		if a.Question != question {
			question = a.Question
			list = append(list, question+":")
		}
		list = append(list, "- "+text)
	}
	return list
}

// height returns how many lines of a terminal sentences take.
func height(list []string) (n int) {
	for _, s := range list {
		n += 1 + strings.Count(doc.Wrap(s, answerWidth, 2), "\n")
	}
	return n
}

// answer adds the answers of all families; those that do not fit are counted.
func (r *Report) answer(d *doc.Doc, all bool) {
	// The title, an empty line between families, and two lines below them.
	left := answerLines - 3
	whole := all
	if !whole {
		n := 0
		for i := range r.Families {
			n += height(r.Families[i].lines(true, true)) + 1
		}
		whole = n <= left
	}
	for i := range r.Families {
		lines := r.Families[i].lines(whole, whole || len(r.Families) == 1)
		if left -= height(lines) + 1; left < 0 && !all && i > 0 {
			d.Say("%s more: --all", units.Count(len(r.Families)-i, "part"))
			break
		}
		if i == 0 {
			lines = append([]string{"Does reuse explain misses and inflation?"}, lines...)
		}
		d.Add(doc.Paragraph(lines))
	}
	if !all {
		d.Say("All shares, all configurations: --all, --csv, --json.")
	}
}
