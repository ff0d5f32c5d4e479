package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/loi"
)

// given is a flag that describes the caches of this computer, as [request.ParseCaches] reads it.
type given string

// Set reads s.
func (g *given) Set(s string) error {
	_, err := request.ParseCaches(s)
	if wrong, ok := errors.AsType[*request.Error](err); ok {
		return hintError(wrong.Want)
	}
	*g = given(s)
	return err
}

func (g *given) String() string { return string(*g) }

// Type names the value for messages.
func (g *given) Type() string { return request.CachesForm }

// cachesVar defines the flag.
func cachesVar(p *pflag.FlagSet, g *given) {
	p.Var(g, "caches", "the caches of this computer, `L1D,L2,LLC`, each SIZE[:WAYS[:LINE]], "+
		"instead of those that are known of it (krdlab topo); @N after the LLC: N cores share it: "+
		request.CachesExample)
	expects(p, "caches", "expected "+request.CachesForm+", such as "+request.CachesExample)
}

// host returns the topology of this computer, with the caches that a flag gives, if it does.
// Without one, sizes that the system does not report are those that were measured.
func (a *app) host(g given) (*hw.Topology, error) { return a.hostOr(g, nil) }

// sized returns host for a command that needs the size of the LLC: where the system reports none,
// no table has one and none was measured, it is measured now.
func (a *app) sized(ctx context.Context, g given) (*hw.Topology, error) {
	return a.hostOr(g, func(t *hw.Topology) (*machine.Edges, error) {
		fmt.Fprintln(a.stderr, "the size of the last-level cache is not told: it is measured, once, "+
			"for some seconds")
		e, err := a.measureCaches(ctx, t)
		if err == nil || ctx.Err() != nil {
			return e, ctx.Err()
		}
		fmt.Fprintf(a.stderr, "warning: %v; give it with --caches %s\n", err, request.CachesExample)
		return nil, nil
	})
}

// hostOr returns host; where the LLC is not known, it returns the result of measure, if that is not
// nil.
func (a *app) hostOr(g given, measure func(*hw.Topology) (*machine.Edges, error)) (*hw.Topology,
	error) {
	t, err := a.topology()
	if err != nil {
		return nil, fmt.Errorf("this machine's topology: %w", err)
	}
	if g != "" {
		c, err := request.ParseCaches(string(g))
		if err != nil {
			return nil, err
		}
		return t.WithCaches(c), nil
	}
	known := t.Machine().CachesKnown
	if known == (hw.CachesKnown{L1d: hw.Told, L2: hw.Told, LLC: hw.Told}) || t.Synthetic {
		return t, nil
	}
	path, err := machine.Kept()
	if err != nil {
		return t, nil // no folder for it: as if nothing was measured
	}
	e, err := machine.ReadEdges(path, t)
	if err != nil {
		fmt.Fprintf(a.stderr, "warning: %v\n", err)
		return t, nil
	}
	if e == nil && known.LLC == "" && measure != nil {
		if e, err = measure(t); err != nil {
			return nil, err
		}
	}
	if e == nil {
		return t, nil
	}
	return e.Of(t), nil
}

// measureCaches measures the caches of this computer and keeps them.
func (a *app) measureCaches(ctx context.Context, t *hw.Topology) (*machine.Edges, error) {
	e, err := a.computer.caches(ctx, t)
	if err != nil {
		return e, fmt.Errorf("measure caches: %w", err)
	}
	path, err := machine.Kept()
	if err == nil {
		err = e.Keep(path, t)
	}
	if err != nil {
		fmt.Fprintf(a.stderr, "warning: what was measured is not kept: %v\n", err)
	}
	return e, nil
}

// open opens a trace, which g describes.
func (g given) open(path string, told []loi.Told) (*loi.Trace, error) {
	t, err := loi.Open(path, told...)
	if err != nil {
		return t, err
	}
	if err := g.describe(&t.Header); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// describe gives a trace the caches of g, if any. Each @CORES of its workers, in the order of their
// nodes, share an LLC.
func (g given) describe(h *loi.Header) error {
	if g == "" {
		return nil
	}
	c, err := request.ParseCaches(string(g))
	if err != nil {
		return err
	}
	h.L2Bytes, h.L2Known = uint64(c.L2.Bytes), string(c.L2.Known)
	h.LLCBytes, h.LLCKnown = uint64(c.LLC.Bytes), string(c.LLC.Known)
	if c.Cores == 0 {
		return nil
	}
	order := make([]int, len(h.Workers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return h.Workers[a].Node - h.Workers[b].Node })
	for i, w := range order {
		h.Workers[w].Node = i / c.Cores
	}
	h.Nodes = (len(order) + c.Cores - 1) / c.Cores
	return nil
}
