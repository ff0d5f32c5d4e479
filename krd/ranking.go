package krd

import (
	"fmt"
	"io"

	"krdlab/hw/units"
	"krdlab/krd/causes"
)

// newCauses makes a counter for each node, where causes are asked for.
func (a *analysis) newCauses() error {
	o := a.opt.Causes
	if o == nil {
		return nil
	}
	r := &a.trace.Header.Registry
	for range a.nodes {
		c, err := causes.New(len(r.Kernels), len(r.Objects), o.FromBytes, o.ToBytes, causes.Options{
			Pairs: o.Pairs, Sources: o.Pairs, Cold: o.ToBytes == causes.Unbounded,
			Inclusive: a.opt.Distance == Inclusive, Bytes: a.opt.Weight == WeightBytes,
		})
		if err != nil {
			return fmt.Errorf("krd: %w: %w", ErrOption, err)
		}
		a.causes = append(a.causes, c)
	}
	return nil
}

// ranking adds up the counters of all nodes and ranks; nil if nobody asked.
func (a *analysis) ranking() *causes.Result {
	if len(a.causes) == 0 {
		return nil
	}
	for _, c := range a.causes[1:] {
		if err := a.causes[0].Merge(c); err != nil {
			panic(err) // they were made alike
		}
	}
	var kernels, objects []string
	for i := range a.trace.Header.Registry.Kernels {
		kernels = append(kernels, a.trace.Header.Registry.Kernels[i].Name)
	}
	for i := range a.trace.Header.Registry.Objects {
		objects = append(objects, a.trace.Header.Registry.Objects[i].Name)
	}
	return a.causes[0].Result(kernels, objects)
}

// RankingRows is how many rows of a ranking WriteRanking prints; the document has all.
const RankingRows = 20

// The rankings that WriteRanking prints.
const (
	ByKernel     = "kernel"
	ByObject     = "object"
	ByObjectPair = "object-pair"
	ByKernelPair = "kernel-pair"
)

// Rankings lists them.
var Rankings = []string{ByKernel, ByObject, ByObjectPair, ByKernelPair}

// WriteRanking writes one ranking of r.Causes for people.
func (r *Report) WriteRanking(w io.Writer, by string) error {
	c := r.Causes
	what := "distances of at least " + units.Bytes(c.FromBytes)
	if c.ToBytes != nil {
		what += " and less than " + units.Bytes(*c.ToBytes)
	} else if c.ColdInRange {
		what += ", cold accesses included"
	}
	unit := "accesses"
	if r.Weight == WeightBytes {
		unit = "bytes accessed"
	}
	if _, err := fmt.Fprintf(w, "%s: %d of %d %s (%s)\n", what, c.Accesses, c.AllAccesses, unit,
		percent(c.Accesses, c.AllAccesses)); err != nil {
		return err
	}
	n := 0
	row := func(format string, args ...any) {
		if n++; n <= RankingRows {
			fmt.Fprintf(w, format, args...)
		}
	}
	switch by {
	case ByKernel, ByObject:
		fmt.Fprintf(w, "  %-24s %14s %11s %14s %11s %14s\n", by, "in the range", "share",
			"all its own", "of its own", "cold")
		counts := func(name string, c causes.Counts) {
			row("  %-24s %14d %11s %14d %11s %14d\n", name, c.Accesses, part(c.Share),
				c.AllAccesses, part(c.OwnShare), c.Cold)
		}
		for _, k := range c.Kernels {
			if by == ByKernel {
				counts(k.Kernel, k.Counts)
			}
		}
		for _, o := range c.Objects {
			if by == ByObject {
				counts(o.Object, o.Counts)
			}
		}
	case ByObjectPair:
		fmt.Fprintf(w, "  %-24s %-24s %18s %11s %14s\n", "object", "touched between",
			"bytes between", "share", unit)
		for _, p := range c.Pairs {
			row("  %-24s %-24s %18.0f %11s %14d\n", p.Object, p.Between, p.BetweenBytes,
				part(p.Share), p.Accesses)
		}
	case ByKernelPair:
		fmt.Fprintf(w, "  %-24s %-24s %14s %11s\n", "used last by", "used again by", "in the range",
			"share")
		for _, p := range c.KernelPairs {
			row("  %-24s %-24s %14d %11s\n", p.Source, p.Kernel, p.Accesses, part(p.Share))
		}
	default:
		return fmt.Errorf("krd: %w: ranking %q, expected one of %v", ErrOption, by, Rankings)
	}
	if n > RankingRows {
		fmt.Fprintf(w, "  and %d more; --json has all\n", n-RankingRows)
	}
	return nil
}

func part(share *float64) string {
	if share == nil {
		return "n/a"
	}
	return ratio(*share, 1)
}
