package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"krdlab/experiments"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/activity"
	"krdlab/krd/analysis/analyses"
	"krdlab/loi"
	"krdlab/loi/exports"
)

// runTraced makes a run directory of a small simulated run with traces, and returns its experiment.
func runTraced(t *testing.T, kernel string, grain request.TraceGrain, params map[string]any,
	cores int) *dataset.Experiment {
	t.Helper()
	k, ok := kernels.ByName(kernel)
	if !ok {
		t.Fatalf("no kernel %s", kernel)
	}
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	topo, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	c := request.New(k)
	c.Cores, c.Reps, c.Warmup = cores, 6, 0
	c.Schedulers, err = request.ParseSchedulers("workfirst,helpfirst,shepherd-socket")
	if err != nil {
		t.Fatal(err)
	}
	c.Machine, c.CacheModel, c.Grain = m, request.CacheBlocks, grain
	for name, v := range params {
		c.Params[name] = v
	}
	c.Out = filepath.Join(t.TempDir(), "run")
	if err := c.Validate(topo); err != nil {
		t.Fatal(err)
	}
	if _, err := experiments.Run(context.Background(), &c, []string{"krdlab", "run", kernel}, topo,
		nil, nil); err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Load(c.Out)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A lane is one worker as Perfetto shows it.
type lane struct {
	work, idle, kernels, tasks, idles, local, remote int64
	open                                             string // name of the slice that has begun
	since                                            int64
}

// timeline reads the packets of Perfetto's TraceProto as its trace processor does: names are
// interned, a slice ends on the track on which it began. The numbers of fields are those of
// Perfetto's trace_packet.proto, track_event.proto, track_descriptor.proto, interned_data.proto and
// debug_annotation.proto.
func timeline(t *testing.T, data []byte) map[uint64]*lane {
	t.Helper()
	lanes, events, annotations := map[uint64]*lane{}, map[uint64]string{}, map[uint64]string{}
	intern := func(into map[uint64]string, b []byte) {
		var id uint64
		fields(t, b, func(n protowire.Number, v uint64, bytes []byte) {
			switch n {
			case 1:
				id = v
			case 2:
				into[id] = string(bytes)
			}
		})
	}
	fields(t, data, func(n protowire.Number, _ uint64, packet []byte) {
		var at int64
		fields(t, packet, func(n protowire.Number, v uint64, b []byte) {
			switch n {
			case 8: // timestamp
				at = int64(v)
			case 12: // interned_data
				fields(t, b, func(n protowire.Number, _ uint64, b []byte) {
					switch n {
					case 2:
						intern(events, b)
					case 3:
						intern(annotations, b)
					}
				})
			case 60: // track_descriptor
				thread, uuid := false, uint64(0)
				fields(t, b, func(n protowire.Number, v uint64, _ []byte) {
					switch n {
					case 1:
						uuid = v
					case 4:
						thread = true
					}
				})
				if thread {
					lanes[uuid] = &lane{}
				}
			}
		})
		fields(t, packet, func(n protowire.Number, _ uint64, b []byte) {
			if n == 11 { // track_event
				happened(t, b, at, lanes, events, annotations)
			}
		})
	})
	return lanes
}

func happened(t *testing.T, event []byte, at int64, lanes map[uint64]*lane, events,
	annotations map[uint64]string) {
	var kind, track uint64
	var name string
	other, calls := false, 0
	fields(t, event, func(n protowire.Number, v uint64, b []byte) {
		switch n {
		case 9:
			kind = v
		case 10:
			name = events[v]
		case 11:
			track = v
		case 4: // debug_annotations
			what := ""
			fields(t, b, func(n protowire.Number, v uint64, _ []byte) {
				switch {
				case n == 1:
					what = annotations[v]
				case n == 2 && what == "other node":
					other = v == 1
				case n == 12 && what == "unstamped kernels":
					calls++
				}
			})
		}
	})
	l := lanes[track]
	if l == nil {
		return
	}
	switch {
	case kind == 1:
		if l.open != "" {
			t.Fatalf("a slice begins within another on track %d", track)
		}
		l.open, l.since = name, at
		l.kernels += int64(calls)
	case kind == 2 && l.open == "idle":
		l.idle += at - l.since
		l.idles++
		l.open = ""
	case kind == 2:
		if l.open != "task" {
			l.kernels++
		}
		l.work += at - l.since
		l.tasks++
		l.open = ""
	case kind == 3 && name == "steal" && other:
		l.remote++
	case kind == 3 && name == "steal":
		l.local++
	}
}

// fields calls f with each field of a message: numbers in v, anything else in b.
func fields(t *testing.T, message []byte, f func(n protowire.Number, v uint64, b []byte)) {
	t.Helper()
	for len(message) > 0 {
		n, wire, k := protowire.ConsumeTag(message)
		if k < 0 {
			t.Fatal(protowire.ParseError(k))
		}
		message = message[k:]
		var v uint64
		var b []byte
		switch wire {
		case protowire.VarintType:
			v, k = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			b, k = protowire.ConsumeBytes(message)
		default:
			k = protowire.ConsumeFieldValue(n, wire, message)
		}
		if k < 0 {
			t.Fatal(protowire.ParseError(k))
		}
		message = message[k:]
		f(n, v, b)
	}
}

// The page's table of workers and what Perfetto shows of the same trace agree: executions and
// steals exactly, times to the nanosecond that the export rounds each stamp to. Both agree with the
// result of the traced repetition, the first of a simulated run, whose work is of kernels alone.
func TestWorkersAgreeWithPerfetto(t *testing.T) {
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	price := int64(m.Costs.KernelPS / 1000)
	for _, c := range []struct {
		kernel string
		grain  request.TraceGrain
		params map[string]any
		cores  int
	}{
		{"matmul", request.GrainKernel, map[string]any{"n": 256}, 12},
		{"fmm", request.GrainTask, map[string]any{"bodies": 3000}, 8},
	} {
		e := runTraced(t, c.kernel, c.grain, c.params, c.cores)
		if len(e.Cells) != 3 {
			t.Fatalf("%d cells, expected 3", len(e.Cells))
		}
		_, page := parse(t, render(t, e))
		for i := range e.Cells {
			r := e.Cells[i].Result
			path := filepath.Join(e.Cells[i].Dir, r.Trace.Path)
			list, failed, err := analysed(path, r.Trace.TimeNS)
			if err != nil || failed != nil {
				t.Fatal(err, failed)
			}
			var rows []activity.Worker
			for _, r := range list {
				if d, ok := r.Document().(*activity.Document); ok {
					rows = d.Workers
				}
			}
			trace, err := loi.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := exports.Write(&out, trace, "perfetto", exports.Options{}); err != nil {
				t.Fatal(err)
			}
			trace.Close()
			lanes := timeline(t, out.Bytes())
			name := fmt.Sprintf("%s %s", c.kernel, r.Scheduler)
			if len(rows) != c.cores || len(lanes) != c.cores {
				t.Fatalf("%s: %d workers on the page, %d in Perfetto, expected %d", name, len(rows),
					len(lanes), c.cores)
			}
			var kernels, steals, unended int64
			for w, a := range rows {
				l := lanes[1+uint64(w)]
				if l.open == "idle" { // Perfetto draws what has no end until that of the trace
					l.idle += int64(r.Trace.TimeNS.Float()) - l.since
					l.idles++
					unended++
				}
				if a.Kernels != l.kernels || a.Steals.Local != l.local || a.Steals.Remote != l.remote ||
					a.Stamped != l.tasks || a.Idle.Searches != l.idles {
					t.Errorf("%s, worker %d: the page has %+v, Perfetto %+v", name, w, a, *l)
				}
				if d := a.WorkNS - l.work; max(d, -d) > a.Stamped+1 {
					t.Errorf("%s, worker %d: work %d ns, in Perfetto %d in %d slices", name, w,
						a.WorkNS, l.work, l.tasks)
				}
				if d := a.Idle.TimeNS - l.idle; max(d, -d) > a.Idle.Searches+1 {
					t.Errorf("%s, worker %d: idle %d ns, in Perfetto %d in %d slices", name, w,
						a.Idle.TimeNS, l.idle, l.idles)
				}
				worker := &r.Repetitions[0].Workers[w]
				if a.Kernels != *worker.Kernels || a.Steals.Local != *worker.StealsLocal ||
					a.Steals.Remote != *worker.StealsRemote || a.CPU != worker.CPU ||
					a.Node != worker.Node {
					t.Errorf(
						"%s, worker %d: the trace has %+v, the result %d kernels, %d and %d steals",
						name, w, a, *worker.Kernels, *worker.StealsLocal, *worker.StealsRemote)
				}
				var between int64 // a task's slice has the price beside each of its kernels
				if c.grain == request.GrainTask {
					between = a.Kernels * price
				}
				if d := a.WorkNS - between - *worker.WorkNS; max(d, -d) > a.Stamped+1 {
					t.Errorf("%s, worker %d: work %d ns, %d of it between kernels, in the result %d",
						name, w, a.WorkNS, between, *worker.WorkNS)
				}
				if d := a.Idle.TimeNS - *worker.IdleNS; max(d, -d) > a.Idle.Searches+1 {
					t.Errorf("%s, worker %d: idle %d ns, in the result %d", name, w, a.Idle.TimeNS,
						*worker.IdleNS)
				}
				kernels += a.Kernels
				steals += a.Steals.Local + a.Steals.Remote
				if line := fmt.Sprintf("| %d | %d | %d | %s | ", w, a.CPU, a.Node,
					count(a.Kernels)); !strings.Contains(page, line) {
					t.Errorf("%s: the page has no line that begins with %q", name, line)
				}
			}
			if kernels != *r.Repetitions[0].Kernels || steals == 0 || unended == 0 {
				t.Errorf("%s: %d kernels, %d steals, %d workers idle at the end; the result has "+
					"%d kernels", name, kernels, steals, unended, *r.Repetitions[0].Kernels)
			}
		}
	}
}

type broken struct{}

func (*broken) Begin(*analysis.Input) (analysis.Sink, error) { return nil, errors.New("no luck") }

// The causes of each scheduler's losses are found, and are the first figure, where it takes little
// to compute; where it takes long the command is named. An analysis that fails does not hide the
// results of others, and is reported.
func TestFailedAnalysis(t *testing.T) {
	e := runTraced(t, "matmul", request.GrainKernel, map[string]any{"n": 128}, 2)
	defer func(was []*analysis.Analysis) { analyses.Table = was }(analyses.Table)
	analyses.Table = append(slices.Clip(analyses.Table), &analysis.Analysis{Name: "broken",
		New: func() any { return &broken{} }})
	_, page := parse(t, render(t, e))
	for _, want := range []string{"broken: no luck", "What each worker did", "Figure 1. What the time is made of"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if found, _, _ := strings.Cut(page, "Can it be trusted?"); strings.Count(found, ": loses ") != 3 {
		t.Errorf("found is %s", found)
	}
	for i := range e.Cells {
		tasks := int64(1e6)
		e.Cells[i].Result.Repetitions[0].Tasks = &tasks
	}
	_, page = parse(t, render(t, e))
	if want := "loses its time to: krdlab why " + e.Dir; !strings.Contains(page, want) || strings.Contains(page, ": loses ") {
		t.Errorf("the page does not say %q", want)
	}
}

// A trace that cannot be read is said, and the page made all the same; one outside of the run
// directory is not read.
func TestBadTrace(t *testing.T) {
	e := runTraced(t, "matmul", request.GrainKernel, map[string]any{"n": 128}, 2)
	if err := os.Truncate(filepath.Join(e.Cells[0].Dir, e.Cells[0].Result.Trace.Path),
		100); err != nil {
		t.Fatal(err)
	}
	e.Cells[1].Result.Trace.Path = "../../secret.loi"
	_, page := parse(t, render(t, e))
	for _, want := range []string{"The trace cannot be read: ",
		`"../../secret.loi" leads out of the run directory`, "| 0 | 0 | 0 | "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
