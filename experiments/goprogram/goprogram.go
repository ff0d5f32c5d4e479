// Package goprogram traces a Go program by virtual identity (virda, section 3): it has the program
// rewritten and built (package loi/front), runs it, and analyses what it accesses while it runs
// (packages loi/collect and krd), or writes that to a trace. A program of package native takes the same way.
//
//	sources -> build.Run -> program -> collect.Reader -> krd.Stream -> Document
//	compiler -> native.Open -'         |
//	                                                     |-> loi.Builder -> trace
//	                                                     \-> analysis.Live -> Result
package goprogram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/scratch"
	"krdlab/krd"
	observe "krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/collect"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/native"
)

// A Unit is the size of one datum.
type Unit string

const (
	// Lines are blocks of 64 bytes, each object beginning with one of its own: block temporal
	// locality (virda, figure 4).
	Lines Unit = "line"
	// Data are variables, fields and elements by themselves: pure temporal locality (figure 2).
	Data Unit = "datum"
)

// Units lists them, the default first.
var Units = []string{string(Lines), string(Data)}

const lineBytes = 64

// A Request selects the program, and the records of its trace.
type Request struct {
	Build build.Request
	Built *build.Program // what came of Build, whose files are still there; nil: it is built
	// Native is a program in place of one that Build makes: then Path, Stack, Regions, Sync and Sample
	// count, and the rest of Build is not set; nil: it is a Go program.
	Native *native.Program
	Args   []string // of the program
	Env    []string // of the program, beside that of this process
	Unit   Unit
	Out    string // the run directory; "" is a new one under result.RunsDir
	Trace  string // the trace to write, instead of a directory; "": none

	// Apart counts what is updated (x op= y) as a load and a store where the store is, as Java's byte
	// code has them; else it is one access. Not of a sample.
	Apart bool

	Rate collect.Rate // of a sample

	// For is after how long the program is interrupted, and killed if it does not end then; 0: never.
	For time.Duration

	// Waits: what goroutines wait for is recorded too, and analysed when the program has ended. No
	// Trace is written, and Build.Sample is not set.
	Waits bool

	TraceLimit uint64 // bytes that the trace may have, see [loi.Builder.Limit]; 0: any number
	// TraceProgress is called with how much of the trace is in its file, and how much there may be, by
	// TraceLimit or the disk, 0 if that is not known. nil: nobody wants to know.
	TraceProgress func(done, total uint64)

	// Live makes an observer of the program, given the header that a trace of it would begin with: then
	// no trace is written and no run directory, and no distances are computed. Places are in bytes
	// whatever the Unit; Build.Sample is not set.
	Live func(*loi.Header) (observe.Live, error)

	Caches hw.Machine // whose L2 and LLC close, near and far are about

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// ErrProgram is wrapped by the error of a program that was traced and failed.
var ErrProgram = failure.New(failure.Failed, "the program failed")

// Run builds, runs and analyses. After an error of the program (which wraps [ErrProgram]) the
// document and the files are there, up to its end; so is the document, without Dir, where the run
// directory could not be written. After other errors there is no document, and no file. If ctx is
// cancelled while the program runs, that is interrupted, and may end as it likes.
func Run(ctx context.Context, r *Request, argv []string, t *hw.Topology) (*Document, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("tracing programs: %w on %s/%s; it is for linux/amd64",
			hw.ErrUnsupported, runtime.GOOS, runtime.GOARCH)
	}
	if r.Waits {
		with := *r
		with.Build.Sync = true
		r = &with
	}
	if r.Native != nil {
		one := *r
		one.Built = &build.Program{Binary: r.Native.Path, Stack: r.Build.Stack,
			Packages: []string{r.Build.Path}, Rewritten: &front.Rewritten{
				Sites: r.Native.Sites, Regions: r.Native.Regions, Left: r.Native.Left}}
		r = &one
	}
	if r.Built == nil {
		one := *r
		r = &one
		remove, err := Prepare(ctx, r)
		if err != nil {
			return nil, err
		}
		defer remove()
	}
	built := r.Built
	if err := fit(built.Operations, built.Regions); err != nil {
		return nil, err
	}
	mem, err := newMemory(r, built)
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	d := newDocument(r, built)
	var dir *result.RunDir
	if r.Trace == "" && r.Live == nil {
		if dir, err = begin(r, argv, t); err != nil {
			return nil, err
		}
	}
	failed, err := d.run(ctx, r, built, mem)
	if err != nil {
		if dir != nil {
			dir.Discard()
		}
		return nil, errors.Join(err, failed)
	}
	d.doubt()
	if dir == nil {
		return d, failed
	}
	if err := dir.WriteJSON(KRDFile, d); err != nil {
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err
		}
		err = fmt.Errorf("writing the run directory failed: %w; the result is only printed", err)
		if !dir.Discard() {
			d.Dir = dir.Partial()
		}
		return d, errors.Join(err, failed)
	}
	d.Dir = dir.Partial()
	if err := dir.Commit(); err != nil {
		return d, errors.Join(err, failed)
	}
	d.Dir = strings.TrimSuffix(dir.Partial(), ".partial")
	return d, failed
}

