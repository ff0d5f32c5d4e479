package goprogram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"krdlab/hw/scratch"
	"krdlab/hw/units"
	"krdlab/krd"
	observe "krdlab/krd/analysis"
	"krdlab/krd/analysis/graph"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/collect"
)

// The codes of answers, with what their arguments are.
const (
	// acrossRows: how it walks; percent of its accesses that are far, how many there are, to what; a
	// function that accesses the same data otherwise ("": none), and its percent; what would be walked so
	// if the loops changed places ("": nothing); from where on an access is far.
	acrossRows doc.Code = "across_rows"
	// waitsOfTooMany: how many goroutines there may be.
	waitsOfTooMany doc.Code = "waits_of_too_many"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		acrossRows: {Level: doc.Answer, Example: []any{"a[i][j] with j outside", 98., uint64(5000000), "[]float64",
			"main.sumRows", 12., "b[j][i]", uint64(32 << 10)},
			Next: "krdlab dependences go PACKAGE shows whether the loops can be exchanged",
			Say: func(a doc.Args) string {
				s := fmt.Sprintf("it walks %s: %.3g %% of its %v accesses to %s reuse a line from %s on, beyond L1",
					a.Text(0), a.Number(1), count(uint64(a.Whole(2))), a.Text(3),
					units.Bytes(uint64(a.Whole(7))))
				if a.Text(4) != "" {
					s += fmt.Sprintf("; in %s, over the same data, %.3g %%", a.Text(4), a.Number(5))
				}
				if a.Text(6) != "" {
					s += fmt.Sprintf("; with loops exchanged, %s would be: use tiles", a.Text(6))
				}
				return s
			}},
		waitsOfTooMany: {Level: doc.Limit, Example: []any{loi.MaxWorkers}, Words: "who waited for " +
			"whom is not known: more than %v goroutines have events"},
	})
}

// A walk across rows is a finding where it has this share of the program's accesses, with that
// share of them far.
const (
	muchAcross = 0.02
	mostFar    = 0.5
)

// at prints a line of a function.
func at(function, file string, line int) string {
	return fmt.Sprintf("%s (%s:%d)", function, filepath.Base(file), line)
}

// across finds loops that walk across rows whose reuses are beyond L1 for it.
func (d *Document) across(a *analysis, groups []krd.GroupHistogram) {
	type walk struct{ at, function, across, object, instead string }
	type sum struct {
		all, far uint64
		classes  map[int]bool
	}
	walks, along := map[walk]*sum{}, map[string]map[int]*sum{} // by function and class
	add := func(s *sum, g *krd.GroupHistogram) {
		s.all, s.far = s.all+g.Accesses, s.far+d.far(g)
	}
	for i := range groups {
		g := &groups[i]
		k := a.reader.Groups[g.Group]
		s := &a.sites[k.Site-1]
		if s.Across == "" {
			if along[s.Function] == nil {
				along[s.Function] = map[int]*sum{}
			}
			if along[s.Function][k.Class] == nil {
				along[s.Function][k.Class] = &sum{}
			}
			add(along[s.Function][k.Class], g)
			continue
		}
		w := walk{at(s.Function, s.File, s.Line), s.Function, s.Across, s.Object, s.Instead}
		if walks[w] == nil {
			walks[w] = &sum{classes: map[int]bool{}}
		}
		walks[w].classes[k.Class] = true
		add(walks[w], g)
	}
	order := slices.SortedFunc(maps.Keys(walks), func(x, y walk) int {
		return cmp.Or(cmp.Compare(walks[y].far, walks[x].far), cmp.Compare(x.at, y.at))
	})
	for _, w := range order {
		s := walks[w]
		if float64(s.all) < muchAcross*float64(d.Accesses) || float64(s.far) < mostFar*float64(s.all) {
			continue
		}
		other, best := "", sum{}
		for _, name := range slices.Sorted(maps.Keys(along)) {
			var x sum
			for class, of := range along[name] {
				if s.classes[class] {
					x.all, x.far = x.all+of.all, x.far+of.far
				}
			}
			if name != w.function && x.all > best.all && 10*x.all >= s.all &&
				float64(x.far)*float64(s.all) < mostFar*float64(s.far)*float64(x.all) {
				other, best = name, x
			}
		}
		d.answers = append(d.answers, doc.Find(acrossRows, w.across, 100*float64(s.far)/float64(s.all), s.all,
			w.object, other, 100*float64(best.far)/float64(max(1, best.all)), w.instead, d.Levels[0].From).About(w.at))
	}
}

