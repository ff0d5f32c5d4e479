package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// Noise is the part of the response that a fit explains in random orders, the whole search for
// terms repeated in each: rows with the same predictors stay together.
type Noise struct {
	Orders int           `json:"orders"`
	R2     result.Number `json:"r2_95"` // that 95 % of the orders do not reach
	// In how many of the orders R2, and the largest |t| of a coefficient, are as large as the model's.
	ReachR2 int `json:"reach_r2"`
	ReachT  int `json:"reach_t"`
}

const (
	// noiseOrders is how many orders are tried, fewer of designs of more than mostNoise terms cubed.
	noiseOrders = 200
	fewOrders   = 40
	mostNoise   = 64
	// noiseLevel is in which share of orders noise may reach a model that stands, by R2 or by its
	// largest |t|: by each of them half of that (Bonferroni).
	noiseLevel = 0.05
	// fewestDF is the least number of degrees of freedom of the residuals of a model whose shares
	// are printed.
	fewestDF = 10
	// largeVIF is from where on a coefficient cannot be told from others.
	largeVIF = 10
)

// noise fits random orders.
func (r *Report) noise(o *Options) {
	if o.Orders < 0 || r.fit.TSS == 0 || r.fit.DF == 0 || len(r.fit.Design.Formula.Terms) == 0 {
		return
	}
	orders := cmp.Or(o.Orders, noiseOrders)
	if len(r.full.Names) > mostNoise {
		orders = fewOrders
	}
	o.Progress("random orders", 0, 1)
	n, ok := r.full.Noise(o.Select, orders, o.Seed, r.together(o))
	if !ok {
		return
	}
	reach := func(list []float64, x float64) int {
		at, _ := slices.BinarySearch(list, x*(1-1e-9))
		return len(list) - at
	}
	r.Noise = &Noise{orders, result.Some(n.R2[orders*19/20]), reach(n.R2, r.fit.R2()),
		reach(n.T, n.Most(r.fit.Coefficients(false)))}
}

// fewGroups is how many groups there are at least whose means change places: fewer have too few orders.
const fewGroups = 5

// together numbers the rows by what folds do not part or, in experiments, by the kernel; nil: rows are
// independent, or there are few groups.
func (r *Report) together(o *Options) []int {
	name := cmp.Or(o.Groups, r.table.Folds)
	if name == "" && r.table.Groups["kernel"] != nil {
		name = "kernel"
	}
	if name == "" {
		return nil
	}
	texts, err := r.table.group("groups", name)
	if err != nil {
		return nil
	}
	numbers, values := numbered(texts, r.full.Rows)
	if len(values) < fewGroups {
		return nil
	}
	return numbers
}

// asNoise reports that noise is explained as well.
func (n *Noise) asNoise() bool {
	return n != nil && float64(1+min(n.ReachR2, n.ReachT))/float64(1+n.Orders) > noiseLevel/2
}

// conclude finds which terms explain the response, or why none can be told to.
func (r *Report) conclude() {
	f, within := r.fit, r.within()
	switch n := r.Noise; {
	case f.TSS == 0 || len(f.Design.Formula.Terms) == 0:
		r.Find(nothingExplains, within, r.N, f.P)
	case f.DF < fewestDF:
		r.Find(fewDegrees, r.N, f.P, f.DF, fewestDF)
	case n.asNoise():
		r.Find(asNoise, n.Orders, within, n.ReachR2, n.ReachT, r.N, f.P)
	default:
		looks := len(r.full.Formula.Terms)
		for _, t := range r.strongest() {
			if p := min(1, t.StdP.Float()*float64(looks)); t.StdP.Known() && p <= noiseLevel {
				x := doc.Find(explains, within, signed(t.Standardized)).About(t.Name)
				x.Evidence = &doc.Evidence{N: f.DF, P: p, Looks: looks}
				r.Conclude(x)
			}
		}
		for i := range r.Terms {
			if t := &r.Terms[i]; t.StdVIF.Known() && t.StdVIF.Float() > largeVIF {
				r.Conclude(doc.Find(notApart, t.StdVIF.Float()).About(t.Name))
			}
		}
	}
	r.answered = len(r.Findings)
}

func (r *Report) within() string {
	if r.Absorbed != "" {
		return r.Response + " within " + r.Absorbed
	}
	return r.Response
}

// Answer returns the model's result in a sentence or two. The first has no share where there are
// too few rows for one, or noise is explained as well.
func (r *Report) Answer() string {
	f, within := r.fit, r.within()
	if r.answered == 1 && r.Findings[0].Code != explains {
		s := r.Warnings[0]
		return strings.ToUpper(s[:1]) + s[1:] + "."
	}
	terms := r.surest()
	more := len(f.Design.Formula.Terms) - len(terms)
	if more > 0 {
		terms = append(terms, units.Count(more, "more term"))
	}
	verb := " explain "
	if len(terms) == 1 {
		verb = " explains "
	}
	s := enumeration(terms) + verb + percent(r.R2) + " of the variance of " + within + " (R2)"
	if v := r.CV; v != nil && v.Why == "" && v.R2.Known() {
		s += fmt.Sprintf("; of rows that a fit has not seen %s (%s)", percent(v.R2), v.name())
	} else {
		s += "; of rows that a fit has not seen it is not known"
	}
	if n := r.Noise; n != nil {
		s += fmt.Sprintf("; noise up to %s (95 %% of %d random orders)", percent(n.R2), n.Orders)
	}
	var vague []string
	for _, x := range r.Findings[:r.answered] {
		if x.Code == notApart {
			vague = append(vague, x.Subject)
		}
	}
	if len(vague) > 0 {
		s += fmt.Sprintf("; %s cannot be told from others (VIF above %d)", several(vague), largeVIF)
	}
	s += fmt.Sprintf(". Adjusted %s, %s", percent(r.R2Adjusted), size(doc.Args{r.N, f.P}))
	if v := r.CV; v != nil && v.Why == "" && r.passesZero() {
		s += fmt.Sprintf("; the error of unseen rows is %s (RMSE)", digits(v.RMSE))
	} else if v != nil && v.Why == "" && v.ErrorPercent.Known() {
		s += fmt.Sprintf("; the error of unseen rows is %s on average, 95 %% of them %s to %s", per(v.ErrorPercent),
			per(v.P2_5), per(v.P97_5))
	}
	return s + "."
}

// surest returns at most three terms, with the effect of a standard deviation of each.
func (r *Report) surest() (words []string) {
	for _, t := range r.strongest() {
		if len(words) == 3 || t.Standardized.Float() == 0 {
			break
		}
		words = append(words, fmt.Sprintf("%s (%s a standard deviation)", t.Name, signed(t.Standardized)))
	}
	return words
}

// several names a few of a list.
func several(list []string) string {
	if n := len(list) - 3; n > 1 {
		return enumeration(append(slices.Clone(list[:3]), fmt.Sprintf("%d more", n)))
	}
	return enumeration(list)
}

func enumeration(list []string) string {
	if n := len(list) - 1; n > 0 {
		return strings.Join(list[:n], ", ") + " and " + list[n]
	}
	return strings.Join(list, "")
}
