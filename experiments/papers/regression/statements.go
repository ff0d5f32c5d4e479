package regression

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/read/model"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// A statement is one of the paper, with the number that is judged.
type statement struct {
	study.Claim
	figure string // of package model, that shows it
	test   claims.Test
	of     func(*deal) float64
	print  func(result.Number) string
}

// The bounds of the F-tests and of terms: the paper's 99 %.
const level = 0.01

var (
	rejected = claims.Held(0, level)
	accepted = claims.Held(math.Nextafter(level, 1), 1)
)

// statements are the paper's, in its order.
var statements = []statement{
	{study.Claim{ID: "alone", Where: "IV-A, fig. 2", Quote: "Fig.2 indicates that the impact of a lack of fit " +
		"would be higher (in descending order of importance) for dl1.miss, dltb.miss, l2.dmiss, etc.",
		Says: "misses of a cache are the predictor that is the strongest alone", Paper: "first",
		Test: "rank 1 by the R2 of ranks and their squares"},
		"strengths", claims.Held(1, 1), (*deal).rankOfLines, plain},
	{study.Claim{ID: "first-r2", Where: "IV-B, table IV", Quote: "the I-order model has a reasonably high R2 value",
		Says: "R2 of the first order", Paper: "0.907", Test: "0.816 at least (equation 6)"},
		"coefficients", claims.NoLess(0.907, 0.001, 0), func(d *deal) float64 { return adjusted(d.first) }, plain},
	{study.Claim{ID: "second-r2", Where: "IV-B, table IV", Quote: "I-order 0.907, II-order 0.992",
		Says: "R2 of the second order", Paper: "0.992", Test: "0.893 at least (equation 6)"},
		"coefficients", claims.NoLess(0.992, 0.001, 0), func(d *deal) float64 { return adjusted(d.second) }, plain},
	{study.Claim{ID: "interactions", Where: "IV-B, table IV", Quote: "the F-test (Eq.7), to check for the goodness " +
		"of fit with the II-order model rejects the null hypothesis with 99% confidence indicating strong " +
		"statistical evidence of a lack of fit from 2-way interaction terms.",
		Says:  "products of two belong into the model: F-test of the first order against the second",
		Paper: "reject", Test: "p below 0.01"},
		"effects", rejected, func(d *deal) float64 { return p(d.first) }, doc.Probability},
	{study.Claim{ID: "interactions-bic", Where: "V", Quote: "This paper highlights the importance of accounting for " +
		"higher order interactions in performance analyses",
		Says: "products of two are worth their coefficients: BIC of the first order less that of the second",
		Test: "above 0"},
		"effects", claims.Sign(), func(d *deal) float64 { return bic(d.first) - bic(d.second) }, plain},
	{study.Claim{ID: "errors", Where: "IV-B, table IV", Quote: "it exhibits high prediction errors and high " +
		"prediction error intervals at 95% confidence.",
		Says:  "the second order predicts better than the first: the difference of their errors over the sum",
		Paper: "0.61 (12.02 and 2.89 %)", Test: "above 0.048, which is 10 %; below -0.048 it is reversed"},
		"held-out", claims.Order(), func(d *deal) float64 { return d.below(d.second, d.first) }, plain},
	{study.Claim{ID: "second-error", Where: "IV-B, table IV", Quote: "Prediction error (%) 2.89 \u00b1 11.27",
		Says: "error of the second order", Paper: "2.89 %", Test: "3.18 % at most"},
		"held-out", claims.NoMore(2.89, 0.01, 0), func(d *deal) float64 { return d.miss(d.second) }, perCent},
	{study.Claim{ID: "pruned", Where: "IV-B, table IV", Quote: "the pruned II-order model performs comparably with " +
		"the complete II-order model, while using fewer terms.",
		Says:  "nothing is lost by pruning: F-test of the pruned second order against all of it",
		Paper: "accept", Test: "p of 0.01 at least"},
		"coefficients", accepted, func(d *deal) float64 { return p(d.pruned) }, doc.Probability},
	{study.Claim{ID: "pruned-error", Where: "IV-B, table IV", Quote: "II-order 2.89, II-order pruned 2.91",
		Says:  "the pruned second order predicts as well: its error over that of all terms",
		Paper: "1.007", Test: "1.11 at most"},
		"held-out", claims.NoMore(2.91/2.89, 0.001, 0),
		func(d *deal) float64 { return d.miss(d.pruned) / d.miss(d.second) }, plain},
	{study.Claim{ID: "third", Where: "IV-B", Quote: "A similar experiment comparing II and III-order models indicate " +
		"a lack of fit due to some third order interaction(s)",
		Says:  "some product of three belongs into the model: F-test of the second order against the third",
		Paper: "reject", Test: "p below 0.01"},
		"effects", rejected, func(d *deal) float64 { return p(d.second) }, doc.Probability},
	{study.Claim{ID: "third-error", Where: "IV-B", Quote: "but we do not investigate them further, since the second " +
		"order models already achieve accuracies close to measurement error.",
		Says: "products of three are not needed to predict: error of the second order over the third's",
		Test: "1.1 at most"},
		"held-out", claims.NoMore(1, 0, 0), func(d *deal) float64 { return d.miss(d.second) / d.miss(d.third) }, plain},
	{study.Claim{ID: "llc", Where: "IV-B, fig. 3", Quote: "cache events, specifically L2 cache events and their " +
		"interactions, significantly contribute to execution cycles.",
		Says: "misses of the last cache interact: the least p of their products that stay in the pruned model",
		Test: "below 0.01; 1 where none stays"},
		"effects", rejected, (*deal).surestOfLLC, doc.Probability},
	{study.Claim{ID: "cache-products", Where: "IV-B, fig. 3",
		Quote: "Pruned II-order model with significant interactions",
		Says:  "most products that stay have misses of a cache: their share",
		Paper: "14 of 16", Test: "0.5 at least"},
		"coefficients", claims.Held(0.5, 1), (*deal).shareOfLines, plain},
	{study.Claim{ID: "residuals", Where: "IV-B, fig. 4", Quote: "The plot does not indicate any anomalies.",
		Says: "residuals show no anomaly: outliers and bent relations that are found", Paper: "0", Test: "0"},
		"diagnostics", claims.Held(0, 0), (*deal).anomalies, plain},
}