// Prepare builds the program of a request and sets Built, for several runs. remove removes its files.
func Prepare(ctx context.Context, r *Request) (remove func(), err error) {
	work, err := scratch.Make(os.Getenv("GOTMPDIR"), "krdlab-go-")
	if err != nil {
		return nil, fmt.Errorf("temporary folder (GOTMPDIR, TMPDIR): %w", err)
	}
	remove = func() { _ = work.Remove() } // what is left is removed by the next run
	if err := work.Lend(func() (err error) {
		r.Built, err = build.Run(ctx, r.Build, work.Path)
		return err
	}); err != nil {
		remove()
		return nil, err
	}
	return remove, nil
}

// newMemory makes what the program shares.
func newMemory(r *Request, b *build.Program) (*collect.Memory, error) {
	if r.Native != nil {
		code := r.Native.Code
		code.Regions = r.Build.Regions
		return collect.NewNativeMemory(len(b.Sites), b.Stack, r.Build.Sync, r.Build.Sample, &code)
	}
	if r.Build.Sample {
		return collect.NewSampledMemory(len(b.Sites), b.Stack)
	}
	return collect.NewMemory(len(b.Sites), b.Stack, r.Build.Sync)
}

// run runs a program that was built and analyses it, has it observed or writes its trace. failed is the error of
// the program's end, err that of the tracing, after which nothing is left.
func (d *Document) run(ctx context.Context, r *Request, b *build.Program, mem *collect.Memory) (
	failed, err error) {
	program, err := collect.OpenProgram(b.Binary)
	if err != nil {
		return nil, err
	}
	if r.Native != nil {
		for i, v := range program.Variables {
			program.Variables[i].Name = cmp.Or(r.Native.Names[v.Name], v.Name)
		}
		program.Variables = append(program.Variables, native.Tasks)
	}
	a, err := newAnalysis(r, b, program)
	if err != nil {
		return nil, err
	}
	if r.Native != nil {
		a.reader.Libraries = &libraries{a: a, d: d}
	}
	c := exec.Command(b.Binary, r.Args...)
	c.Dir = r.Build.Dir
	if r.Build.Test {
		c.Dir = b.Folder
	}
	c.Stdin, c.Stdout, c.Stderr = r.Stdin, r.Stdout, r.Stderr
	if r.Env != nil {
		c.Env = append(c.Environ(), r.Env...)
	}
	c.WaitDelay = childOutput
	began := time.Now()
	late, exit, err := collect.Run(ctx, c, mem, a.reader)
	d.TracedNs, d.LateEvents = time.Since(began).Nanoseconds(), late
	d.LeftRunning, d.Replaced = collect.Running(b.Binary), mem.Replaced()
	failed, odd := d.ended(exit)
	if a.reader.Stopped() {
		d.Stopped, failed = true, nil
	}
	err = errors.Join(err, odd)
	if err == nil && !mem.Started() {
		err = failure.OfContext(ctx, fmt.Errorf("%w: it has not found the memory shared with it",
			ErrProgram))
	}
	if err == nil {
		d.LostGoroutines = mem.Lost()
		counted, dropped := mem.Counts()
		a.reader.Count(counted)
		if a.sample != nil {
			a.sample.counted(mem.Dropped())
			a.sample.settle(dropped)
		}
		err = a.end(d, mem.LostEvents())
		if err == nil && a.waits != nil {
			err = a.waits.end(ctx, d, a)
			a.waits = nil
		}
	}
	if a.waits != nil {
		a.waits.stop()
	}
	if err != nil && a.trace != nil {
		err = a.trace.abort(err)
	}
	if err != nil && a.live != nil {
		_ = a.live.stop() // its error is in err
	}
	return failed, err
}

// childOutput is how long the output of children that the program leaves behind is waited for,
// where it is no file.
const childOutput = time.Second

// KRDFile is the document in a run directory.
const KRDFile = "krd.json"

