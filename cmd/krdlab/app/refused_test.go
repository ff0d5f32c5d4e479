package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/loi"
)

// headers writes traces whose header alone can be read.
func headers(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	blocks := loi.Object{Name: "a", Blocks: []loi.SizeRun{{Count: 3, Bytes: 8}}}
	for name, h := range map[string]loi.Header{
		"blocks.loi": {Registry: loi.Registry{Objects: []loi.Object{blocks}}},
		"span.loi":   {Registry: loi.Registry{Objects: []loi.Object{{Name: "a", Kind: loi.Span}}}},
		"go.loi": {Registry: loi.Registry{Objects: []loi.Object{blocks}}, LLCBytes: 24,
			Meta: []loi.KV{loi.WorkersAreGoroutines}},
		"far.loi": {Registry: loi.Registry{Objects: []loi.Object{blocks}}, Nodes: 5,
			Workers: []loi.Worker{{CPU: 0, Node: 4}}},
		"two/a.loi": {Registry: loi.Registry{Objects: []loi.Object{blocks}}, LLCBytes: 24},
		"two/b.loi": {Registry: loi.Registry{Objects: []loi.Object{blocks}}, LLCBytes: 24},
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if name != "span.loi" {
			h.Registry.Kernels = []loi.Kernel{{Name: "k", Params: []loi.Param{{Mode: loi.In}}}}
		}
		h.Clock = loi.Clock{Source: hw.SourceTSC}
		if h.Workers == nil {
			h.Workers = []loi.Worker{{CPU: 0}}
		}
		h.Substrate, h.Grain = loi.Native, "kernel"
		w, err := loi.Create(name, h, loi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		clear(b[headerEnd(b):])
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := loi.Open(name); err == nil {
			t.Fatalf("%s can be read", name)
		}
	}
}

// headerEnd is where the header of a trace ends.
func headerEnd(b []byte) int { return 64 + int(b[16]) + int(b[17])<<8 }

// TestRefused holds that what flags and header tell is told before the rest of a trace is read.
func TestRefused(t *testing.T) {
	headers(t)
	for _, c := range []struct{ line, want string }{
		{"krd blocks.loi", "state 0x0"}, // what the others do not come to
		{"krd go.loi --by loop", "loops are not in traces"},
		{"krd go.loi --by field", "fields are not in traces"},
		{"krd blocks.loi --by loop --bins 1K-", "the trace is not of krdlab trace go"},
		{"krd blocks.loi --by kernel", "--by kernel needs --bins"},
		{"krd go.loi --by stack", "needs events of regions"},
		{"krd blocks.loi --node 7", "the nodes with workers in the trace are 0"},
		{"krd span.loi --engine scale-tree", "follows whole blocks"},
		{"krd span.loi --engine shards", "follows whole blocks"},
		{"krd go.loi --by kernel --plot x.svg", "nothing to draw"},
		{"krd go.loi --by stack --plot x.txt", "expected a file that ends in"},
		{"krd two --by stack --save-pprof x", "--save-pprof is of one trace"},
		{"krd blocks.loi --caches 1", "--caches"},
		{"krd span.loi --replay westmere-ex-4s", "has no registered blocks"},
		{"krd blocks.loi --replay westmere-ex-4s --cache-model lines", "by lines: it is not known where"},
		{"krd far.loi --replay westmere-ex-4s", "worker 0 is on node 4, and machine westmere-ex-4s has 4"},
		{"krd blocks.loi --csv=bin", "--csv bin: did you mean bins?"},
		{"krd blocks.loi --by stack --csv=bins", "there are paths"},
		{"krd blocks.loi --by kernel --bins 1K- --csv", "krd has no table as data"},
		{"graph blocks.loi --csv=edge", "there are graph, waits, path, begun, races"},
		{"activity blocks.loi --csv=x", "there are workers, nodes"},
		{"components blocks.loi --csv=x", "there are components, bins"},
		{"predict blocks.loi:1 blocks.loi:2 --at 4 --csv=x", "there are components, bins, misses"},
		{"dependences go.loi", "needs operations"},
		{"graph blocks.loi --burden 5us", "the rate of the trace's clock is not known"},
		{"graph two --plot x.svg", "--plot is of one trace"},
		{"regions two --html x.html", "--html is of one trace"},
		{"explore blocks.loi --exact", "--exact"},
		{"explore blocks.loi --depth 1,2", "--depth"},
		{"predict go.loi:1 go.loi --at 2", "expected a run and the size of its input"},
		{"predict go.loi:1 go.loi:2 --at 4 --llc 0", "--llc 0"},
		{"trace export go.loi --out go.loi", "it exists already"},
		{"trace compress go.loi --out go.loi", "it exists already"},
		{"trace recover go.loi --out go.loi", "it exists already"},
		{"view go.loi --out no/page.html", "no"},
		{"report two --out no/page.html", "there is no folder no"},
	} {
		var out, errs bytes.Buffer
		code := newApp(&out, &errs).main(append([]string{"krdlab"}, strings.Fields(c.line)...))
		if code == 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: exit code %d\n got %s\nwant %s", c.line, code, errs.String(), c.want)
		}
	}
}