func plain(n result.Number) string {
	return n.Print(func(v float64) string { return units.Digits(v, 3) })
}

func perCent(n result.Number) string { return plain(n) + " %" }

// judge tests the statements, each response being a reading. Programs of the smallest scale are so small
// that they say nothing.
func judge(all []*explained, scale study.Scale) (list []study.Claim) {
	for _, s := range statements {
		c := s.Claim
		c.Basis = study.Seen
		var verdicts []claims.Verdict
		var words []string
		for _, x := range all {
			q := x.over(s.of)
			r := study.Reading{Name: x.name, Ours: s.ours(q), Verdict: s.test.Of(q)}
			if scale == study.Smoke && r.Verdict != claims.NotRun {
				r.Verdict = claims.OtherSize
			}
			r.BySeeds = r.Verdict
			verdicts, c.Readings = append(verdicts, r.Verdict), append(c.Readings, r)
			words = append(words, fmt.Sprintf("[%s: %s] %s", r.Name, r.Verdict, r.Ours))
		}
		if c.Verdict = claims.Readings(verdicts...); c.Verdict != claims.NotRun {
			c.Figure = all[0].key + "-" + s.figure
		}
		c.Ours = strings.Join(words, " ")
		list = append(list, c)
	}
	return list
}

func (s *statement) ours(q result.Quantity) string {
	if !q.Median.Known() {
		return doc.NotAvailable
	}
	text := s.print(q.Median)
	if low, high, ok := q.Bounds(); ok && low != high {
		text += fmt.Sprintf(" (%s to %s)", s.print(q.Low), s.print(q.High))
	}
	return text
}

// lines are the predictors that are misses of a cache; the others but the first of the LLC.
var lines = []string{stats.LinesL2.Key, stats.LinesLLC.Key, stats.MissLines.Key}

// has reports whether a product has one of predictors.
func has(product string, predictors []string) bool {
	return slices.ContainsFunc(strings.Split(product, ":"), func(s string) bool {
		return slices.Contains(predictors, s)
	})
}

// products returns those that stay in the pruned model; false without a second order.
func (d *deal) products() (list []model.Term, ok bool) {
	for _, t := range d.Terms {
		if strings.Contains(t.Name, ":") {
			list = append(list, t)
		}
	}
	return list, d.pruned != nil
}

func (d *deal) surestOfLLC() float64 {
	list, ok := d.products()
	if !ok {
		return math.NaN()
	}
	least := 1.0
	for _, t := range list {
		if has(t.Name, lines[1:]) {
			least = min(least, t.StdP.Float())
		}
	}
	return least
}

func (d *deal) shareOfLines() float64 {
	list, ok := d.products()
	if !ok || len(list) == 0 {
		return math.NaN()
	}
	n := 0
	for _, t := range list {
		if has(t.Name, lines) {
			n++
		}
	}
	return float64(n) / float64(len(list))
}

// rankOfLines returns the rank of the strongest predictor that is misses.
func (d *deal) rankOfLines() float64 {
	for i, s := range d.Strengths {
		if slices.Contains(lines, s.Name) {
			return float64(i + 1)
		}
	}
	return math.NaN()
}

// anomalies counts the findings that the residuals of the pruned model give rise to.
func (d *deal) anomalies() float64 {
	if d.pruned == nil {
		return math.NaN()
	}
	n := 0
	for _, f := range d.Findings {
		if f.Code == model.Outlier || f.Code == model.Bent {
			n++
		}
	}
	return float64(n)
}
