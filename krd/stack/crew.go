package stack

import (
	"sync"
	"sync/atomic"
)

// crew counts chunks with several threads. The caller's thread enters a chunk and hands it over
// with count, which first helps with the one before; the others, started when there is something to
// do, take tasks as they come. One chunk at most is being counted when count returns.
type crew struct {
	work []*scratch // by thread, 0 the caller
	jobs chan *job  // nil: nobody was started
	now  *job
	wg   sync.WaitGroup
}

// A job is a chunk whose tasks are taken one by one, by any thread: the first deals the items, and
// all others, which wait for it, count one bucket each.
type job struct {
	c     *chunk
	wide  bool          // one task: see chunk.countWide
	dealt chan struct{} // closed when the first task is finished
	tasks int
	next  atomic.Int32 // the next task
	left  atomic.Int32 // tasks not finished
	done  chan struct{}
}

func newCrew(work []*scratch) *crew { return &crew{work: work} }

// count counts c: at once if there is one thread, or before the next count or finish returns.
func (w *crew) count(c *chunk) {
	w.finish()
	j := &job{c: c, wide: c.wide(), tasks: 1 + c.buckets(), dealt: make(chan struct{}),
		done: make(chan struct{})}
	if j.wide {
		j.tasks = 1
	}
	j.left.Store(int32(j.tasks))
	w.now = j
	if len(w.work) == 1 {
		w.finish()
		return
	}
	if w.jobs == nil {
		w.jobs = make(chan *job, len(w.work)) // of each job one copy a thread
		for _, s := range w.work[1:] {
			w.wg.Go(func() {
				for j := range w.jobs {
					j.take(s)
				}
			})
		}
	}
	for range w.work[1:] {
		w.jobs <- j
	}
}

// finish helps with the chunk that is being counted until all of it is.
func (w *crew) finish() {
	j := w.now
	if j == nil {
		return
	}
	w.now = nil
	j.take(w.work[0])
	<-j.done
}

// end waits for the threads, which have nothing more to do.
func (w *crew) end() {
	w.finish()
	if w.jobs != nil {
		close(w.jobs)
		w.wg.Wait()
	}
}

// take takes tasks until there are no more; the last buckets, which are the most recent positions,
// come first.
func (j *job) take(s *scratch) {
	for {
		i := int(j.next.Add(1)) - 1
		if i >= j.tasks {
			return
		}
		if i == 0 {
			j.c.dealQueued()
			if j.wide {
				j.c.countWide(s)
			}
			close(j.dealt)
		} else {
			<-j.dealt
			j.c.countBucket(j.tasks-1-i, s)
		}
		if j.left.Add(-1) == 0 {
			close(j.done)
		}
	}
}
