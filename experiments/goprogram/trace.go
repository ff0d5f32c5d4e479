package goprogram

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/loi"
	"krdlab/loi/collect"
)

// traceSink writes accesses to a trace: an object for each class, a kernel for each function, a
// worker for each goroutine.
type traceSink struct {
	path    string
	plain   bool // nothing was rewritten
	b       *loi.Builder
	a       *analysis
	objects []int32        // by class; -1: not accessed yet
	kernels []loi.KernelID // by site
	named   []loi.KernelID // by number of a name that the source gives
	regions []loi.RegionID // by number in the sources; loi.NoRegion: not begun yet
	times   []uint64       // of each worker's last access
	values  *values        // nil: there are no operations
	lines   *lines         // nil: they are not recorded

	progress func(done, total uint64) // of the Request
	room     uint64                   // the total
}

func newTraceSink(r *Request, a *analysis) (*traceSink, error) {
	b, err := loi.NewBuilder(r.Trace)
	if errors.Is(err, fs.ErrExist) {
		return nil, failure.Errorf(failure.Request, "%w; a .partial that nobody writes any more may "+
			"be kept by krdlab trace recover, and can be removed", err)
	} else if err != nil {
		return nil, err
	}
	b.Limit(r.TraceLimit)
	t := &traceSink{path: r.Trace, plain: r.Build.Plain, b: b, a: a,
		kernels: make([]loi.KernelID, len(a.sites)+1), progress: r.TraceProgress, room: r.TraceLimit}
	if free, err := hw.FreeDisk(r.Trace); err == nil && (t.room == 0 || uint64(free) < t.room) {
		t.room = uint64(free)
	}
	for i := range a.sites {
		if t.kernels[i+1], err = b.Kernel(a.sites[i].Function); err != nil {
			return nil, errors.Join(t.failed(err), b.Abort())
		}
	}
	if r.Build.Sync && !r.Build.Plain {
		t.lines = &lines{kernels: slices.Repeat([]loi.KernelID{loi.NoKernel}, len(a.sites)+1)}
	}
	t.regions = slices.Repeat([]loi.RegionID{loi.NoRegion}, len(a.reader.Regions)+1)
	h := header(r.Native != nil, r.Build.Path, r.Unit, &r.Caches)
	h.Meta = append(h.Meta, loi.KV{Key: "cut off", Value: "krdlab ended before the program"})
	b.Expect(h)
	return t, nil
}

// failed names the file that could not be written, and no other.
func (t *traceSink) failed(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fmt.Errorf("writing the trace to %s failed: %w", t.path, err)
}

// abort removes what was written after an error, which it returns.
func (t *traceSink) abort(err error) error {
	if left := t.b.Abort(); left != nil {
		return fmt.Errorf("%w; what was written is left behind: %w", err, left)
	}
	return fmt.Errorf("%w; what was written of it is removed", err)
}

// add adds accesses.
func (t *traceSink) add(b *collect.Batch, keys []uint64, bytes []uint32) error {
	if err := t.addAll(b, keys, bytes); err != nil {
		return t.failed(err)
	}
	if t.progress != nil {
		t.progress(t.b.Stats().Bytes, t.room)
	}
	return nil
}

func (t *traceSink) addAll(b *collect.Batch, keys []uint64, bytes []uint32) error {
	i, acts := 0, b.Acts
	for _, turn := range b.Turns {
		for ; i < turn.End; i++ {
			for len(acts) > 0 && acts[0].After <= i {
				if err := t.act(&acts[0]); err != nil {
					return err
				}
				acts = acts[1:]
			}
			w, err := t.at(turn.Goroutine, turn.Time)
			if err != nil {
				return err
			}
			g := t.a.reader.Groups[b.Groups[i]]
			object, err := t.object(g.Class)
			if err != nil {
				return err
			}
			kernel := t.kernels[g.Site]
			if turn.Kernel != 0 {
				if kernel, err = t.kernel(turn.Kernel); err != nil {
					return err
				}
			}
			if err := t.b.Access(w, kernel, t.times[w], loi.Access{
				Object: object, Mode: t.a.reader.Mode(b.Groups[i]), Block: keys[i],
				Bytes: uint64(bytes[i])}); err != nil {
				return err
			}
			if t.values != nil {
				t.values.access(w, g.Site)
			}
			if err := t.line(w, g.Site); err != nil {
				return err
			}
		}
	}
	for j := range acts {
		if err := t.act(&acts[j]); err != nil {
			return err
		}
	}
	return nil
}

