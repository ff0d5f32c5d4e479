package compare

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// ErrTraces is wrapped by the error of traces that have different kernels.
var ErrTraces = failure.New(failure.Request, "not traces of one program")

// A TraceReport is how two traces of one program differ. A leaf is a kernel execution or, in traces
// without any, a child that is no task.
type TraceReport struct {
	A TraceSide `json:"a"`
	B TraceSide `json:"b"`
	// First is the number, from 0, of the first leaf in the order of time that differs; nil: none does.
	First *uint64 `json:"first"`
	// LeafA and LeafB are that leaf: its kernel and blocks, or its path from the root.
	LeafA string `json:"leaf_a"`
	LeafB string `json:"leaf_b"`
	// Same is the share of leaves at the same place in both orders, 0 to 1, of the longer one.
	Same float64 `json:"same"`
	// Bin is the bin of reuse distances whose shares differ most; nil: there are no accesses, or no
	// difference.
	Bin *TraceBin `json:"bin"`
	// WTI is the work of B over that of A. Overhead is the same ratio of N time / work: OVR if A is
	// the serial run, or that on one core (docs/measures.md). nil: there is no work, or one trace alone
	// is simulated.
	WTI      *float64 `json:"wti"`
	Overhead *float64 `json:"overhead"`

	distances bool // have been compared
}

// A TraceSide is one of two traces.
type TraceSide struct {
	Trace     string  `json:"trace"`     // path
	Substrate string  `json:"substrate"` // "native" or "simulated"
	Workers   int     `json:"workers"`
	Leaves    uint64  `json:"leaves"`
	TimeNS    float64 `json:"time_ns"` // from the first stamp to the last
	WorkNS    float64 `json:"work_ns"` // of all executions
	// Moved is the share of children, tasks and leaves, that another worker began than the one that
	// had begun their phase; Joins that of phases that another worker ended. 0 to 1; nil: the trace
	// has no tasks.
	Moved *float64 `json:"moved"`
	Joins *float64 `json:"joins"`
	// InRow is the share of leaves, but for the first, that the worker of the leaf before began, in
	// the order of time, 0 to 1; nil: there are less than two. Workers of one speed take turns. Where
	// one is held up, the other's leaves follow each other, and their distances become shorter.
	InRow *float64 `json:"in_row"`
}

// A TraceBin is the share of the accesses in a bin of reuse distances, 0 to 1.
type TraceBin struct {
	Cold      bool    `json:"cold"` // the accesses without a distance
	FromBytes uint64  `json:"from_bytes"`
	A         float64 `json:"a"`
	B         float64 `json:"b"`
}

// AreTraces reports that two paths are to be compared by [OfTraces]: both have the header of a trace.
func AreTraces(a, b string) bool {
	_, first := loi.ReadHeader(a)
	_, second := loi.ReadHeader(b)
	return first == nil && second == nil
}

// OfTraces compares two traces of one program. Errors wrap [ErrTraces], or are those of reading.
func OfTraces(a, b string) (*TraceReport, error) {
	r := &TraceReport{A: TraceSide{Trace: a}, B: TraceSide{Trace: b}}
	var traces [2]*loi.Trace
	for i, side := range []*TraceSide{&r.A, &r.B} {
		t, err := loi.Open(side.Trace)
		if err != nil {
			return nil, err
		}
		defer t.Close()
		side.Workers, side.Substrate, traces[i] = len(t.Header.Workers), t.Header.Substrate, t
		if err := side.move(t); err != nil {
			return nil, fmt.Errorf("%s: %w", side.Trace, err)
		}
	}
	named := func(x, y loi.Kernel) bool { return x.Name == y.Name }
	if x, y := traces[0].Header.Registry.Kernels, traces[1].Header.Registry.Kernels; !slices.EqualFunc(x, y, named) {
		return nil, fmt.Errorf("%s, %s: %w: their kernels have different names", a, b, ErrTraces)
	}
	if err := r.order(traces); err != nil {
		return nil, err
	}
	if r.A.WorkNS > 0 && r.B.WorkNS > 0 && r.A.Substrate == r.B.Substrate {
		r.WTI = new(r.B.WorkNS / r.A.WorkNS)
		r.Overhead = new(r.B.perWork() / r.A.perWork())
	}
	return r, r.bins(traces)
}

