package loss

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"krdlab/experiments/run/estimate"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// The codes of findings, with what their arguments are.
const (
	// losesTo: of each cause, the largest first, its words, its share of the time, the words of its largest
	// part, or "", and its share of the cause; then the share of the time that is lost; of a scheduler.
	losesTo doc.Code = "loses_to"
	// losesLittle: the share that is lost, the least that would be named; of a scheduler.
	losesLittle doc.Code = "loses_little"
	// noIntervals: repetitions, how many are needed.
	noIntervals doc.Code = "no_intervals_of_causes"
	// notMeasured: no argument; of a scheduler. notSplit: no argument.
	notMeasured doc.Code = "causes_not_measured"
	notSplit    doc.Code = "inflation_not_split"
	// notRepeated: the repetition, its time in the folder and now, in ns; of a scheduler.
	notRepeated doc.Code = "not_repeated"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		losesTo: {Level: doc.Answer, Example: []any{"the runtime", 0.31, "steals", 0.7, "distance", 0.12, "C", 0.61, 0.43},
			Next: "krdlab why --json", Say: func(a doc.Args) string {
				parts := []string{}
				for i := 0; i+3 < len(a); i += 4 {
					s := fmt.Sprintf("%s to %s", percent(a.Number(i+1)), a.Text(i))
					if a.Text(i+2) != "" {
						s += fmt.Sprintf(" (%s: %s of it)", a.Text(i+2), percent(a.Number(i+3)))
					}
					parts = append(parts, s)
				}
				return "loses " + strings.Join(parts, ", ")
			}},
		losesLittle: {Level: doc.Answer, Example: []any{0.012, 0.01}, Say: func(a doc.Args) string {
			return fmt.Sprintf("loses %s of its time against serial over its cores; no cause takes %s",
				percent(a.Number(0)), percent(a.Number(1)))
		}},
		noIntervals: {Level: doc.Limit, Example: []any{3, 6}, Next: "--reps",
			Say: func(a doc.Args) string {
				return fmt.Sprintf("no intervals: %s, %d needed: --reps %[2]d",
					units.Count(a.Whole(0), "repetition"), a.Whole(1))
			}},
		notMeasured: {Level: doc.Limit, Words: "its work or the serial run's was not stamped: " +
			"--trace profile stamps both"},
		notSplit: {Level: doc.Limit, Words: "inflation of work is measured, and not split: causes " +
			"can be taken away on a simulated machine only (krdlab run --machine)"},
		notRepeated: {Level: doc.Doubt, Example: []any{1, 1.5e7, 1.4e7}, Say: func(a doc.Args) string {
			return fmt.Sprintf("repetition %d takes %s now and took %s in the run: another version "+
				"of krdlab made the run, and causes are those of this version", a.Whole(0), took(a.Number(2)),
				took(a.Number(1)))
		}},
	})
}

func took(ns float64) string { return doc.Sentence(doc.Bare(doc.Some(ns)), doc.Nanoseconds) }

func percent(share float64) string { return doc.Digits(100*share, 2) + " %" }

// leastNamed is the share of the time from which a cause is named, and mostNamed how many are.
const (
	leastNamed = 0.01
	mostNamed  = 3
)

var words = func() map[string]string {
	m := map[string]string{"parallelism": "too little parallelism", "cold": "cold misses of each node",
		"runtime": "the runtime", "idle": "idle workers", "scheduling": "scheduling", "inflation": "inflation of work"}
	for _, g := range groups {
		for _, c := range append(g.parts, g.cause) {
			if m[c.key] == "" {
				m[c.key] = c.words
			}
		}
	}
	return m
}()

// word returns the words of a cause, or the name of an object.
func word(key string) string { return cmp.Or(words[key], key) }

func (r *Report) conclude() {
	few := 0
	for i := range r.Losses {
		l := &r.Losses[i]
		r.Conclude(l.finding().About(l.Scheduler))
		if l.TimeNS.Reason == doc.TooFew {
			few = l.TimeNS.N
		}
	}
	if few > 0 {
		r.Conclude(doc.Find(noIntervals, few, estimate.MinSample))
	}
}

// finding names the causes that take most of the time.
func (l *Loss) finding() doc.Finding {
	all := l.causes()
	if len(all) == 0 {
		return doc.Find(losesLittle, l.Lost.Median.Float(), leastNamed)
	}
	var args []any
	for _, p := range all[:min(len(all), mostNamed)] {
		largest, share := p.largest()
		args = append(args, word(p.Key), p.Share.Median.Float(), largest, share)
	}
	f := doc.Find(losesTo, append(args, l.Lost.Median.Float())...)
	f.Evidence = &doc.Evidence{N: l.TimeNS.N}
	return f
}

// largest returns the words of the largest part of p, an object where there are some, and its share of p.
func (p *Part) largest() (name string, share float64) {
	list := p.Objects
	if len(list) < 2 {
		list = p.Parts
	}
	for _, x := range list {
		if s := x.Share.Median.Float() / p.Share.Median.Float(); len(list) > 1 && !math.IsNaN(s) && s > share {
			name, share = word(x.Key), s
		}
	}
	return name, share
}
