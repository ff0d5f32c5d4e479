package exports

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"krdlab/loi"
	"krdlab/loi/imports"
)

// told lists the executions of a trace with accesses, by worker: times, kernel, and names in place
// of numbers.
func told(t testing.TB, tr *loi.Trace) [][]string {
	var all [][]string
	reg := &tr.Header.Registry
	for i := range tr.Header.Workers {
		var list []string
		c := tr.Cursor(i)
		for c.Next() {
			r := c.Record()
			line := fmt.Sprintf("%d-%d %s", r.Start, r.End, reg.Kernels[r.Kernel].Name)
			accesses := c.AppendAccesses(nil)
			for _, a := range accesses {
				kind := "block"
				if reg.Objects[a.Object].Kind == loi.Span {
					kind = "offset"
				}
				line += fmt.Sprintf(" %q[%s %d]:%d:%v", reg.Objects[a.Object].Name, kind, a.Block,
					a.Bytes, a.Mode)
				if a.Rows > 1 {
					line += fmt.Sprintf(" x %d every %d", a.Rows, a.Stride)
				}
			}
			if len(accesses) > 0 {
				list = append(list, line)
			}
		}
		if c.Err() != nil {
			t.Fatal(c.Err())
		}
		all = append(all, list)
	}
	return all
}

// TestRoundTrip exports traces with all shapes and imports them again: times, kernels, objects and
// accesses are the same. The times of the executions of a worker differ, since the importer takes
// what has the same ones for one execution.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		objects := rapid.SampledFrom([][]loi.Object{{part}, {keys}, {span}, {part, span},
			{{Name: "a, \"b\"\n", Kind: loi.Keyed}, span, part}}).Draw(rt, "objects")
		h := loi.Header{
			Registry: loi.Registry{Objects: objects, Kernels: []loi.Kernel{{Name: "k"},
				{Name: " quoted,"}}},
			Nodes: 2, Substrate: loi.Native, Workers: []loi.Worker{{CPU: -1, Node: 0},
				{CPU: -1, Node: 1}, {CPU: -1, Node: 0}},
		}
		path := filepath.Join(dir, "x.loi")
		w, err := loi.Create(path, h, loi.Options{Unmapped: true})
		if err != nil {
			rt.Fatal(err)
		}
		mode := rapid.SampledFrom([]loi.Mode{loi.In, loi.Out, loi.InOut})
		access := rapid.Custom(func(rt *rapid.T) loi.Access {
			a := loi.Access{Object: loi.ObjectID(rapid.IntRange(0, len(objects)-1).Draw(rt,
				"object")), Mode: mode.Draw(rt, "mode")}
			switch objects[a.Object].Kind {
			case loi.Partition:
				a.Block = rapid.Uint64Range(0, 1).Draw(rt, "block")
				a.Bytes = 64
			case loi.Keyed:
				a.Block = rapid.Uint64().Draw(rt, "key")
				a.Bytes = a.Block%1000 + 1
			case loi.Span:
				a.Block = rapid.Uint64Range(0, 1<<61).Draw(rt, "offset")
				a.Bytes = rapid.Uint64Range(1, 1<<40).Draw(rt, "bytes")
				if rapid.Bool().Draw(rt, "2d") {
					a.Rows, a.Stride = rapid.Uint32Range(2, 1000).Draw(rt, "rows"),
						a.Bytes+rapid.Uint64Range(0, 1<<40).Draw(rt, "gap")
				}
			}
			return a
		})
		for i := range h.Workers {
			at := uint64(0)
			for range rapid.IntRange(1, 5).Draw(rt, "executions") {
				at += rapid.Uint64Range(1, 1<<50).Draw(rt, "time")
				w.Recorder(i).Accesses(loi.KernelID(rapid.IntRange(0, 1).Draw(rt, "kernel")), 0, at,
					at+rapid.Uint64Range(0, 1<<33).Draw(rt, "duration"),
					rapid.SliceOfN(access, 1, 4).Draw(rt, "accesses"))
			}
		}
		if _, err := w.Close(); err != nil {
			rt.Fatal(err)
		}
		before, err := loi.Open(path)
		if err != nil {
			rt.Fatal(err)
		}
		for _, format := range []string{"csv", "parquet"} {
			table := filepath.Join(dir, "x."+format)
			f, err := os.Create(table)
			if err != nil {
				rt.Fatal(err)
			}
			if err := Write(f, before, format, Options{}); err != nil {
				rt.Fatal(err)
			}
			f.Close()
			out := filepath.Join(dir, format+".loi")
			if _, err := imports.Import(context.Background(), imports.Source{Path: table}, out,
				imports.Options{Nodes: nodes(&h)}); err != nil {
				rt.Fatal(err)
			}
			after, err := loi.Open(out)
			if err != nil {
				rt.Fatal(err)
			}
			want, got := told(t, before), told(t, after)
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					rt.Errorf("%s: worker %d has\n%s\nexpected\n%s", format, i,
						strconv.Quote(fmt.Sprintf("%v", got[i])), strconv.Quote(fmt.Sprintf("%v", want[i])))
				}
				if after.Header.Workers[i].Node != h.Workers[i].Node {
					rt.Errorf("%s: worker %d is on node %d", format, i,
						after.Header.Workers[i].Node)
				}
			}
		}
	})
}
