// Package activity sums up what each worker of a trace did: kernel executions and their time,
// searches for work, successful steals. `krdlab trace export --format perfetto` draws the same
// slices.
package activity

import (
	"krdlab/krd"
	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// Analysis is the line of the table.
var Analysis = &analysis.Analysis{
	Name:    "activity",
	Summary: "Kernels, idle time and steals of each worker",
	Long: `Count the kernel executions of each worker and sum up their time, or that of tasks
where kernels have no stamps. Idle time is between the beginning of a search for work and
its end, or the end of the run. Successful steals are local from a worker of the same node,
and otherwise remote.`,
	Example: "  krdlab activity trace.loi",
	Needs:   analysis.Needs{Runtime: true, ByWorker: true},
	New:     func() any { return &options{} },
}

// options are none.
type options struct{}

// TableNames implements [analysis.Tabled].
func (*options) TableNames() []string { return []string{"workers", "nodes"} }

// A Document is the JSON form of a [Result].
type Document struct {
	SchemaVersion int `json:"schema_version"`
	// TimeNS is the time that shares are of; null if the caller did not tell it.
	TimeNS doc.Number `json:"time_ns"`
	// Recorders: Workers are recorders of CPUs, between which Go's scheduler moves goroutines.
	Recorders bool     `json:"recorders"`
	Workers   []Worker `json:"workers"`
	All       Activity `json:"all"`
	doc.Concluded
}

// A Worker is one worker and what it did.
type Worker struct {
	CPU  int `json:"cpu"` // -1: it was pinned to none
	Node int `json:"node"`
	Activity
}

// An Activity sums up the times and events of one worker, or of several together.
type Activity struct {
	Kernels int64   `json:"kernels"` // executions, those inside tasks too
	WorkNS  int64   `json:"work_ns"` // of kernels, or of tasks where their kernels have no stamps
	Stamped int64   `json:"stamped"` // kernels and tasks that WorkNS is the sum of
	Idle    *Idle   `json:"idle"`    // null: the trace has no searches for work
	Steals  *Steals `json:"steals"`  // null: the trace has neither steals nor searches for work
}

// Idle is the time of searches for work.
type Idle struct {
	TimeNS   int64 `json:"time_ns"`
	Searches int64 `json:"searches"`
}

// Steals are successful ones, from a worker of the same node and of another.
type Steals struct {
	Local  int64 `json:"local"`
	Remote int64 `json:"remote"`
}

// add adds b, an activity of the same trace.
func (a *Activity) add(b *Activity) {
	a.Kernels += b.Kernels
	a.WorkNS += b.WorkNS
	a.Stamped += b.Stamped
	if b.Idle != nil {
		if a.Idle == nil {
			a.Idle = &Idle{}
		}
		a.Idle.TimeNS += b.Idle.TimeNS
		a.Idle.Searches += b.Idle.Searches
	}
	if b.Steals != nil {
		if a.Steals == nil {
			a.Steals = &Steals{}
		}
		a.Steals.Local += b.Steals.Local
		a.Steals.Remote += b.Steals.Remote
	}
}

// A counter takes the events of a trace.
type counter struct {
	in          *analysis.Input
	of          []counts
	last        int64 // stamp of any worker
	idle, steal bool  // the trace has events of searches, and of steals
}

// counts are of one worker, in ticks of the common clock.
type counts struct {
	kernels, stamped int64
	work             int64
	start, end       int64 // of the task whose kernels come one by one
	inTask           bool
	idle, searches   int64
	since            int64 // the beginning of the search that has no end yet
	searching        bool
	steals           Steals
}

// Begin implements [analysis.OverEvents].
func (*options) Begin(in *analysis.Input) (analysis.Sink, error) {
	return &counter{in: in, of: make([]counts, len(in.Header.Workers))}, nil
}

// Event implements [analysis.Sink].
func (c *counter) Event(e *loi.Event) error {
	w := &c.of[e.Worker]
	c.last = max(c.last, e.Start, e.End)
	if e.Type != loi.EventRecord {
		w.kernels++
		inTask := e.Flags&loi.Unstamped != 0
		if !inTask || !w.inTask || e.Start != w.start || e.End != w.end {
			w.stamped++
			w.work += max(0, e.End-e.Start)
		}
		w.inTask, w.start, w.end = inTask, e.Start, e.End
		return nil
	}
	w.inTask = false
	switch e.Event {
	case loi.EventIdle:
		c.idle = true
		if !w.searching {
			w.searching, w.since = true, e.Start
		}
	case loi.EventBusy:
		c.idle = true
		if w.searching {
			w.searching = false
			w.searches++
			w.idle += max(0, e.Start-w.since)
		}
	case loi.EventSteal:
		c.steal = true
		if len(e.Args) > 1 && e.Args[1] != 0 {
			w.steals.Remote++
		} else {
			w.steals.Local++
		}
	}
	return nil
}

// End implements [analysis.Sink].
func (c *counter) End() (analysis.Result, error) { return &Result{TimeNS: c.in.Time, c: c}, nil }

// A Result holds the activities of the workers of one trace.
type Result struct {
	// TimeNS is how long the traced run took, where that is known ([analysis.Input].Time). Shares
	// are of it, and a simulated run, which begins at 0, ends then. Otherwise the run ends at the
	// last stamp of any worker.
	TimeNS doc.Number

	c *counter
}

// Document implements [analysis.Result]; it returns a *[Document].
func (r *Result) Document() any { return r.sum() }

func (r *Result) sum() *Document {
	c, h := r.c, r.c.in.Header
	d := &Document{SchemaVersion: 1, TimeNS: r.TimeNS, Recorders: h.Unordered}
	ns := func(ticks int64) int64 { return nanoseconds(ticks, h.Clock.Hz) }
	end := ns(c.last)
	if h.Substrate == loi.Simulated && r.TimeNS.Known() {
		end = int64(r.TimeNS.Float())
	}
	for i := range c.of {
		w := &c.of[i]
		a := Activity{Kernels: w.kernels, WorkNS: ns(w.work), Stamped: w.stamped}
		if c.idle {
			a.Idle = &Idle{ns(w.idle), w.searches}
			if w.searching {
				a.Idle.Searches++
				a.Idle.TimeNS += max(0, end-ns(w.since))
			}
		}
		if c.idle || c.steal {
			a.Steals = &w.steals
		}
		d.Workers = append(d.Workers, Worker{h.Workers[i].CPU, h.Workers[i].Node, a})
		d.All.add(&a)
	}
	d.Conclude(c.in.Warnings...)
	if h.Clock.Hz == 0 {
		d.Find(krd.NoClockRate)
	}
	return d
}

// nanoseconds returns a number of ticks in ns; where the rate of the clock is not known, a tick
// counts as one, as in the export.
func nanoseconds(ticks int64, hz float64) int64 {
	if hz == 0 {
		return ticks
	}
	return int64(float64(ticks) / hz * 1e9)
}
