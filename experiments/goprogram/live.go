package goprogram

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"krdlab/hw"
	"krdlab/hw/failure"
	observe "krdlab/krd/analysis"
	"krdlab/loi"
	"krdlab/loi/collect"
	"krdlab/loi/front"
)

// A live has an observer take what the program does beside the reading of what follows, as ahead
// does it for a stream. Sites and regions of the sources are only read; to is the work goroutine's.
//
//	reader -> live.now -> todo -> observe.Live
//	                free <-
type live struct {
	now        *acts
	todo, free chan *acts
	failed     atomic.Pointer[error] // of the observer; what comes then is given up
	done       chan struct{}         // closed when todo is empty and closed
	a          *analysis
	to         *observer
	values     *values // nil: operations are not handed on
}

// acts are the operations of goroutines, in order.
type acts struct {
	places  []uint64
	bytes   []uint32
	modes   []loi.Mode
	strided []observe.Strided
	terms   []uint32
	list    []act
}

// An act is accesses of one worker, up to an end, or a loop, or the begin or end of a region.
type act struct {
	kind   actKind
	number uint32 // of a region, or of an operation
	region int    // that begins: its number in the sources
	worker int
	end    int    // of places, of strided, of terms, or of the range that is ended
	times  uint64 // of a loop; of what is ended, its bytes
}

type actKind uint8

const (
	accessed actKind = iota
	looped
	entered
	left
	operated
	ended
)

// actsLen is how many acts without accesses are handed on at once.
const actsLen = 1 << 14

// An observer is who takes acts: the work goroutine's own until that has ended.
type observer struct {
	observe.Live
	operated observe.Operated // the same; nil: it does not take operations
	header   *loi.Header
	sources  []front.Region
	regions  []loi.RegionID // by number in the sources; loi.NoRegion: not begun yet
	spent    time.Duration  // CPU time of the thread that calls methods of Live
}

// ErrRegions is wrapped by the error of a program that enters more regions than have numbers.
var ErrRegions = failure.New(failure.Capability, "too many functions and loops")

func newLive(r *Request, a *analysis, operations []front.Operation) (*live, error) {
	h := header(r.Native != nil, r.Build.Path, r.Unit, &r.Caches)
	sources := a.reader.Regions
	l := &live{now: &acts{}, todo: make(chan *acts, worksLen), free: make(chan *acts, worksLen),
		done: make(chan struct{}), a: a, to: &observer{header: &h, sources: sources,
			regions: slices.Repeat([]loi.RegionID{loi.NoRegion}, len(sources)+1)}}
	for i := range operations {
		o, err := registered(&operations[i], l.to.region)
		if err != nil {
			return nil, err
		}
		h.Registry.Operations = append(h.Registry.Operations, o)
	}
	var err error
	if l.to.Live, err = r.Live(&h); err != nil {
		return nil, err
	}
	if to, ok := l.to.Live.(observe.Operated); ok {
		a.reader.TellEnded()
		l.to.operated, l.values = to, &values{sites: a.sites, list: operations,
			numbers: make([]uint32, len(operations))}
		for i := range l.values.numbers {
			l.values.numbers[i] = uint32(i)
		}
	}
	for range worksLen - 1 {
		l.free <- &acts{}
	}
	go l.work()
	return l, nil
}

// work takes what comes until that ends; after an error it only gives room back.
func (l *live) work() {
	defer close(l.done)
	runtime.LockOSThread() // the thread's time is that of the observer, and of the loop
	began, err := hw.ThreadCPUTime()
	defer func() {
		if now, again := hw.ThreadCPUTime(); err == nil && again == nil {
			l.to.spent = time.Duration(now - began)
		}
	}()
	for w := range l.todo {
		if l.failed.Load() == nil {
			if err := l.to.take(w); err != nil {
				l.failed.Store(&err)
			}
		}
		*w = acts{w.places[:0], w.bytes[:0], w.modes[:0], w.strided[:0], w.terms[:0], w.list[:0]}
		l.free <- w
	}
}

