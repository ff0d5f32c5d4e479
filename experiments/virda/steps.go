package virda

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"krdlab/examples"
	"krdlab/experiments"
	"krdlab/experiments/gotrace"
	"krdlab/experiments/request"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/hw/scratch"
	"krdlab/kernels"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/gofront"
)

// ErrToolchain is the error where there is no Go toolchain.
var ErrToolchain = failure.New(failure.Capability, "the go command is not there: SciMark is built "+
	"from its sources, which needs the Go toolchain (https://go.dev/dl)")

// A worker does steps.
type worker struct {
	host *hw.Topology
	argv []string
	work *scratch.Folder
	runs int
	// SciMark, rewritten and built; nil: not yet
	built *gofront.Built
}

func newWorker(host *hw.Topology, argv []string) (*worker, error) {
	work, err := scratch.Make("", "krdlab-virda-")
	return &worker{host: host, argv: argv, work: work}, err
}

// sources returns the folder of SciMark's sources, a module.
func (w *worker) sources() (string, error) {
	dir := filepath.Join(w.work.Path, "scimark")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		return "", ErrToolchain
	}
	sub, err := fs.Sub(examples.SciMark, "scimark")
	if err == nil {
		err = os.CopyFS(dir, sub)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module scimark\n\ngo 1.24\n"), 0o666)
	}
	return dir, err
}

// folder returns the name of a run directory that is removed at the end.
func (w *worker) folder() string {
	w.runs++
	return filepath.Join(w.work.Path, fmt.Sprintf("run-%d", w.runs))
}

// trace runs SciMark with its accesses analysed.
func (w *worker) trace(ctx context.Context, args []string, unit gotrace.Unit) (any, error) {
	dir, err := w.sources()
	if err != nil {
		return nil, err
	}
	build := gofront.BuildOptions{Dir: dir, Path: "."}
	if w.built == nil {
		if w.built, err = gofront.Build(ctx, build, w.work.Path); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	d, err := gotrace.Run(ctx, &gotrace.Request{Build: build, Built: w.built, Args: args,
		Unit: unit, Out: w.folder(), Caches: w.host.Machine(), Stdout: &out, Stderr: &out}, w.argv,
		w.host)
	if errors.Is(err, gotrace.ErrProgram) {
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
// and each exchange of two numbers, and 2 for each number at the end (examples/scimark, byHand).
func accesses(n int) uint64 {
	log := bits.Len(uint(n)) - 1
	exchanged := (n - 1<<((log+1)/2)) / 2
	return uint64(2*8*(n/2*log+exchanged) + 2*n)
}

// longTiming is the numbers that the iterations of a timed run sum up to, at least.
const longTiming = 1 << 20

func (w *worker) time(ctx context.Context, n, runs int) (any, error) {
	dir, err := w.sources()
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(w.work.Path, "native")
	if _, err := os.Stat(binary); err != nil {
		c := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			return nil, failure.Errorf(failure.Failed, "go build: %w: %s", err, out)
		}
	}
	x := &Timed{Numbers: n, ArrayBytes: 16 * uint64(n), Accesses: accesses(n),
		Computer: w.host.Machine()}
	iterations := max(1, longTiming/n)
	run := func(loops string, to *[]float64) {
		if err != nil {
			return
		}
		var out []byte
		if out, err = exec.CommandContext(ctx, binary, "fft", "-time", "-n", strconv.Itoa(n), "-loops",
			loops, "-iterations", strconv.Itoa(iterations)).CombinedOutput(); err != nil {
			err = failure.Errorf(failure.Failed, "scimark: %w: %s", err, out)
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
func (w *worker) simulate(ctx context.Context, s *simulated, scheduler string, n int) (any, error) {
	k, _ := kernels.ByName(s.kernel)
	r := request.New(k)
	maps.Copy(r.Params, s.params)
	r.Params[k.Size] = n
	r.Cores, r.Reps, r.Warmup, r.Trace, r.Out = simulatedCores, 1, 0, request.TraceFull, w.folder()
	var err error
	if r.Schedulers, err = request.FindSchedulers([]string{scheduler}); err != nil {
		return nil, err
	}
	if r.Machine, err = machine.ByName(simulatedMachine); err != nil {
		return nil, err
	}
	t, err := r.Machine.Topology()
	if err != nil {
		return nil, err
	}
	out, err := experiments.Run(ctx, &r, w.argv, t, nil, nil)
	if err != nil {
		return nil, err
	}
	traces, err := filepath.Glob(filepath.Join(out.Dir, "*.loi*"))
	if err != nil || len(traces) != 1 {
		return nil, failure.Errorf(failure.Failed, "%d traces of one run: %w", len(traces), err)
	}
	trace, err := loi.Open(traces[0])
	if err != nil {
		return nil, err
	}
	defer trace.Close()
	return krd.Analyze(trace, krd.Options{})
}