func begin(r *Request, argv []string, t *hw.Topology) (*result.RunDir, error) {
	m := result.NewManifest(request.Asked{Kernel: programName(r.Native != nil, r.Build.Path)}, argv, t, time.Now())
	name := filepath.Base(r.Build.Path)
	if p, err := filepath.Abs(filepath.Join(r.Build.Dir, r.Build.Path)); err == nil && r.Native == nil {
		name = filepath.Base(p)
	}
	name = strings.ReplaceAll(programName(r.Native != nil, name), " ", "-")
	return result.Begin(r.Out, name, m, nil)
}

// ended notes how the program ended. failed wraps ErrProgram; err is of waiting for it.
func (d *Document) ended(exit error) (failed, err error) {
	var x *exec.ExitError
	if exit == nil || errors.Is(exit, exec.ErrWaitDelay) {
		return nil, nil
	}
	if !errors.As(exit, &x) {
		return nil, exit
	}
	d.ExitCode = x.ExitCode()
	if s, ok := x.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		d.Signal = s.Signal().String()
		return fmt.Errorf("%w: signal %s", ErrProgram, d.Signal), nil
	}
	return fmt.Errorf("%w: exit code %d", ErrProgram, d.ExitCode), nil
}

// analysis takes the program's accesses.
type analysis struct {
	reader  *collect.Reader
	program *collect.Program
	sites   []front.Site
	left    []front.Left
	unit    Unit
	caches  hw.Machine
	stream  *krd.Stream // nil: a trace is written
	ahead   *ahead      // of lines: what the stream is to take
	trace   *traceSink
	waits   *waiting // nil: what goroutines wait for is not asked, or there are too many
	crowded bool     // there are
	calls   bool     // regions of functions are recorded: accesses are told apart by calls
	native  bool     // the program is no Go program
	keys    []uint64
	bytes   []uint32
	live    *live          // nil: there is no observer
	apart   *apart         // nil: an update is one access
	sample  *sampler       // nil: all accesses are taken
	sharing *sharing       // nil: a sample
	count   uint64         // accesses
	atomics uint64         // atomic operations
	workers map[uint64]int // by goroutine, in the order of their first accesses
	last    struct {       // that was asked for
		goroutine uint64
		worker    int
		known     bool
	}
}

func newAnalysis(r *Request, b *build.Program, p *collect.Program) (*analysis, error) {
	a := &analysis{program: p, sites: b.Sites, native: r.Native != nil, unit: r.Unit, caches: r.Caches, calls: r.Build.Regions,
		workers: make(map[uint64]int)}
	a.reader = collect.NewReader(b.Sites, p.Variables, a)
	a.reader.For = r.For
	a.reader.Layout, a.reader.Stack, a.left = p.Layout, b.Stack, b.Left
	a.reader.Regions, a.reader.Operations = b.Regions, uint64(len(b.Operations))
	var err error
	if r.Build.Sample {
		a.sample = newSampler(a, r.Rate)
		return a, nil
	}
	a.sharing, a.reader.Real = newSharing(), true
	if r.Apart {
		a.apart = &apart{}
	}
	if r.Live != nil {
		a.live, err = newLive(r, a, b.Operations)
		a.reader.Loops = a
		return a, err
	}
	if r.Trace != "" {
		if a.trace, err = newTraceSink(r, a); err == nil {
			err = a.trace.declare(b.Operations)
		}
	} else {
		a.stream, err = krd.NewStream(krd.StreamOptions{L2Bytes: uint64(r.Caches.L2Bytes),
			LLCBytes: uint64(r.Caches.LLCBytes), L2Known: string(r.Caches.CachesKnown.L2),
			LLCKnown: string(r.Caches.CachesKnown.LLC), Goroutines: true})
		if err == nil && a.unit == Lines {
			a.ahead, a.reader.Loops = newAhead(a.stream), a
		}
		if err == nil && r.Waits {
			a.waits, err = newWaiting(r, a)
		}
	}
	return a, err
}

// Batch implements [collect.Sink].
func (a *analysis) Batch(b *collect.Batch) error {
	if a.sample != nil {
		a.sample.batch(b)
		return nil
	}
	if a.apart != nil {
		b = a.apart.batch(a.reader, b)
	}
	a.keys, a.bytes = a.keys[:0], a.bytes[:0]
	a.count += uint64(len(b.Places))
	a.sharing.batch(a, b)
	if a.live != nil {
		return a.live.batch(b)
	}
	if err := a.waited(b); err != nil {
		return err
	}
	if a.unit == Lines && a.trace == nil {
		a.ahead.starts.begin(a, b.Acts)
		return a.stacked(b)
	}
	if a.unit == Lines {
		for _, p := range b.Places {
			a.keys, a.bytes = append(a.keys, p/lineBytes), append(a.bytes, lineBytes)
		}
	} else {
		for i, p := range b.Places {
			// data of another size at the same place (package unsafe) are other data
			a.keys = append(a.keys, p|uint64(b.Bytes[i])<<sizeShift)
			a.bytes = append(a.bytes, b.Bytes[i])
		}
	}
	if a.trace != nil {
		return a.trace.add(b, a.keys, a.bytes)
	}
	return a.turns(b, func(goroutine uint64, from, to int) error {
		return a.stream.Add(uint32(a.worker(goroutine)), a.keys[from:to], a.bytes[from:to], b.Groups[from:to])
	})
}