// A waiting records what goroutines wait for, beside what is analysed, in a trace that has nothing else.
// It has the first access of each goroutine, by whose function a goroutine is named.
type waiting struct {
	*traceSink
	folder *scratch.Folder
	named  map[uint64]bool // goroutines
}

func newWaiting(r *Request, a *analysis) (*waiting, error) {
	dir, err := scratch.Make("", "krdlab-waits-")
	if err != nil {
		return nil, err
	}
	to := *r
	to.Trace, to.TraceLimit, to.TraceProgress = filepath.Join(dir.Path, "waits.loi"), 0, nil
	t, err := newTraceSink(&to, a)
	if err != nil {
		dir.Remove()
		return nil, err
	}
	return &waiting{t, dir, map[uint64]bool{}}, nil
}

// stop removes what was recorded.
func (w *waiting) stop() {
	_ = w.b.Abort() // it goes with its folder
	w.folder.Remove()
}

// waited records what goroutines did in a batch beside accesses.
func (a *analysis) waited(b *collect.Batch) error {
	if a.waits == nil {
		return nil
	}
	switch err := a.waits.batch(b); {
	case errors.Is(err, ErrGoroutines):
		a.waits.stop()
		a.waits, a.crowded = nil, true
	case err != nil:
		return a.waits.failed(err)
	}
	return nil
}

// first notes the first access of a goroutine, or its first atomic operation.
func (w *waiting) first(goroutine, time uint64, g collect.Group) error {
	if w.named[goroutine] {
		return nil
	}
	w.named[goroutine] = true
	n, err := w.at(goroutine, time)
	if err != nil {
		return err
	}
	object, err := w.object(g.Class)
	if err != nil {
		return err
	}
	return w.b.Access(n, w.kernels[g.Site], w.times[n], loi.Access{Object: object, Mode: loi.In, Bytes: 1})
}

func (w *waiting) batch(b *collect.Batch) error {
	from, acts := 0, b.Acts
	for _, t := range b.Turns {
		for ; len(acts) > 0 && acts[0].After <= from; acts = acts[1:] {
			if err := w.act(&acts[0]); err != nil {
				return err
			}
		}
		if t.End > from {
			if err := w.first(t.Goroutine, t.Time, w.a.reader.Groups[b.Groups[from]]); err != nil {
				return err
			}
		}
		from = t.End
	}
	for i := range acts {
		if err := w.act(&acts[i]); err != nil {
			return err
		}
	}
	return nil
}

// act does as that of a trace, except for atomic operations and regions: nobody waits in one, and they are
// too many.
func (w *waiting) act(x *collect.Act) error {
	if x.Kind == loi.EventRegion || x.Kind == loi.EventRegionEnd {
		return nil
	}
	if x.Waited != nil && x.Site > 0 && x.Class >= 0 {
		return w.first(x.Goroutine, x.Time, collect.Group{Site: x.Site, Class: x.Class})
	}
	return w.traceSink.act(x)
}

// end analyses what was recorded.
func (w *waiting) end(ctx context.Context, d *Document, a *analysis) error {
	defer w.folder.Remove()
	of := *d // which keeps what is its own
	if err := w.close(&of, &a.caches); err != nil {
		return err
	}
	t, err := loi.Open(w.path)
	if err != nil {
		return err
	}
	defer t.Close()
	results, err := observe.Run(ctx, t, []observe.Asked{{Analysis: graph.Analysis,
		Options: &graph.Options{Unit: "time"}}}, observe.Options{AllowLoss: true})
	if err != nil {
		return err
	}
	d.waits = results[0]
	x := d.waits.Document().(*graph.Document)
	d.Waits = x
	for _, f := range x.Findings {
		if f.Code == graph.LockWaited {
			f.Args = append(slices.Clone(f.Args), a.sharing.inside(a, f.Subject)...)
		}
		d.answers = append(d.answers, f)
	}
	return nil
}
