package virda

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"os/exec"
	"strconv"
	"strings"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/kernels"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/front/build"
)

// trace runs SciMark with its accesses analysed.
func trace(ctx context.Context, w *study.Worker, args []string, unit goprogram.Unit) (any, error) {
	dir, err := w.SciMark()
	if err != nil {
		return nil, err
	}
	request := build.Request{Dir: dir, Path: "."}
	built, err := w.Rewritten(ctx, "scimark", request)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	d, err := goprogram.Run(ctx, &goprogram.Request{Build: request, Built: built, Args: args,
		Unit: unit, Out: w.RunDir(), Caches: w.Host.Machine(), Stdout: &out, Stderr: &out}, w.Command,
		w.Host)
	if errors.Is(err, goprogram.ErrProgram) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(out.String()))
	}
	return d, err
}

// A Timed is the times of FFT's transforms, there and back, with both orders of the loops: runs
// that take turns, each of several iterations.
type Timed struct {
	Numbers        int        `json:"numbers"` // complex ones
	ArrayBytes     uint64     `json:"array_bytes"`
	Accesses       uint64     `json:"accesses"` // of one iteration
	OriginalNs     []float64  `json:"original_ns"`
	InterchangedNs []float64  `json:"interchanged_ns"`
	Computer       hw.Machine `json:"computer"`
}

// accesses is how often FFT of n numbers accesses its array, there and back: 8 for each butterfly
// and each exchange of two numbers, and 2 for each number at the end (experiments/goprogram, byHand).
func accesses(n int) uint64 {
	log := bits.Len(uint(n)) - 1
	exchanged := (n - 1<<((log+1)/2)) / 2
	return uint64(2*8*(n/2*log+exchanged) + 2*n)
}

// longTiming is the numbers that the iterations of a timed run sum up to, at least.
const longTiming = 1 << 20

func timed(ctx context.Context, w *study.Worker, n, runs int) (any, error) {
	dir, err := w.SciMark()
	if err != nil {
		return nil, err
	}
	binary, err := w.Native(ctx, dir, "")
	if err != nil {
		return nil, err
	}
	x := &Timed{Numbers: n, ArrayBytes: 16 * uint64(n), Accesses: accesses(n),
		Computer: w.Host.Machine()}
	iterations := max(1, longTiming/n)
	run := func(loops string, to *[]float64) {
		if err != nil {
			return
		}
		var out []byte
		if out, err = exec.CommandContext(ctx, binary, "fft", "-time", "-n", strconv.Itoa(n), "-loops",
			loops, "-iterations", strconv.Itoa(iterations)).CombinedOutput(); err != nil {
			err = failure.OfContext(ctx, failure.Errorf(failure.Failed, "scimark: %w: %s", err, out))
			return
		}
		var ns int64
		at := bytes.LastIndexByte(out, ';')
		if _, err = fmt.Sscanf(string(out[at+1:]), "%d ns", &ns); err == nil {
			*to = append(*to, float64(ns)/float64(iterations))
		}
	}
	for range runs {
		run(original, &x.OriginalNs)
		run(interchanged, &x.InterchangedNs)
	}
	return x, err
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
