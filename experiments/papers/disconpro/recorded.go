package disconpro

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"krdlab/examples"
	"krdlab/experiments/goprogram"
	"krdlab/experiments/papers/study"
	"krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/goroutines"
	"krdlab/krd/analysis/interleave/tasks"
	"krdlab/loi"
	"krdlab/loi/front/build"
)

// A recording is a recorded run of a program of examples/concurrent.
type recording struct {
	program string
	size    int
}

var recordings = []recording{{"sparse", 200}, {"pool", 100}, {"maps", 200}, {"store", 100}}

// mostObjects is how many objects of a recording are drawn: those with the widest ranges.
const mostObjects = 6

func (r *recording) step() string { return "recorded-" + r.program }

// recorded returns the recordings of a scale: they take a toolchain of Go, and are not made at the smallest.
func recorded(scale study.Scale) []recording {
	if scale == study.Smoke || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return nil
	}
	return recordings
}

// lineBytes is the size of a datum of a recording.
const lineBytes = 64

// ranges records a run of the program and returns the distances, in lines, of its objects with the widest
// ranges: in the recorded run, in schedules drawn as in the paper's figures, and in all of these with those
// that a search found.
func (r *recording) ranges(ctx context.Context, w *study.Worker) (any, error) {
	dir, err := w.Sources("concurrent", examples.Concurrent,
		map[string]string{"go.mod": "module concurrent\n\ngo 1.25\n"})
	if err != nil {
		return nil, err
	}
	path := w.RunDir() + ".loi"
	var out bytes.Buffer
	q := &goprogram.Request{Build: build.Request{Dir: dir, Path: "."}, Unit: goprogram.Lines, Trace: path,
		Args: []string{r.program, strconv.Itoa(r.size)}, Caches: w.Host.Machine(), Stdout: &out, Stderr: &out}
	q.Build.Sync = true
	if q.Built, err = w.Rewritten(ctx, "concurrent", q.Build); err != nil {
		return nil, err
	}
	if _, err := goprogram.Run(ctx, q, w.Command, w.Host); errors.Is(err, goprogram.ErrProgram) {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(out.String()))
	} else if err != nil {
		return nil, err
	}
	t, err := loi.Open(path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	p, err := goroutines.Read(ctx, t, engine.NewAccount(0))
	if err != nil {
		return nil, err
	}
	var spans [][]*[2]int // by group and object
	add := func(g *goroutines.Group) {
		var of []*[2]int
		for _, x := range g.Objects {
			var span *[2]int
			if g.Runs > 0 && x.Least != math.MaxUint64 {
				span = &[2]int{int(x.Least / lineBytes), int(x.Most / lineBytes)}
			}
			of = append(of, span)
		}
		spans = append(spans, of)
	}
	explore := func(o goroutines.Options, kind func(*goroutines.Group) bool) error {
		o.Seed = seed
		x, err := goroutines.Explore(ctx, p, o)
		if err != nil {
			return err
		}
		for _, g := range x.Groups {
			if kind(g) {
				add(g)
			}
		}
		return nil
	}
	for _, g := range groups {
		o := goroutines.Options{Runs: g.runs, Depth: g.depth, Samplers: []tasks.Sampler{tasks.PCT}}
		drawn := func(x *goroutines.Group) bool { return x.Kind == tasks.KindSampler }
		switch g.sampler {
		case engine.Native:
			o.Samplers, drawn = nil, func(x *goroutines.Group) bool { return x.Name == goroutines.Recorded }
		case engine.Walk:
			o.Samplers = []tasks.Sampler{tasks.Walk}
		}
		o.Depth = min(o.Depth, p.Pieces())
		if err := explore(o, drawn); err != nil {
			return nil, err
		}
	}
	if err := explore(goroutines.Options{Search: searched},
		func(x *goroutines.Group) bool { return x.Kind == tasks.KindSearch }); err != nil {
		return nil, err
	}
	list := []ranged{}
	for i, name := range p.Objects {
		x := ranged{Object: name}
		all := [2]int{math.MaxInt, math.MinInt}
		for _, of := range spans {
			x.Spans = append(x.Spans, of[i])
			if s := of[i]; s != nil {
				all = [2]int{min(all[0], s[0]), max(all[1], s[1])}
			}
		}
		if all[1] > all[0]+1 { // others are the same in all schedules, or nearly
			x.Spans[len(x.Spans)-1] = &all
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b ranged) int { return cmp.Compare(b.width(), a.width()) })
	return list[:min(len(list), mostObjects)], nil
}

// width returns the width of the last range.
func (r *ranged) width() int {
	s := r.Spans[len(r.Spans)-1]
	return s[1] - s[0]
}

// searched is how many schedules are tried for the ends of the ranges.
const searched = 400
