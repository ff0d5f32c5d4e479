package interleave

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"krdlab/hw/textfile"
	"krdlab/krd/analysis"
	threads "krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/text"
	"krdlab/krd/doc"
	"krdlab/loi/dag"
)

// Threads are the flags of the command `interleavings`.
type Threads struct {
	Exact     bool     `flag:"exact" help:"count exactly, by a dynamic program (the default without --sampler)"`
	Enumerate bool     `flag:"enumerate" help:"go through every interleaving"`
	Reached   bool     `flag:"reached" help:"count the interleavings that have each distance at least once, too"`
	Guarantee bool     `flag:"guarantee" help:"find how many orderings of steps guarantee each distance, too (at most, where there are more than 20 000 interleavings), the bound of PCT for that, and from which depth on PCT has it"`
	Samplers  []string `flag:"sampler" want:"expected names of samplers" help:"draw interleavings with these SAMPLERS: uniform, walk, pct, pct-distinct, pos, native"`
	Depths    []string `flag:"depth" with:"sampler uniform" want:"expected whole numbers from 1 on" help:"DEPTHS of pct and pct-distinct"`
	Runs      int      `flag:"runs" with:"sampler uniform" help:"N interleavings to draw by each sampler"`
	Seed      uint64   `flag:"seed" help:"N, the seed of what is drawn"`
	Memory    string   `flag:"memory" want:"expected a size such as 4G" help:"largest SIZE of memory for the states, such as 4G (default half of what the process may have, at most 1 GiB)"`
}

// NewThreads returns the flags with their defaults.
func NewThreads() *Threads {
	return &Threads{Depths: []string{strconv.Itoa(defaultDepth)}, Runs: threadRuns, Seed: 1}
}

// Read computes the distances over the interleavings of a program that is a text, in all ways that
// are asked for.
func (o *Threads) Read(in io.Reader) (analysis.Result, error) {
	samplers, err := named(o.Samplers, threads.Samplers)
	if err != nil {
		return nil, err
	}
	memory, err := bytesOf("memory", o.Memory)
	if err != nil {
		return nil, err
	}
	if err := number("runs", o.Runs); err != nil {
		return nil, err
	}
	var depths []int
	for _, d := range o.Depths {
		n, err := strconv.Atoi(d)
		if err != nil || n < 1 {
			return nil, wrong("--depth %s: expected whole numbers from 1 on", d)
		}
		depths = append(depths, n)
	}
	exact := o.Exact || o.Samplers == nil && !o.Enumerate
	if o.Guarantee && !exact {
		return nil, wrong("--guarantee is for the exact result; add --exact")
	}
	p, err := program(in)
	if err != nil {
		return nil, err
	}
	for i, d := range depths {
		if depths[i], err = within(d, max(1, p.Steps()), "an interleaving has"); err != nil {
			return nil, err
		}
	}
	opt := threads.Options{MemoryBytes: memory, Reached: o.Reached}
	var list several
	add := func(r *threads.Result, err error) error {
		if err == nil {
			list = append(list, r)
		}
		return err
	}
	if exact {
		r, err := threads.Exact(p, opt)
		if err == nil && o.Guarantee {
			err = r.Guarantee(p, opt)
		}
		if err := add(r, err); err != nil {
			return nil, err
		}
	}
	if o.Enumerate {
		if err := add(threads.Enumerate(p, opt)); err != nil {
			return nil, err
		}
	}
	for _, s := range samplers {
		of := depths
		if s != threads.PCT && s != threads.PCTDistinct {
			of = []int{0}
		}
		for _, depth := range of {
			if err := add(threads.Sample(p, threads.SampleOptions{Sampler: s, Runs: o.Runs, Depth: depth,
				Seed: o.Seed, MemoryBytes: memory})); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

func program(in io.Reader) (*threads.Program, error) {
	head := bufio.NewReader(in)
	begin, _ := head.Peek(len(dag.ScheduleHead)) // reading it returns what is wrong
	if string(begin) == dag.ScheduleHead {
		return nil, wrong("it is a schedule, which krdlab run --follow takes; expected a program of threads")
	}
	mark, err := textfile.Start(begin)
	if err != nil {
		return nil, err
	}
	_, _ = head.Discard(mark) // which are buffered
	return text.Read(head)
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
