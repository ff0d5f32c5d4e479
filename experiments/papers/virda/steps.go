package virda

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/request"
	"krdlab/kernels"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/front/build"
)

// trace runs SciMark with its accesses analysed, an update as one or, apart, as a load and a store.
func trace(ctx context.Context, w *study.Worker, args []string, unit goprogram.Unit, apart bool) (any, error) {
	return run(ctx, w, &goprogram.Request{Args: args, Unit: unit, Apart: apart, Out: w.RunDir(),
		Caches: w.Host.Machine()})
}

// run traces SciMark, rewritten and built once.
func run(ctx context.Context, w *study.Worker, r *goprogram.Request) (*goprogram.Document, error) {
	dir, err := w.SciMark()
	if err != nil {
		return nil, err
	}
	r.Build = build.Request{Dir: dir, Path: "."}
	if r.Built, err = w.Rewritten(ctx, "scimark", r.Build); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	r.Stdout, r.Stderr = &out, &out
	d, err := goprogram.Run(ctx, r, w.Command, w.Host)
	if errors.Is(err, goprogram.ErrProgram) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(out.String()))
	}
	return d, err
}

// simulate runs a kernel of krdlab on the simulated machine.
func simulate(ctx context.Context, w *study.Worker, s *simulated, scheduler string, n int) (any,
	error) {
	k, _ := kernels.ByName(s.kernel)
	r := request.New(k)
	maps.Copy(r.Params, s.params)
	r.Params[k.Size], r.Cores = n, simulatedCores
	path, err := w.Simulate(ctx, &r, scheduler, simulatedMachine)
	if err != nil {
		return nil, err
	}
	trace, err := loi.Open(path)
	if err != nil {
		return nil, err
	}
	defer trace.Close()
	return krd.Analyze(trace, krd.Options{})
}
