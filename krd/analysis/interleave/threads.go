package interleave

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"krdlab/krd/analysis"
	threads "krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/text"
	"krdlab/krd/doc"
	"krdlab/loi/dag"
)

// explore computes the distances over the interleavings of a program of threads, in all ways that
// are asked for.
func explore(o *Options, in io.Reader) (analysis.Result, error) {
	r, err := o.resolve()
	if err != nil {
		return nil, err
	}
	if err := only("programs of tasks; this is one of threads", flag{"search", o.Search != 0},
		flag{"llc", o.LLC != ""}, flag{"save-schedule", o.SaveSchedule != ""},
		flag{"extreme", o.Extreme != extremeLeast}); err != nil {
		return nil, err
	}
	if o.Samplers == nil && (o.Depths != nil || o.Runs != 0) {
		return nil, wrong("--depth and --runs are of samplers; add --sampler uniform")
	}
	head := bufio.NewReader(in)
	if begin, _ := head.Peek(len(dag.ScheduleHead)); string(begin) == dag.ScheduleHead {
		return nil, wrong("it is a schedule, which krdlab run --follow takes; expected a program of threads")
	}
	p, err := text.Read(head)
	if err != nil {
		return nil, err
	}
	depths, err := r.within(max(1, p.Steps()), "an interleaving has", "step")
	if err != nil {
		return nil, err
	}
	opt := threads.Options{MemoryBytes: r.memory, Reached: o.Reached}
	var list several
	add := func(r *threads.Result, err error) error {
		if err == nil {
			list = append(list, r)
		}
		return err
	}
	if o.Exact || o.Samplers == nil && !o.Enumerate {
		r, err := threads.Exact(p, opt)
		if err == nil && o.Guarantee {
			err = r.Guarantee(p, opt)
		}
		if err := add(r, err); err != nil {
			return nil, err
		}
	} else if o.Guarantee {
		return nil, wrong("--guarantee is for the exact result; add --exact")
	}
	if o.Enumerate {
		if err := add(threads.Enumerate(p, opt)); err != nil {
			return nil, err
		}
	}
	runs := o.Runs
	if runs == 0 {
		runs = threadRuns
	}
	for _, name := range o.Samplers {
		s := threads.Sampler(name)
		if !slices.Contains(threads.Samplers, s) {
			return nil, wrong("--sampler %s: of threads there are %s", name, listed(threads.Samplers))
		}
		of := depths
		if s != threads.PCT && s != threads.PCTDistinct {
			of = []int{0}
		}
		for _, depth := range of {
			if err := add(threads.Sample(p, threads.SampleOptions{Sampler: s, Runs: runs, Depth: depth,
				Seed: o.Seed, MemoryBytes: r.memory})); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// several are the results of the ways that were asked for.
type several []*threads.Result

// Document implements [analysis.Result]: an array where there are several.
func (list several) Document() any {
	if len(list) == 1 {
		return list[0]
	}
	return []*threads.Result(list)
}

// View implements [analysis.Result].
func (list several) View() *doc.Doc {
	if len(list) == 1 {
		return list[0].View()
	}
	d := &doc.Doc{}
	for _, r := range list {
		d.Add(r.View())
	}
	return d
}

// Tables implements [analysis.Data]: with several results, each table has the name of its way.
func (list several) Tables() []*doc.Table {
	var out []*doc.Table
	for _, r := range list {
		t := r.Table()
		if len(list) > 1 {
			t.Name = r.Method
			if r.Depth > 0 {
				t.Name += fmt.Sprintf("-%d", r.Depth)
			}
		}
		out = append(out, t)
	}
	return out
}
