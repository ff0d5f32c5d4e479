package reuse

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"krdlab/hw/failure"
	"krdlab/krd/analysis"
	"krdlab/krd/causes"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// pathTrace is of one worker: main calls factor, whose loop accesses 4 data of 16 KiB thrice and
// calls itself, and dot, which accesses one datum 10 times; the kernel init is in no region.
func pathTrace(t *testing.T, regions bool) *loi.Trace {
	h := loi.Header{Substrate: loi.Native, Nodes: 1, Workers: []loi.Worker{{}}, LLCBytes: 1 << 20}
	h.Registry = loi.Registry{Objects: []loi.Object{{Name: "data", Kind: loi.Keyed}},
		Kernels: []loi.Kernel{{Name: "init"}, {Name: "main.factor"}, {Name: "axpy"}},
		Regions: []loi.Region{{Name: "main.main", Kind: loi.Function, Parent: loi.NoRegion},
			{Name: "main.factor", Kind: loi.Function, Parent: loi.NoRegion},
			{Name: "main.factor:12", Kind: loi.Loop, Parent: 1},
			{Name: "main.dot", Kind: loi.Function, Parent: loi.NoRegion}}}
	w, err := loi.NewMemory(h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	r, at := w.Recorder(0), uint64(0)
	kernel := func(k loi.KernelID, keys ...uint64) {
		for _, key := range keys {
			at += 2
			r.Accesses(k, 0, at, at+1, []loi.Access{{Mode: loi.In, Block: key, Bytes: 16 << 10}})
		}
	}
	in := func(id loi.RegionID, do func()) {
		at++
		n := r.BeginRegion(at, id, 0)
		do()
		at++
		r.EndRegion(at, n)
	}
	if !regions {
		in = func(_ loi.RegionID, do func()) { do() }
	}
	kernel(0, 1, 2, 3, 4, 5)
	in(0, func() {
		in(1, func() {
			in(2, func() {
				kernel(1, 1, 2, 3, 4)
				in(1, func() { in(2, func() { kernel(1, 1, 2, 3, 4, 1, 2, 3, 4) }) })
			})
		})
		in(3, func() { kernel(2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5) })
	})
	trace, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// ranked looks at the trace by stack, with options that are set.
func ranked(t *testing.T, trace *loi.Trace, set func(*Options)) (analysis.Result, error) {
	o := Analysis.New().(*Options)
	o.By, o.Bins = "stack", "32K-"
	set(o)
	list, err := analysis.Run(t.Context(), trace, []analysis.Asked{{Analysis: Analysis, Options: o}},
		analysis.Options{})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

func TestByStack(t *testing.T) {
	r, err := ranked(t, pathTrace(t, true), func(*Options) {})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.View().Text(doc.NewPage(&b, 100)); err != nil {
		t.Fatal(err)
	}
	const want = `distances of at least 32 KiB, cold accesses included: 18 of 27 accesses (66.67 %)
stack                        in the range    share  all its own  of its own  cold
---------------------------------------------------------------------------------
main.main > main.factor:12             12  66.67 %           12    100.00 %     0
init                                    5  27.78 %            5    100.00 %     5
main.main > main.dot > axpy             1   5.56 %           10     10.00 %     0
warning: the trace names no L2 size: close and near are unknown
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestPprof: the profile read back has the values of the paths, and go tool pprof opens it.
func TestPprof(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.pb.gz")
	r, err := ranked(t, pathTrace(t, true), func(o *Options) { o.SavePprof = file })
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	flag, name, write := r.(analysis.Saved).Save()
	if err := write(&b); err != nil || flag != "save-pprof" || name != file {
		t.Fatal(flag, name, err)
	}
	p, err := profile.ParseData(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Sample {
		var frames []string
		for _, l := range s.Location {
			x := l.Line[0]
			frames = append(frames, fmt.Sprintf("%s %s:%d", x.Function.Name, x.Function.Filename,
				x.Line))
		}
		got = append(got, fmt.Sprint(strings.Join(frames, " < "), s.Value))
	}
	want := []string{"main.factor:12 :12 < main.factor :0 < main.main :0" +
		"[12 0 12 196608]", "init :0[5 5 5 81920]",
		"axpy :0 < main.dot :0 < main.main :0[1 0 10 16384]"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ flag, want string }{
		{"-top", "12 66.67% 66.67%         12 66.67%  main.factor:12"},
		{"-raw", "in_range/count[dflt] cold/count accesses/count bytes_in_range/bytes"}} {
		out, err := exec.Command(goTool, "tool", "pprof", c.flag, file).CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("go tool pprof %s: %v, expected %q in\n%s", c.flag, err, c.want, out)
		}
	}
}

func TestByStackRefused(t *testing.T) {
	_, err := ranked(t, pathTrace(t, false), func(*Options) {})
	if failure.Of(err) != failure.Capability || !strings.Contains(fmt.Sprint(err),
		"krdlab run --trace full,regions") || !strings.Contains(fmt.Sprint(err),
		"krdlab trace go --regions") {
		t.Errorf("without regions: %v", err)
	}
	for _, set := range []func(*Options){func(o *Options) { o.Coherence = true },
		func(o *Options) { o.Engine = "shards" },
		func(o *Options) { o.By, o.SavePprof = "kernel", "p" },
		func(o *Options) { o.Bins = "32K" }} {
		if _, err := ranked(t, pathTrace(t, true), set); failure.Of(err) != failure.Request {
			t.Errorf("%v", err)
		}
	}
	r, err := ranked(t, pathTrace(t, true), func(o *Options) { o.Bins = "1G-2G" })
	if _, drawn := r.(analysis.Drawn); err != nil || drawn {
		t.Errorf("%v; an empty range has a picture: %v", err, drawn)
	}
}

func TestInShort(t *testing.T) {
	long := "main.(*Solver[float64]).relaxAllOfTheGridOnceMore"
	for _, c := range []struct {
		frames []string
		want   string
	}{
		{[]string{"f", "g"}, "f > g"},
		{[]string{"f", "f:1", "f:2", "g", "f:3", "f", "f:4"}, "f:1:2 > g > f:3 > f:4"},
		{[]string{"f", "rows", "f:1"}, "f > rows > f:1"},
		{[]string{"f", "rows", "k"}, "f > rows > k"},
		{[]string{long}, "main.(*Solver[float6…AllOfTheGridOnceMore"},
		{[]string{"main.main", long}, "main.main > main.(*Solver[…heGridOnceMore"},
		{[]string{"main.main", "main.a", "main.b", "main.c", "main.d", "main.e"},
			"main.main > ... > main.d > main.e"},
		{[]string{"main.main", "main.a", long, long}, "main.main > ... > main.(*Solv…ridOnceMore"},
	} {
		var frames []causes.Frame
		for _, name := range c.frames {
			kind := "function"
			switch {
			case name == "k":
				kind = "kernel"
			case strings.Contains(name, ":") || name == "rows":
				kind = "loop"
			}
			frames = append(frames, causes.Frame{Name: name, Kind: kind})
		}
		if got := inShort(shown(frames), pathWidth); got != c.want || len([]rune(got)) > pathWidth {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}
