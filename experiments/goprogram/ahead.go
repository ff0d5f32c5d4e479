package goprogram

import (
	"sync/atomic"

	"krdlab/krd"
	"krdlab/loi/collect"
)

// An ahead has a stream of lines take accesses beside the reading of those that follow. It copies
// them: some 12 bytes each.
//
//	reader -> ahead.now -> todo -> krd.Stream
//	                 free <-
type ahead struct {
	now        *work
	todo, free chan *work
	failed     atomic.Pointer[error] // of the stream; what comes then is given up
	done       chan struct{}         // closed when todo is empty and closed
	starts     *starts               // which the groups are split by
}

// work is accesses in order.
type work struct {
	places   []uint64
	groups   []uint32
	strided  []krd.Strided
	segments []segment
}

// A segment is accesses of one worker: those up to an end, or a loop.
type segment struct {
	worker uint32
	end    int    // of places, or of strided
	times  uint64 // of a loop; 0: it is none
}

const (
	workLen  = 1 << 15
	worksLen = 3
)

func newAhead(s *krd.Stream) *ahead {
	a := &ahead{starts: newStarts(), now: &work{}, todo: make(chan *work, worksLen), free: make(chan *work, worksLen),
		done: make(chan struct{})}
	for range worksLen - 1 {
		a.free <- &work{}
	}
	go a.work(s)
	return a
}

// work takes what comes until that ends; after an error it only gives room back.
func (a *ahead) work(s *krd.Stream) {
	defer close(a.done)
	for w := range a.todo {
		if a.failed.Load() == nil {
			if err := w.into(s); err != nil {
				a.failed.Store(&err)
			}
		}
		*w = work{w.places[:0], w.groups[:0], w.strided[:0], w.segments[:0]}
		a.free <- w
	}
}

func (w *work) into(s *krd.Stream) error {
	place, strided := 0, 0
	for _, x := range w.segments {
		var err error
		if x.times > 0 {
			err = s.AddLoop(x.worker, x.times, w.strided[strided:x.end])
			strided = x.end
		} else {
			err = s.AddLines(x.worker, w.places[place:x.end], w.groups[place:x.end])
			place = x.end
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add takes accesses of a worker, with the number of where it began. Its error is that of earlier ones, too.
func (a *ahead) add(start int, worker uint32, places []uint64, groups []uint32) error {
	w := a.now
	w.places = append(w.places, places...)
	for _, g := range groups {
		w.groups = append(w.groups, a.starts.group(start, g))
	}
	w.segments = append(w.segments, segment{worker: worker, end: len(w.places)})
	return a.full()
}

// loop adds a loop, as add an access.
func (a *ahead) loop(start int, worker uint32, l *collect.Loop) error {
	w := a.now
	for _, x := range l.Accesses {
		w.strided = append(w.strided, krd.Strided{Place: x.Place, Step: x.Step,
			Group: a.starts.group(start, x.Group)})
	}
	w.segments = append(w.segments, segment{worker: worker, end: len(w.strided), times: l.Times})
	return a.full()
}

// full hands on what there is, if it is enough.
func (a *ahead) full() error {
	if len(a.now.places) < workLen && len(a.now.strided) < workLen/8 {
		return nil
	}
	a.todo <- a.now
	a.now = <-a.free
	return a.err()
}

func (a *ahead) err() error {
	if err := a.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// end waits until the stream has taken all.
func (a *ahead) end() error {
	a.todo <- a.now
	close(a.todo)
	<-a.done
	return a.err()
}