// turns calls do with the accesses of each goroutine that follow each other.
func (a *analysis) turns(b *collect.Batch, do func(goroutine uint64, from, to int) error) error {
	from := 0
	for i, t := range b.Turns {
		if i+1 < len(b.Turns) && b.Turns[i+1].Goroutine == t.Goroutine {
			continue
		}
		if err := do(t.Goroutine, from, t.End); err != nil {
			return err
		}
		from = t.End
	}
	return nil
}

// Loop takes a loop; data are lines, unless an observer takes it.
func (a *analysis) Loop(l *collect.Loop) error {
	if a.sample != nil {
		a.sample.loop(l)
		return nil
	}
	if a.apart != nil {
		l = a.apart.loop(a.reader, l)
	}
	a.count += l.Times * uint64(len(l.Accesses))
	a.sharing.loop(a, l)
	if a.live != nil {
		return a.live.loop(l)
	}
	start := a.ahead.starts.start(a, l.Goroutine, l.Accesses[0].Group)
	return a.ahead.loop(start, uint32(a.worker(l.Goroutine)), l)
}

// worker numbers goroutines.
func (a *analysis) worker(goroutine uint64) int {
	if a.last.known && a.last.goroutine == goroutine {
		return a.last.worker
	}
	w, ok := a.workers[goroutine]
	if !ok {
		w = len(a.workers)
		a.workers[goroutine] = w
	}
	a.last.goroutine, a.last.worker, a.last.known = goroutine, w, true
	return w
}

// acted counts the goroutines that made an access or an atomic operation.
func (a *analysis) acted() uint64 {
	if a.sharing == nil {
		return 0
	}
	return uint64(len(a.sharing.first))
}

// sizeShift is above all places.
const sizeShift = 56

// end finishes the document; lost is how many events were not recorded.
func (a *analysis) end(d *Document, lost uint64) error {
	d.OddEvents, d.Accesses, d.Atomics = a.reader.Odd, a.count, a.atomics
	d.Goroutines = max(a.reader.Goroutines, a.acted())
	d.Accounts = a.reader.Accounts(a.count, lost)
	if a.crowded {
		d.answers = append(d.answers, doc.Find(waitsOfTooMany, loi.MaxWorkers))
	}
	d.account(a)
	if a.sharing != nil {
		d.answers = append(d.answers, a.sharing.findings(a)...)
	}
	if a.trace != nil {
		return a.trace.close(d, &a.caches)
	}
	if a.live != nil {
		return a.live.end(d)
	}
	if a.sample != nil {
		return a.sample.end(d)
	}
	if a.ahead != nil {
		if err := a.ahead.end(); err != nil {
			return err
		}
	}
	report, err := a.stream.Report()
	if err != nil {
		return err
	}
	report.Unit, report.ProgramName = string(d.Unit), programName(d.Native, d.Package)
	d.KRD = report
	n, bytes := a.stream.Distinct()
	data := uint64(n)
	d.DistinctData, d.DistinctBytes = &data, &bytes
	groups := slices.Collect(a.stream.Groups())
	if a.ahead != nil {
		split := groups
		groups = a.ahead.starts.merged(split)
		d.tables(a.parts(groups))
		d.Lines, d.Starts = a.lines(groups), a.ahead.starts.list(a, split, d.By.From)
		a.lineStarts(d.Lines, split)
		if a.calls {
			d.Calls = a.ahead.starts.calls(a.reader.Regions)
			a.lineCalls(d.Lines, split)
		}
	} else {
		d.tables(a.parts(groups))
		d.Lines = a.lines(groups)
	}
	if a.unit == Lines {
		d.across(a, groups)
		all := uint64(0)
		for i := range groups {
			all += d.far(&groups[i])
		}
		d.fields(a, groups, all)
		d.walks(a, groups, all)
		d.scans(a, groups, all)
		d.touched(a, groups)
	}
	return nil
}