func (s *TraceSide) perWork() float64 { return float64(s.Workers) * s.TimeNS / s.WorkNS }

// moves counts below a task.
type moves struct {
	worker                         int // which began the phase
	children, moved, phases, ended float64
}

func (s *TraceSide) move(t *loi.Trace) error {
	if !t.Tells(loi.EventTask) {
		return nil
	}
	count := func(differ bool) float64 {
		if differ {
			return 1
		}
		return 0
	}
	b := dag.New(&t.Header, dag.Fold[moves]{
		Begin: func(v *moves, t *dag.Task) { v.worker = t.Begin.Worker },
		Child: func(v *moves, t *dag.Task, c *dag.Child[moves]) {
			by := c.Piece.Worker
			if c.Task != nil {
				by = c.Task.Begin.Worker
				v.children, v.moved = v.children+c.Value.children, v.moved+c.Value.moved
				v.phases, v.ended = v.phases+c.Value.phases, v.ended+c.Value.ended
			}
			if t.ID != 0 {
				v.children, v.moved = v.children+1, v.moved+count(by != v.worker)
			}
		},
		Phase: func(v *moves, _ *dag.Task, after dag.Piece) {
			v.phases, v.ended = v.phases+1, v.ended+count(after.Worker != v.worker)
			v.worker = after.Worker
		},
	})
	for e, err := range t.Ordered(loi.Order{Events: true, NoKernels: true}) {
		if err != nil {
			return err
		}
		if err := b.Event(e); err != nil {
			return err
		}
	}
	v, err := b.End()
	if err == nil && v.children > 0 {
		s.Moved, s.Joins = new(v.moved/v.children), new(v.ended/v.phases)
	}
	return err
}

// leaves yields the leaves of a trace in the order of time, as words, and takes its time and work.
func (s *TraceSide) leaves(t *loi.Trace) iter.Seq2[string, error] {
	kernels := len(t.Header.Registry.Kernels) > 0
	return func(yield func(string, error) bool) {
		paths, first, last := map[uint32]string{0: ""}, int64(math.MaxInt64), int64(math.MinInt64)
		ns, before, inRow := 1e9/t.Header.Clock.Hz, -1, 0.0
		defer func() {
			s.TimeNS = float64(max(0, last-first)) * ns
			if s.Leaves > 1 {
				s.InRow = new(inRow / float64(s.Leaves-1))
			}
		}()
		for e, err := range t.Ordered(loi.Order{Events: true}) {
			if err != nil {
				yield("", err)
				return
			}
			first, last = min(first, e.Start), max(last, e.End)
			leaf := ""
			switch {
			case e.Type != loi.EventRecord:
				s.WorkNS += float64(e.End-e.Start) * ns
				leaf = t.Header.Registry.Kernels[e.Kernel].Name
				for _, a := range e.Accesses() {
					leaf += " " + t.Header.Registry.Place(&a)
				}
			case !kernels && e.Event == loi.EventTask:
				paths[e.Args[0]] = fmt.Sprintf("%s/%d:%d", paths[e.Args[1]], e.Args[2], e.Args[3])
			case !kernels && e.Event == loi.EventChild:
				leaf = fmt.Sprintf("%s/%d:%d", paths[e.Args[0]], e.Args[1], e.Args[2])
			}
			if leaf == "" {
				continue
			}
			if e.Worker == before {
				inRow++
			}
			before = e.Worker
			if s.Leaves++; !yield(leaf, nil) {
				return
			}
		}
	}
}

