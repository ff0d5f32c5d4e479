package figures

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/test/datasettest"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// mostBytes is the largest size of a figure of traces in any format.
const mostBytes = 300_000

// Figures of traces in which nothing is regular stay small: 24 workers that do something else all the
// time, with 16384 blocks.
func TestSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	e, dir := datasettest.Small(), t.TempDir()
	h := loi.Header{Clock: loi.Clock{Source: "tsc", Hz: 1e9}, Substrate: loi.Native, Grain: "kernel",
		L2Bytes: 1 << 14, LLCBytes: 1 << 17, Registry: loi.Registry{Objects: []loi.Object{{Name: "x",
			Blocks: []loi.SizeRun{{Count: 16384, Bytes: 64}}}}, Kernels: []loi.Kernel{{Name: "k"}}}}
	for w := range 24 {
		h.Workers = append(h.Workers, loi.Worker{CPU: w, Node: w / 6})
	}
	for i := range e.Cells {
		c := &e.Cells[i]
		if c.Result.Cores != 24 {
			continue
		}
		c.Dir, c.Result.Trace = dir, &result.Trace{Path: c.ID + c.Result.Scheduler + ".loi"}
		c.Result.Settings.Trace = request.TraceFull
		w, err := loi.Create(filepath.Join(dir, c.Result.Trace.Path), h, loi.Options{NoBackground: true})
		if err != nil {
			t.Fatal(err)
		}
		clock := make([]uint64, 24)
		for k := range 40000 {
			of := k % 24
			from := clock[of] + r.Uint64N(4000)
			clock[of] = from + r.Uint64N(8000)
			if r.IntN(8) == 0 {
				w.Recorder(of).Event(loi.EventIdle, from)
				w.Recorder(of).Event(loi.EventBusy, clock[of])
				continue
			}
			block := r.Uint64N(1 << r.IntN(15))
			w.Recorder(of).Accesses(0, 0, from, clock[of], []loi.Access{{Block: block, Mode: loi.InOut}})
		}
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	list, _ := Of(&e.Groups()[0], []string{mapID, timelineID, arcsID})
	if len(list) != 3 || len(list[0].Panels) < 3 {
		t.Fatalf("%d figures", len(list))
	}
	for _, f := range list {
		for _, format := range plot.Formats {
			var out bytes.Buffer
			if err := f.Write(&out, format); err != nil {
				t.Fatal(err)
			}
			if out.Len() > mostBytes || out.Len() < 500 {
				t.Errorf("%s as %s: %d bytes, expected at most %d", f.ID, format, out.Len(), mostBytes)
			}
			t.Logf("%s as %s: %d bytes", f.ID, format, out.Len())
		}
	}
}