func (o *observer) take(w *acts) error {
	place, strided, term := 0, 0, 0
	for i := range w.list {
		x, err := &w.list[i], error(nil)
		switch x.kind {
		case accessed:
			err = o.Accesses(x.worker, w.places[place:x.end], w.bytes[place:x.end],
				w.modes[place:x.end])
			place = x.end
		case looped:
			err = o.Loop(x.worker, x.times, w.strided[strided:x.end])
			strided = x.end
		case entered:
			var region loi.RegionID
			if region, err = o.region(x.region); err == nil {
				err = o.Enter(x.worker, region, x.number)
			}
		case left:
			err = o.Leave(x.worker, x.number)
		case operated:
			err = o.operated.Operation(x.worker, x.number, w.terms[term:x.end])
			term = x.end
		case ended:
			o.operated.Forget(uint64(x.end)-x.times, uint64(x.end))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// region returns a region of the sources, which is registered when it first begins.
func (o *observer) region(n int) (loi.RegionID, error) {
	if n == 0 || o.regions[n] != loi.NoRegion {
		return o.regions[n], nil
	}
	x := &o.sources[n-1]
	parent, err := o.region(x.Parent)
	if err != nil {
		return 0, err
	}
	to := &o.header.Registry.Regions
	if len(*to) >= mostRegions {
		return 0, failure.Errorf(failure.Capability, "%w: the program enters more than %d; rewrite "+
			"fewer packages, with --include and --exclude", ErrRegions, mostRegions)
	}
	o.regions[n] = loi.RegionID(len(*to))
	*to = append(*to, loi.Region{Name: x.Name(), Kind: x.Kind, Parent: parent})
	return o.regions[n], nil
}

// mostRegions is how many regions there may be.
var mostRegions = loi.MaxRegions

// batch takes what is in a batch.
func (l *live) batch(b *collect.Batch) error {
	w, from := l.now, len(l.now.places)
	w.places, w.bytes = append(w.places, b.Places...), append(w.bytes, b.Bytes...)
	for _, g := range b.Groups {
		w.modes = append(w.modes, l.a.reader.Mode(g))
	}
	begin, events := 0, b.Acts
	upTo := func(end int, goroutine uint64) {
		if end > begin {
			worker := l.a.worker(goroutine)
			if l.values != nil {
				for _, g := range b.Groups[begin:end] {
					l.values.access(worker, l.a.reader.Groups[g].Site)
				}
			}
			begin = end
			w.list = append(w.list, act{kind: accessed, worker: worker, end: from + end})
		}
	}
	for i, turn := range b.Turns {
		for ; len(events) > 0 && events[0].After < turn.End; events = events[1:] {
			upTo(events[0].After, turn.Goroutine)
			l.act(&events[0])
		}
		if i+1 == len(b.Turns) || b.Turns[i+1].Goroutine != turn.Goroutine {
			upTo(turn.End, turn.Goroutine)
		}
	}
	for i := range events {
		l.act(&events[i])
	}
	for at := 0; at < len(b.Ended); at += 2 {
		w.list = append(w.list, act{kind: ended, end: int(b.Ended[at+1]), times: b.Ended[at+1] - b.Ended[at]})
	}
	return l.full()
}

// act takes the begin or the end of a region.
func (l *live) act(a *collect.Act) {
	x := act{number: a.Number, worker: l.a.worker(a.Goroutine)}
	switch {
	case a.Kind == loi.EventRegion:
		if x.kind, x.region = entered, a.Region; l.values != nil {
			l.values.begin(x.worker, l.a.reader.Regions[a.Region-1].Kind)
		}
	case a.Kind == loi.EventRegionEnd:
		if x.kind = left; l.values != nil {
			l.values.end(x.worker)
		}
	case a.Kind == loi.EventOperation && l.values != nil:
		args := l.values.done(x.worker, a.Number)
		l.now.terms = append(l.now.terms, args[1:]...)
		x.kind, x.number, x.end = operated, args[0], len(l.now.terms)
	default:
		return
	}
	l.now.list = append(l.now.list, x)
}

// loop takes a loop.
func (l *live) loop(c *collect.Loop) error {
	w := l.now
	for _, x := range c.Accesses {
		w.strided = append(w.strided, observe.Strided{Place: x.Place, Step: x.Step, Bytes: x.Bytes,
			Mode: l.a.reader.Mode(x.Group)})
	}
	w.list = append(w.list, act{kind: looped, worker: l.a.worker(c.Goroutine), end: len(w.strided),
		times: c.Times})
	return l.full()
}

// full hands on what there is, if it is enough. Its error is that of earlier acts, too.
func (l *live) full() error {
	if len(l.now.places) < workLen && len(l.now.list) < actsLen {
		return nil
	}
	l.todo <- l.now
	l.now = <-l.free
	return l.err()
}

func (l *live) err() error {
	if err := l.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// stop waits until the observer has taken all.
func (l *live) stop() error {
	if l.now != nil {
		l.todo <- l.now
		l.now = nil
		close(l.todo)
	}
	<-l.done
	return l.err()
}

// end ends the observer, and notes in a document what it found.
func (l *live) end(d *Document) error {
	if err := l.stop(); err != nil {
		return err
	}
	began := time.Now()
	r, err := l.to.End()
	d.Result, d.ObserverNs = r, (l.to.spent + time.Since(began)).Nanoseconds()
	return err
}
