package machine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/units"
)

// Edges are the sizes of caches as latencies tell them, and the curve that they were read from.
type Edges struct {
	L1dBytes uint64 `json:"l1d_bytes"`
	L2Bytes  uint64 `json:"l2_bytes"`
	LLCBytes uint64 `json:"llc_bytes"`
	// Cores share an LLC: those of the largest set in which each core's walk slows the first one's
	Cores int     `json:"cores"`
	Curve []Point `json:"curve"`
}

// A Point is the latency of a load in memory of a size.
type Point struct {
	Bytes uint64 `json:"bytes"`
	PS    uint64 `json:"ps"`
}

// ErrNoEdge is wrapped where the latencies of growing memory have no step that is the end of an
// LLC: other programs or other machines use it, or memory is too small.
var ErrNoEdge = failure.New(failure.Capability,
	"the latencies show no end of a last-level cache")

const (
	edgeFrom = 8 << 10
	edgeTo   = 256 << 20
	// a level ends where latency is this much above that inside it
	stepUp = 1.4
	// the LLC ends where latency has come so far from its own to that of memory
	toMemory = 0.3
	// most cores that are tried as sharers of an LLC
	mostSharers = 32
	edgeRounds  = 2
)

// MeasureCaches finds the sizes of the caches of the computer that t describes, by the latencies of
// random walks in memory that grows by half octaves from 8 KiB to 256 MiB, or a quarter of the free
// memory; and who shares an LLC, by pairs of cores that walk in memory of three quarters of it
// each, which both have at the LLC's latency only if they have one each. Each latency is the least
// that two rounds show, as those of [Calibrate]. Sizes are those of the largest memory that still
// fits, so up to a third too small.
//
// Errors: [ErrNoEdge]; a [*DisturbedError]; that of ctx; no memory, or no core that can be used.
// Cost: some 4 s, and a half for each core beyond the first.
func MeasureCaches(ctx context.Context, t *hw.Topology) (*Edges, error) {
	line := hw.Cache{Ways: 8, LineBytes: 64, Known: hw.Assumed}
	cache := func(bytes hw.Size) hw.Cache { c := line; c.Bytes = bytes; return c }
	m, err := Host(t.WithCaches(hw.Caches{L1d: cache(edgeFrom), L2: cache(4 * edgeFrom),
		LLC: cache(edgeTo / 4)}))
	if err != nil {
		return nil, err
	}
	h, err := newHardware(t, m)
	if err != nil {
		return nil, err
	}
	defer h.close()
	home := slices.IndexFunc(h.byNode, func(cpus []int) bool { return len(cpus) > 0 })
	if home < 0 {
		return nil, fmt.Errorf("no core of any node can be used")
	}
	e := &Edges{}
	if err := e.walk(ctx, h, h.byNode[home][0], m.Domain(home), 0); err != nil {
		return e, err
	}
	e.Cores = 1
	for _, cpu := range h.byNode[home][1:min(len(h.byNode[home]), mostSharers)] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		shared, err := h.share(h.byNode[home][0], cpu, m.Domain(home), e)
		if err != nil {
			return nil, err
		}
		if shared {
			e.Cores++
		}
	}
	return e, nil
}

// walk measures the curve in rounds, beside which others may take a share of the CPUs, and reads the
// sizes from it.
func (e *Edges) walk(ctx context.Context, p prober, core, domain int, beside float64) error {
	c := calibration{p: p, rounds: Rounds{}, need: edgeRounds}
	err := c.rounds.Repeat(edgeRounds, beside, func() error {
		e.Curve = nil
		for s := uint64(edgeFrom); s <= min(edgeTo, p.most()); s = halfOctave(s) {
			if err := ctx.Err(); err != nil {
				return err
			}
			const loads = 1 << 15
			ps, err := c.least("random walks over "+units.Bytes(s), func() ([]uint64, error) {
				return p.walk(core, domain, s, 1, loads, samples)
			})
			if err != nil {
				return err
			}
			e.Curve = append(e.Curve, Point{s, max(1, ps/loads)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return e.read()
}

// halfOctave returns the next of 2^k, 3*2^(k-1), ...
func halfOctave(s uint64) uint64 {
	if s&(s-1) == 0 {
		return s + s/2
	}
	return s / 3 * 4
}

// read finds the sizes in the curve.
func (e *Edges) read() error {
	// A latency is at most that of any larger memory: a higher one was disturbed.
	c := slices.Clone(e.Curve)
	for i := len(c) - 2; i >= 0; i-- {
		c[i].PS = min(c[i].PS, c[i+1].PS)
	}
	last := func(from int, atMost float64) int { // of those from from on, in a row
		i := from
		for i+1 < len(c) && float64(c[i+1].PS) <= atMost {
			i++
		}
		return i
	}
	l1 := last(0, stepUp*float64(c[0].PS))
	inL2 := min(l1+3, len(c)-1) // well beyond the L1
	l2 := last(inL2, stepUp*float64(c[inL2].PS))
	inLLC := min(l2+3, len(c)-1)
	near, memory := float64(c[inLLC].PS), float64(c[len(c)-1].PS)
	llc := last(inLLC, near+toMemory*(memory-near))
	if memory < 1.5*near || llc+2 >= len(c) {
		return ErrNoEdge
	}
	e.L1dBytes, e.L2Bytes, e.LLCBytes = c[l1].Bytes, c[l2].Bytes, c[llc].Bytes
	return nil
}

// at returns the latency in memory of a size that the curve has.
func (e *Edges) at(bytes uint64) uint64 {
	i := slices.IndexFunc(e.Curve, func(p Point) bool { return p.Bytes == bytes })
	return e.Curve[i].PS
}

// share reports whether two cores have one LLC: whether walks of both at once, each in its own
// memory of three quarters of the LLC, are as slow as if it did not fit.
func (h *hardware) share(a, b, domain int, e *Edges) (bool, error) {
	all, err := h.take(domain)
	if err != nil {
		return false, err
	}
	bytes := e.LLCBytes / 4 * 3 &^ 4095
	if 2*bytes > uint64(len(all)) {
		return false, fmt.Errorf("two walks over %d bytes: there are %d", bytes, len(all))
	}
	const loads, rounds, step = 1 << 16, 5, 8
	best := [2]uint64{^uint64(0), ^uint64(0)}
	errs := [2]error{}
	var start, running sync.WaitGroup
	start.Add(2)
	for i, cpu := range []int{a, b} {
		part := all[uint64(i)*bytes:][:bytes]
		words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(part))), bytes/8)
		running.Go(func() {
			errs[i] = h.on(cpu, func() {
				cycle(words, step, nil)
				start.Done()
				start.Wait()
				at := chase(words, 0, len(words)/step)
				for range rounds {
					began := hw.TSC()
					at = chase(words, at, loads)
					best[i] = min(best[i], h.ps(began)/loads)
				}
				sink.Add(at)
			})
			if errs[i] != nil { // it has not begun
				start.Done()
			}
		})
	}
	running.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return false, err
	}
	inside, memory := float64(e.at(e.LLCBytes)), float64(e.Curve[len(e.Curve)-1].PS)
	return float64(max(best[0], best[1])) > inside+toMemory/2*(memory-inside), nil
}
