package measure

import (
	"errors"
	"fmt"
	"os"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/krd"
	"krdlab/loi"
)

// traceFile is the trace of one repetition while it is written.
type traceFile struct {
	*loi.Writer
	name, path string
	workers    int
	stats      loi.Stats
}

// createTrace opens the trace of a repetition. Goroutines have a recorder for each CPU instead
// of each worker.
func (n *native) createTrace(s *schedule, rep int) (*traceFile, error) {
	m := n.topo.Machine()
	h := loi.Header{
		Registry: n.registry,
		Clock:    loi.Clock{Source: n.clock.Source, Hz: n.clock.Hz, Invariant: n.clock.Invariant},
		L2Bytes:  uint64(m.L2Bytes),
		LLCBytes: uint64(m.LLCBytes),
		L2Known:  string(m.CachesKnown.L2), LLCKnown: string(m.CachesKnown.LLC),
		Substrate: loi.Native,
		Synthetic: n.asked.Topology != "",
		Grain:     string(n.asked.Grain),
		Kernel:    n.kernel.Name, Scheduler: s.Measured.Scheduler,
		Params: request.ParamList(n.kernel, n.params), Cores: s.Workers,
		Seed: n.seed, Machine: m.Name, Unordered: s.Unordered,
	}
	if s.ThreadsOnly() {
		for cpu := range n.recordersOf(&s.Scheduler) {
			h.Workers = append(h.Workers, loi.Worker{CPU: cpu, Node: max(0, n.topo.NodeOf(cpu)),
				TSCOffset: n.offsets[cpu]})
		}
	} else {
		for i := range s.Workers {
			cpu := n.place.CPUs[i]
			h.Workers = append(h.Workers, loi.Worker{CPU: cpu, Node: n.nodes[i],
				TSCOffset: n.offsets[cpu]})
		}
	}
	f := &traceFile{name: n.traceName(s, rep), workers: len(h.Workers)}
	f.path = n.dir.Path(f.name)
	w, err := loi.Create(f.path, h, n.options(len(h.Workers)))
	if err != nil {
		return nil, err
	}
	f.Writer = w
	return f, nil
}

// traceName returns the file of the trace of a repetition.
func (n *native) traceName(s *schedule, rep int) string {
	if n.asked.Trace.Each() {
		return result.TraceFile(fmt.Sprintf("%s.%d", s.Measured.Scheduler, rep+1))
	}
	return result.TraceFile(s.Measured.Scheduler)
}

func (f *traceFile) recorders() []*loi.Recorder {
	list := make([]*loi.Recorder, f.workers)
	for i := range list {
		list[i] = f.Recorder(i)
	}
	return list
}

func (f *traceFile) close() (err error) {
	f.stats, err = f.Close()
	return err
}

func sum(list []uint64) (n int64) {
	for _, v := range list {
		n += int64(v)
	}
	return n
}

// analyse computes the KRD of a trace, and records the cost of tracing. Of several repetitions that
// are traced, the latest without losses counts.
func (n *native) analyse(s *schedule, f *traceFile, r *result.Repetition) error {
	lost := sum(f.stats.Discarded)
	if lost > 0 {
		s.Measured.NoRoom = f.stats.Full
		s.Measured.Warnings = append(s.Measured.Warnings, result.Warn(result.TraceLost, f.name,
			lost, lost+sum(f.stats.Records), noRoom(f.stats.Full)))
	}
	if n.asked.Trace == request.TraceKRD {
		defer os.Remove(f.path)
	}
	if s.KRD != nil && lost > 0 {
		return nil
	}
	s.Trace = &result.Trace{
		Path: f.name, Records: sum(f.stats.Records), Discarded: lost,
		OverheadNS: n.cost.traceNS, ProfileNS: n.cost.profileNS,
		TimeNS: result.Some(float64(r.TimeNS)),
	}
	if !n.asked.Trace.Each() {
		median := result.MedianTime(s.Repetitions).Float()
		s.Trace.SlowdownOverMedian = result.Some(float64(r.TimeNS) / median)
	}
	if !n.kernel.Work {
		return nil // no kernels, and no KRD
	}
	t, err := loi.Open(f.path)
	if err != nil {
		return err
	}
	defer func() {
		if !n.left {
			t.Close()
		}
	}()
	report, err := await(n.ctx, &n.left, func() (*krd.Report, error) {
		return krd.Analyze(t, n.asked.Reuse.Options())
	})
	if errors.Is(err, loi.ErrLoss) {
		n.notReplayed(s.Measured, "the trace lost records")
		return nil // no KRD: Trace.Discarded has the count
	}
	if err != nil {
		return err
	}
	s.KRD = report
	r.SetKRD(report)
	n.replay(s, t, r)
	if n.asked.Trace == request.TraceKRD {
		s.Trace.Path = ""
	}
	return nil
}

// noRoom returns why a trace got no more room.
func noRoom(err error) string {
	if err == nil {
		return "for a reason that is not known"
	}
	return err.Error()
}
