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

// What matmul samples: the time of the leaf of the matrix product, the default one of 32x32x64,
// whose 20 KiB stay in the L1; and a serial product.
const (
	m, n, k        = 32, 32, 64
	leafOperations = 2 * m * n * k
	leaf           = "matmul's leaf"
	product        = "a serial matmul"
)

// rate returns operations per second.
func rate(operations, ps float64) uint64 {
	return machine.Digits(uint64(math.Round(operations / ps * 1e12)))
}

// matmul takes one sample of the matrix product.
func (c *calibration) matmul(s series) error {
	var x [3]*dense.Matrix
	for i, of := range [3][2]int{{m, k}, {k, n}, {m, n}} {
		var err error
		if x[i], err = dense.New(of[0], of[1], of[0], of[1], dense.Tiled); err != nil {
			return err
		}
		defer x[i].Free()
	}
	x[0].Fill(1, dense.Integers)
	x[1].Fill(2, dense.Integers)
	x[2].Zero()
	mul, err := dense.NewMultiplier(x[0], x[1], x[2], isa.Auto)
	if err != nil {
		return err
	}
	if err := c.batches(s, leaf, func(int) { mul.Leaf(0, 0, 0) }); err != nil {
		return err
	}
	return c.kernelPrice(s)
}

// kernelPrice takes one sample of what an execution of a kernel takes beside the kernel: what a
// serial matrix product of 512 x 512, profiled, takes longer than its 2048 leaves, for one of them.
// It is too small a part for the rounds to agree on it: those of the product must.
func (c *calibration) kernelPrice(s series) error {
	in, err := matmul.Kernel.New(matmul.Kernel.With(kernel.Params{"n": 512}), kernel.Env{Seed: 1})
	if err != nil {
		return err
	}
	defer in.Close()
	var r *runtimes.Result
	for range 2 { // the first one touches the pages
		in.Reset(false)
		r, err = runtimes.Run(c.ctx, runtimes.Config{Policy: runtimes.Serial{}, CPUs: c.cpus[:1],
			Nodes: []int{0}, Seed: 1, Clock: c.clock, Tracing: runtimes.TraceProfile,
			Kernels: in.Registry().Kernels}, in)
		if err != nil {
			return err
		}
	}
	var kernels uint64
	for _, k := range r.Kernels {
		kernels += k.Count
	}
	s.Add(product, float64(r.TimeNS)*1e3)
	c.beside = append(c.beside, float64(r.TimeNS-r.WorkNS)*1e3/float64(kernels))
	return nil
}

// fmm takes one sample of the kernels of fmm at its default order, both sides of a pair at once.
func (b *bench) fmm(s series) error {
	ops, err := laplace.New(laplace.Options{Order: fmm.Kernel.With(nil).Int("order")})
	if err != nil {
		return err
	}
	most := leafSizes[len(leafSizes)-1]
	const leaves = 8
	bodies := laplace.NewBodies(leaves * most)
	cells := scatter(ops, bodies, leaves)
	for _, n := range leafSizes {
		for name, call := range map[string]func(int){
			p2p: func(i int) {
				i, j := i%leaves*most, (i+3)%leaves*most
				ops.P2PMutual(bodies, i, i+n, j, j+n)
			},
			p2pSelf: func(i int) { i = i % leaves * most; ops.P2PSelf(bodies, i, i+n) },
			m2l:     func(i int) { ops.M2LMutual(cells, i%leaves, (i+3)%leaves) },
		} {
			if name == m2l && n != most {
				continue
			}
			if err := b.batches(s, sizedPath(name, n), call); err != nil {
				return err
			}
		}
	}
	return nil
}

// sizedPath names the samples of a kernel of fmm with leaves of n bodies.
func sizedPath(name string, n int) string { return fmt.Sprintf("%s of %d bodies", name, n) }

// rates returns the rates of the kernels of fmm: of m2l its operations over its time, of p2p and
// p2p-self a time for the call and a rate for the rest, fitted to leaves of 4 to 32 bodies by least
// squares of relative errors.
func (c *calibration) rates() (map[string]machine.Rate, error) {
	times := map[string][]sized{}
	for _, n := range leafSizes {
		work, err := workOf(n)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{p2p, p2pSelf, m2l} {
			if path := sizedPath(name, n); c.samplesOf[path] != nil {
				times[name] = append(times[name], sized{float64(work[name]),
					c.samplesOf.Least(path) / 1e12})
			}
		}
	}
	out := map[string]machine.Rate{m2l: {FlopsPerSecond: rate(times[m2l][0].ops,
		times[m2l][0].seconds*1e12)}}
	var err error
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

// batches takes one sample of a call, on the first CPU: the mean of the middle four fifths of
// batches of calls.
func (b *bench) batches(s series, path string, call func(i int)) error {
	const size = 64
	if err := b.ctx.Err(); err != nil {
		return err
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
		return err
	}
	ps := (midmean(ticks) - b.stamp) * b.tickPS / size
	if !(ps > 0) {
		return errNoise
	}
	s.Add(path, ps)
	return nil
}
