package loss

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/stats"
	"krdlab/hw/failure"
	"krdlab/krd/doc"
)

// A Change holds the costs of a cause for a scheduler in two runs.
type Change struct {
	Scheduler string       `json:"scheduler"`
	Cause     string       `json:"cause"`
	A         doc.Quantity `json:"a_ns"`
	B         doc.Quantity `json:"b_ns"`
	// Share is how much more it costs in B, of the time of A.
	Share doc.Number `json:"share_of_a"`
	// P is that of Mann-Whitney's U after Holm's correction over all changes.
	P doc.Number `json:"p_holm"`
}

// Changes is which causes changed from one run to another.
type Changes struct {
	Changes []Change `json:"changes"`
	doc.Concluded
}

// The codes of changes, with what their arguments are.
const (
	// causeChanged: the cause's words, what it costs in A and in B, in ns, and how much more that is, of
	// the time of A; of a scheduler.
	causeChanged doc.Code = "cause"
	// causesStay: the causes that were compared, the share of the time from which one is named.
	causesStay doc.Code = "causes_stay"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		causeChanged: {Level: doc.Answer, Needs: stats.ToldNeeds, Example: []any{"distance", 1e5, 4e5, 0.25},
			Say: func(a doc.Args) string {
				return a.Text(0) + " costs " + took(a.Number(2)) + " where it cost " + took(a.Number(1)) + ": " +
					signed(a.Number(3)) + " of the time of A"
			}},
		causesStay: {Level: doc.Answer, Example: []any{14, 0.01}, Needs: doc.Needs{N: estimate.MinTested},
			Say: func(a doc.Args) string {
				return fmt.Sprintf("none of %d causes of schedulers is shown to cost %s of the time "+
					"more, or less", a.Whole(0),
					percent(a.Number(1)))
			}},
	})
}

func signed(share float64) string {
	s := percent(share)
	if share > 0 {
		s = "+" + s
	}
	return s
}

// errAlone is the error of two runs of different schedulers.
var errAlone = failure.New(failure.Request, "no scheduler is in both")

// errUnlike is the error of two runs that are not of one program on as many cores.
var errUnlike = failure.New(failure.Request, "causes are compared of one program on as many cores")

// Compare compares what each cause costs each scheduler that is in two reports of simulated runs. Machines and
// placements may differ. Errors: the runs are of other programs, parameters or core counts; no scheduler is in
// both.
func Compare(a, b *Report) (*Changes, error) {
	if a.Kernel != b.Kernel || a.Cores != b.Cores || !reflect.DeepEqual(a.Params, b.Params) {
		return nil, fmt.Errorf("%w: %s %v on %d in A, %s %v on %d in B", errUnlike, a.Kernel, a.Params, a.Cores, b.Kernel,
			b.Params, b.Cores)
	}
	c := &Changes{Changes: []Change{}}
	var p []float64
	least := math.MaxInt
	for i := range a.Losses {
		for k := range b.Losses {
			x, y := &a.Losses[i], &b.Losses[k]
			if x.Scheduler != y.Scheduler {
				continue
			}
			before, after := x.all(), y.all()
			for n := range before {
				one, other := before[n].sample, after[n].sample
				c.Changes = append(c.Changes, Change{Scheduler: x.Scheduler, Cause: before[n].Key, A: before[n].NS,
					B: after[n].NS, Share: doc.Some((after[n].NS.Median.Float() - before[n].NS.Median.Float()) /
						x.TimeNS.Median.Float())})
				p = append(p, estimate.P(one, other))
				if !one.Exact() {
					least = min(least, len(one.Values))
				}
				if !other.Exact() {
					least = min(least, len(other.Values))
				}
			}
		}
	}
	if len(p) == 0 {
		return nil, errAlone
	}
	if least == math.MaxInt {
		least = estimate.MinTested // exact on both sides
	}
	var told []doc.Finding
	for i, adjusted := range estimate.Holm(p) {
		x := &c.Changes[i]
		x.P = doc.Some(adjusted)
		if !(math.Abs(x.Share.Float()) >= leastNamed) || !(adjusted <= estimate.Alpha) {
			continue
		}
		f := doc.Find(causeChanged, word(x.Cause), x.A.Median.Float(), x.B.Median.Float(), x.Share.Float()).About(x.Scheduler)
		f.Evidence = &doc.Evidence{N: least, P: adjusted, Looks: len(p)}
		told = append(told, f)
	}
	slices.SortStableFunc(told, func(x, y doc.Finding) int {
		return cmp.Compare(math.Abs(doc.Args(y.Args).Number(3)), math.Abs(doc.Args(x.Args).Number(3)))
	})
	c.Conclude(told...)
	if len(told) == 0 {
		f := doc.Find(causesStay, len(p), leastNamed)
		f.Evidence = &doc.Evidence{N: least}
		c.Conclude(f)
	}
	return c, nil
}

// all returns the groups and the remaining parts.
func (l *Loss) all() (list []*Part) {
	for i := range l.Groups {
		list = append(list, &l.Groups[i])
	}
	list = append(list, &l.Parallel)
	for i := range l.Rest.Parts {
		list = append(list, &l.Rest.Parts[i])
	}
	return list
}

// View returns what people read of the changes.
func (c *Changes) View() *doc.Doc {
	answers, limits := c.Apart()
	d := &doc.Doc{Warnings: limits}
	d.Add(doc.Paragraph(answers))
	t := &doc.Table{Name: "changes", Title: "What each cause costs", Keys: 2, Columns: []doc.Column{
		{Key: "scheduler", Head: "scheduler"}, {Key: "cause", Head: "cause"},
		{Key: "a_ns", Head: "A", Kind: doc.Real, Unit: doc.Nanoseconds, Spread: doc.Reach, Ends: true, Like: 1},
		{Key: "b_ns", Head: "B", Kind: doc.Real, Unit: doc.Nanoseconds, Spread: doc.Reach, Ends: true, Like: 1},
		{Key: "share_of_a", Head: "of the time of A, %", Kind: doc.Real, Unit: doc.PerCent},
		{Key: "p_holm", Head: "p", Kind: doc.Real}}}
	for i := range c.Changes {
		x := &c.Changes[i]
		t.Row(x.Scheduler, word(x.Cause), x.A, x.B, x.Share, x.P)
	}
	d.Add(t)
	d.Add(doc.Paragraph{"p: Mann-Whitney's U over repetitions, after Holm's correction over all rows."})
	return d
}