func (r *TraceReport) order(traces [2]*loi.Trace) error {
	nextB, stop := iter.Pull2(r.B.leaves(traces[1]))
	defer stop()
	same := 0.0
	differ := func(at uint64, a, b string) {
		if r.First == nil {
			r.First, r.LeafA, r.LeafB = &at, a, b
		}
	}
	for a, err := range r.A.leaves(traces[0]) {
		b, errB, _ := nextB()
		if err == nil {
			err = errB
		}
		if err != nil {
			return err
		}
		if a == b {
			same++
		} else {
			differ(r.A.Leaves-1, a, b)
		}
	}
	for b, err, ok := nextB(); ok; b, err, ok = nextB() {
		if err != nil {
			return err
		}
		differ(r.A.Leaves, "", b)
	}
	if most := max(r.A.Leaves, r.B.Leaves); most > 0 {
		r.Same = same / float64(most)
	}
	return nil
}

func (r *TraceReport) bins(traces [2]*loi.Trace) error {
	if !traces[0].Accesses() || !traces[1].Accesses() {
		return nil
	}
	r.distances = true
	var h [2]*krd.Report
	for i, t := range traces {
		var err error
		if h[i], err = krd.Analyze(t, krd.Options{}); err != nil {
			return err
		}
	}
	off := 0.0
	take := func(b TraceBin, x, y uint64) {
		b.A = float64(x) / float64(max(1, h[0].Accesses))
		b.B = float64(y) / float64(max(1, h[1].Accesses))
		if d := math.Abs(b.A - b.B); d > off {
			off, r.Bin = d, &b
		}
	}
	take(TraceBin{Cold: true}, h[0].Cold, h[1].Cold)
	for i := range max(len(h[0].Bins), len(h[1].Bins)) {
		var bin [2]krd.Bin
		for k := range h {
			if i < len(h[k].Bins) {
				bin[k] = h[k].Bins[i]
			}
		}
		take(TraceBin{FromBytes: max(bin[0].FromBytes, bin[1].FromBytes)}, bin[0].Count, bin[1].Count)
	}
	return nil
}

// View returns what people read: the order of leaves, then the table.
func (r *TraceReport) View() *doc.Doc {
	d := &doc.Doc{}
	switch {
	case r.First == nil:
		d.Say("leaves: equal, %d in the same order", r.A.Leaves)
	default:
		d.Say("leaves: from number %d on they differ, A %q, B %q; %.1f %% are at the same place", *r.First,
			r.LeafA, r.LeafB, 100*r.Same)
	}
	if b := r.Bin; b != nil {
		name := "from " + units.Bytes(b.FromBytes)
		if b.Cold {
			name = "cold"
		}
		d.Say("reuse distances: the bin %s differs most, A %.2f %%, B %.2f %% of the accesses", name,
			100*b.A, 100*b.B)
	} else if r.distances {
		d.Say("reuse distances: equal in each bin")
	}
	if r.WTI != nil {
		d.Say("B over A: work %.3f (WTI), N time / work %.3f (OVR where A is serial)", *r.WTI, *r.Overhead)
	}
	if r.A.Substrate != r.B.Substrate {
		d.Say("work and time are not compared: A is %s, B %s", r.A.Substrate, r.B.Substrate)
	}
	t := doc.NewTable(2, "", "trace", "workers", "leaves", "time, ms", "work, ms", "moved, %", "joins moved, %",
		"in a row, %")
	for i, s := range []*TraceSide{&r.A, &r.B} {
		share := func(x *float64, why string) any {
			if x == nil {
				return doc.Missing(why)
			}
			return fmt.Sprintf("%.2f", 100**x)
		}
		t.Row("AB"[i:i+1], s.Trace, s.Workers, s.Leaves, fmt.Sprintf("%.3f", s.TimeNS/1e6),
			fmt.Sprintf("%.3f", s.WorkNS/1e6), share(s.Moved, "the trace has no tasks"),
			share(s.Joins, "the trace has no tasks"), share(s.InRow, "there are less than two leaves"))
	}
	d.Add(t)
	return d
}
