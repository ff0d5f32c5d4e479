package stack

import (
	"sync"
	"sync/atomic"
)

// crew counts chunks with several threads. The caller's thread enters a chunk and hands it over with count, which first helps
// with the one before; the others, started when there is something to do, take buckets as they come. One chunk at most is being
// counted when count returns.
type crew struct {
	work []*scratch // by thread, 0 the caller
	jobs chan *job  // nil: nobody was started
	now  *job
	wg   sync.WaitGroup
}

// A job is a chunk whose buckets are taken one by one, by any thread.
type job struct {
	c     *chunk
	wide  bool         // one task: see chunk.countWide
	tasks int          // buckets
	next  atomic.Int32 // the next task
	left  atomic.Int32 // tasks not finished
	done  chan struct{}
}

func newCrew(work []*scratch) *crew { return &crew{work: work} }

// count has c counted: at once if there is one thread, or before the next count or finish returns.
func (w *crew) count(c *chunk) {
	w.finish()
	j := &job{c: c, wide: c.wide(), tasks: c.buckets(), done: make(chan struct{})}
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

// take counts buckets until there are no more to take, the last ones, which are the most recent, first.
func (j *job) take(s *scratch) {
	for {
		i := int(j.next.Add(1)) - 1
		if i >= j.tasks {
			return
		}
		if j.wide {
			j.c.countWide(s)
		} else {
			j.c.countBucket(j.tasks-1-i, s)
		}
		if j.left.Add(-1) == 0 {
			close(j.done)
		}
	}
}