// ErrGoroutines is wrapped by the error of a program with more goroutines than a trace can have.
var ErrGoroutines = failure.New(failure.Capability, "too many goroutines for a trace")

// at returns the worker of a goroutine, which has come to a time.
func (t *traceSink) at(goroutine, time uint64) (int, error) {
	w := t.a.worker(goroutine)
	if w >= loi.MaxWorkers {
		return 0, fmt.Errorf("%w: the program has more than %s that did something; without --out "+
			"there may be any number", ErrGoroutines, units.Grouped(loi.MaxWorkers))
	}
	if n := w + 1 - len(t.times); n > 0 {
		t.times = append(t.times, make([]uint64, n)...)
	}
	t.times[w] = max(t.times[w], time)
	return w, nil
}

// lines are those of accesses, which [loi.EventLines] tell of.
type lines struct {
	kernels []loi.KernelID   // by site; not known yet: NoKernel
	of      [][]loi.KernelID // of each worker's last accesses
}

// mostLines is how many kernels may be lines: the others are for functions.
const mostLines = loi.MaxKernels / 2

// line adds the line of a worker's access.
func (t *traceSink) line(w, site int) error {
	if t.lines == nil {
		return nil
	}
	k := &t.lines.kernels[site]
	if s := t.a.sites; *k == loi.NoKernel && site > 0 && t.b.Kernels() < mostLines {
		var err error
		if *k, err = t.b.Kernel(fmt.Sprintf("%s, %s:%d", s[site-1].Function, filepath.Base(s[site-1].File),
			s[site-1].Line)); err != nil {
			return err
		}
	}
	if n := w + 1 - len(t.lines.of); n > 0 {
		t.lines.of = append(t.lines.of, make([][]loi.KernelID, n)...)
	}
	of := &t.lines.of[w]
	if *of = append(*of, *k); len(*of) == loi.MaxLines {
		return t.endLines(w)
	}
	return nil
}

// endLines records the lines of a worker's last accesses.
func (t *traceSink) endLines(w int) error {
	if t.lines == nil || w >= len(t.lines.of) || len(t.lines.of[w]) == 0 {
		return nil
	}
	of := t.lines.of[w]
	t.lines.of[w] = of[:0]
	return t.b.Event(w, loi.EventLines, t.times[w], loi.LinesArgs(of)...)
}

// kernel returns that of a name which the source gives.
func (t *traceSink) kernel(n int) (loi.KernelID, error) {
	for len(t.named) < n {
		k, err := t.b.Kernel(t.a.reader.Kernels[len(t.named)])
		if err != nil {
			return 0, err
		}
		t.named = append(t.named, k)
	}
	return t.named[n-1], nil
}

// act adds what a goroutine did beside accesses.
func (t *traceSink) act(a *collect.Act) error {
	w, err := t.at(a.Goroutine, a.Time)
	if err != nil {
		return err
	}
	switch a.Kind {
	case loi.EventOperation:
		return t.b.Event(w, a.Kind, t.times[w], t.values.done(w, a.Number)...)
	case loi.EventRegionEnd:
		if t.values != nil {
			t.values.end(w)
		}
		return t.b.Event(w, a.Kind, t.times[w], a.Number)
	case loi.EventStart:
		name := t.a.program.Function(a.Entry)
		if wraps(name) && !t.plain {
			name = "" // what it calls is known by its accesses
		}
		if name == "" {
			return t.b.Event(w, a.Kind, t.times[w], a.Number)
		}
		k, err := t.b.Kernel(name)
		if err != nil {
			return err
		}
		return t.b.Event(w, a.Kind, t.times[w], a.Number, uint32(k))
	case loi.EventGo, loi.EventEnd:
		return t.b.Event(w, a.Kind, t.times[w], loi.GoArgs(a.Number, a.Away)...)
	case loi.EventSync:
		if a.Sync.Object, err = t.subject(a.Class, a.Sync.Op); err != nil {
			return err
		}
		return t.b.Event(w, a.Kind, t.times[w], a.Sync.Args()...)
	case loi.EventBegun:
		return t.open(w, a)
	}
	n, err := t.region(a.Region)
	if err != nil {
		return err
	}
	if t.values != nil {
		t.values.begin(w, t.a.reader.Regions[a.Region-1].Kind)
	}
	return t.b.Event(w, a.Kind, t.times[w], uint32(n), a.Number, 0)
}

// wraps reports that a function is none of the source, but calls one.
func wraps(function string) bool {
	return strings.Contains(function, ".gowrap") || strings.HasPrefix(function, "sync.")
}

