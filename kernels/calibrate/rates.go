package calibrate

import (
	"fmt"
	"math"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/kernels/fmm"
	"krdlab/kernels/fmm/laplace"
	"krdlab/kernels/isa"
	"krdlab/kernels/kernel"
	"krdlab/kernels/matmul"
	"krdlab/kernels/matmul/dense"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernels of the fast multipole method, as its traces name them.
const (
	m2l     = "m2l"
	p2p     = "p2p"
	p2pSelf = "p2p-self"
)

// leafSizes are the bodies of the leaves that p2p and p2p-self are timed with: up to the default of
// fmm's ncrit.
var leafSizes = []int{4, 8, 12, 16, 20, 24, 28, 32}

// A sized is the time of a call and the operations that the kernel's model counts for it.
type sized struct{ ops, seconds float64 }

// matmulRate returns operations per second of the leaf of the matrix product: the default one,
// 32x32x64, whose 20 KiB stay in the L1.
func (b *bench) matmulRate() (float64, error) {
	const m, n, k = 32, 32, 64
	var x [3]*dense.Matrix
	for i, s := range [3][2]int{{m, k}, {k, n}, {m, n}} {
		var err error
		if x[i], err = dense.New(s[0], s[1], s[0], s[1], dense.Tiled); err != nil {
			return 0, err
		}
		defer x[i].Free()
	}
	x[0].Fill(1, dense.Integers)
	x[1].Fill(2, dense.Integers)
	x[2].Zero()
	mul, err := dense.NewMultiplier(x[0], x[1], x[2], isa.Auto)
	if err != nil {
		return 0, err
	}
	t, err := b.batches(func(int) { mul.Leaf(0, 0, 0) })
	return 2 * m * n * k / t, err
}

// kernelPrice returns the picoseconds that an execution of a kernel takes beside the kernel: what a
// serial matrix product of 512 x 512, profiled, takes longer than its 2048 leaves, for one of them;
// the median of the samples.
func (b *bench) kernelPrice() (float64, error) {
	in, err := matmul.Kernel.New(matmul.Kernel.With(kernel.Params{"n": 512}), kernel.Env{Seed: 1})
	if err != nil {
		return 0, err
	}
	defer in.Close()
	var out []float64
	for range 1 + b.samples {
		in.Reset(false)
		r, err := runtimes.Run(b.ctx, runtimes.Config{Policy: runtimes.Serial{}, CPUs: b.cpus[:1],
			Nodes: []int{0}, Seed: 1, Clock: b.clock, Tracing: runtimes.TraceProfile,
			Kernels: in.Registry().Kernels}, in)
		if err != nil {
			return 0, err
		}
		var kernels uint64
		for _, k := range r.Kernels {
			kernels += k.Count
		}
		out = append(out, float64(r.TimeNS-r.WorkNS)*1e3/float64(kernels))
	}
	return median(out[1:]), nil // the first one touched the pages
}

// fmmRates returns the rates of the kernels of fmm at its default order, both sides of a pair at
// once: of m2l its operations over its time, of p2p and p2p-self a time for the call and a rate for
// the rest, fitted to leaves of 4 to 32 bodies by least squares of relative errors.
func (b *bench) fmmRates() (map[string]machine.Rate, error) {
	times := map[string][]sized{}
	p := fmm.Kernel.With(nil)
	ops, err := laplace.New(laplace.Options{Order: p.Int("order")})
	if err != nil {
		return nil, err
	}
	most := leafSizes[len(leafSizes)-1]
	const leaves = 8
	bodies := laplace.NewBodies(leaves * most)
	cells := scatter(ops, bodies, leaves)
	for _, n := range leafSizes {
		work, err := workOf(n)
		if err != nil {
			return nil, err
		}
		for name, call := range map[string]func(int){
			p2p: func(i int) {
				i, j := i%leaves*most, (i+3)%leaves*most
				ops.P2PMutual(bodies,
					i, i+n, j, j+n)
			},
			p2pSelf: func(i int) { i = i % leaves * most; ops.P2PSelf(bodies, i, i+n) },
			m2l:     func(i int) { ops.M2LMutual(cells, i%leaves, (i+3)%leaves) },
		} {
			if name == m2l && n != most {
				continue
			}
			t, err := b.batches(call)
			if err != nil {
				return nil, err
			}
			times[name] = append(times[name], sized{float64(work[name]), t})
		}
	}
	out := map[string]machine.Rate{m2l: {FlopsPerSecond: machine.Digits(
		uint64(times[m2l][0].ops / times[m2l][0].seconds))}}
	for _, name := range []string{p2p, p2pSelf} {
		if out[name], err = fit(times[name]); err != nil {
			return nil, fmt.Errorf("rate of %s: %w", name, err)
		}
	}
	return out, nil
}

// scatter puts the bodies into leaves around the corners of a cube, and makes a cell of each.
func scatter(ops *laplace.Kernel, b *laplace.Bodies, leaves int) *laplace.Cells {
	cells := ops.NewCells(leaves)
	per := len(b.X) / leaves
	for i := range b.X {
		leaf, turn := i/per, float64(i%per)
		// Points of a spiral, none at the same place as another.
		at := func(bit int, v float64) float32 { return float32(float64(leaf>>bit&1) + 0.25*v) }
		b.X[i], b.Y[i], b.Z[i] = at(0, math.Sin(2.4*turn)), at(1, math.Cos(2.4*turn)),
			at(2, turn/float64(per))
		b.Q[i] = 1 / float32(len(b.X))
	}
	for i := range leaves {
		x, y, z, _ := b.Centroid(i*per, (i+1)*per)
		*cells.Centre(i) = laplace.Centre{X: x, Y: y, Z: z, Scale: 0.5}
		ops.P2M(cells, i, b, i*per, (i+1)*per)
	}
	return cells
}

// workOf returns the operations that the model of fmm counts for its kernels with leaves of n
// bodies.
func workOf(n int) (map[string]uint64, error) {
	in, err := fmm.Kernel.New(fmm.Kernel.With(kernel.Params{"bodies": n, "ncrit": n}),
		kernel.Env{Seed: 1, Dry: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	model, ok := in.(kernel.Modelled)
	if !ok {
		return nil, fmt.Errorf("fmm has no model of its operations")
	}
	work := map[string]uint64{}
	for id, k := range in.Registry().Kernels {
		work[k.Name] = model.Work(loi.KernelID(id), []uint32{0, 0, 0, 0})
	}
	for _, name := range []string{m2l, p2p, p2pSelf} {
		if work[name] == 0 {
			return nil, fmt.Errorf("fmm's model knows no operations of %s", name)
		}
	}
	return work, nil
}

// fit returns the call time and the rate whose sum comes nearest to the times, each relative to
// itself. No call takes less than no time.
func fit(times []sized) (machine.Rate, error) {
	var a, b, c, u, v float64 // normal equations of sum (call/t + slope ops/t - 1)^2
	for _, t := range times {
		x, y := 1/t.seconds, t.ops/t.seconds
		a, b, c, u, v = a+x*x, b+x*y, c+y*y, u+x, v+y
	}
	call, slope := 0.0, v/c
	if d := a*c - b*b; d > 0 {
		if k := (u*c - v*b) / d; k > 0 {
			call, slope = k, (a*v-b*u)/d
		}
	}
	if !(slope > 0) || math.IsInf(slope, 0) {
		return machine.Rate{}, fmt.Errorf("times that do not grow with the number of bodies: %v",
			times)
	}
	return machine.Rate{CallPS: machine.Digits(uint64(math.Round(call * 1e12))),
		FlopsPerSecond: machine.Digits(uint64(math.Round(1 / slope)))}, nil
}

// batches returns the seconds of one call: the median over samples of the mean of the middle half
// of batches of calls, on the first CPU.
func (b *bench) batches(call func(i int)) (float64, error) {
	const size = 64
	var out []float64
	for range b.samples {
		if err := b.ctx.Err(); err != nil {
			return 0, err
		}
		var ticks []uint64
		err := b.pinned(b.cpus[0], func() {
			for i := range 4 * size { // warm up
				call(i)
			}
			for n := range b.rounds / 4 {
				start := hw.TSC()
				for i := range size {
					call(n*size + i)
				}
				ticks = append(ticks, hw.TSC()-start)
			}
		})
		if err != nil {
			return 0, err
		}
		out = append(out, max(midmean(ticks)-b.stamp, 0)*b.tickPS/size/1e12)
	}
	t := median(out)
	if !(t > 0) {
		return 0, errNoise
	}
	return t, nil
}