// open adds what a worker was waiting for when the program ended.
func (t *traceSink) open(w int, a *collect.Act) (err error) {
	if a.Begun == nil {
		return t.b.Event(w, a.Kind, t.times[w])
	}
	if a.Begun.Object, err = t.subject(a.Class, a.Begun.Op); err != nil {
		return err
	}
	a.Begun.Where = loi.NoKernel
	if where := t.a.program.Where(a.PCs); where != "" {
		if a.Begun.Where, err = t.b.Kernel(where); err != nil {
			return err
		}
	}
	return t.b.Event(w, a.Kind, t.times[w], a.Begun.Args()...)
}

// subject returns the object of what an operation is about.
func (t *traceSink) subject(class int, op loi.SyncOp) (loi.ObjectID, error) {
	if class < 0 {
		return loi.NoObject, nil
	}
	if c := t.a.reader.Classes[class]; op <= loi.SyncClose && c.Site == 0 && c.Name == "" {
		return t.b.Object("channel, made where nothing was rewritten", loi.Keyed)
	}
	return t.object(class)
}

// region returns a region of the sources, which is registered when it first begins.
func (t *traceSink) region(n int) (loi.RegionID, error) {
	if n == 0 || t.regions[n] != loi.NoRegion {
		return t.regions[n], nil
	}
	x := &t.a.reader.Regions[n-1]
	parent, err := t.region(x.Parent)
	if err == nil {
		t.regions[n], err = t.b.Region(loi.Region{Name: x.Name(), Kind: x.Kind, Parent: parent})
	}
	return t.regions[n], err
}

// object returns that of a class, which is registered when it is first accessed.
func (t *traceSink) object(class int) (loi.ObjectID, error) {
	for len(t.objects) <= class {
		t.objects = append(t.objects, -1)
	}
	if t.objects[class] < 0 {
		o, err := t.b.Object(t.a.className(class), loi.Keyed)
		if err != nil {
			return 0, err
		}
		t.objects[class] = int32(o)
	}
	return loi.ObjectID(t.objects[class]), nil
}

// programName returns the name of the program in traces and documents of a package, or of a native program.
func programName(native bool, path string) string {
	if native {
		return "native " + path
	}
	return "go " + path
}

func header(native bool, path string, unit Unit, m *hw.Machine) loi.Header {
	clock := hw.CalibrateClock()
	return loi.Header{Clock: loi.Clock{Source: clock.Source, Hz: clock.Hz,
		Invariant: clock.Invariant}, Substrate: loi.Native, Grain: "kernel", Nodes: 1,
		L2Bytes: uint64(m.L2Bytes), LLCBytes: uint64(m.LLCBytes),
		L2Known: string(m.CachesKnown.L2), LLCKnown: string(m.CachesKnown.LLC),
		Kernel: programName(native, path), Meta: []loi.KV{{Key: loi.UnitKey, Value: string(unit)},
			loi.WorkersAreGoroutines}}
}

// accounts returns entries of a header.
func accounts(a *collect.Accounts) (all []loi.KV) {
	for _, x := range []struct {
		key string
		n   uint64
	}{{"accesses analysed", a.Analysed}, {"accesses of unknown origin", a.Unknown},
		{"accesses on the stack", a.Stack}, {"accesses left alone", a.Left},
		{loi.LostKey, a.Lost}} {
		all = append(all, loi.KV{Key: x.key, Value: fmt.Sprint(x.n)})
	}
	return all
}

func (t *traceSink) close(d *Document, m *hw.Machine) error {
	h := header(d.Native, d.Package, d.Unit, m)
	h.Meta = slices.Insert(h.Meta, 0, loi.KV{Key: "exit_code", Value: fmt.Sprint(d.ExitCode)})
	h.Meta = append(h.Meta, accounts(&d.Accounts)...)
	if d.Signal != "" {
		h.Meta = append(h.Meta, loi.KV{Key: "signal", Value: d.Signal})
	}
	for w := range t.times {
		if err := t.endLines(w); err != nil {
			return t.failed(err)
		}
	}
	for range max(1, len(t.times)) {
		h.Workers = append(h.Workers, loi.Worker{CPU: -1})
	}
	if err := t.b.Close(h); err != nil {
		return t.failed(err)
	}
	s := t.b.Stats()
	for w, n := range s.Discarded {
		d.TraceRecords, d.TraceDiscarded = d.TraceRecords+s.Records[w], d.TraceDiscarded+n
	}
	if s.Full != nil {
		d.noRoom = s.Full.Error()
	}
	return nil
}
