package regions

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"krdlab/krd/analysis"
	"krdlab/krd/analysis/loops"
	"krdlab/krd/analysis/shadow"
	"krdlab/loi"
)

// A did is an act of a program's thread: it begins a region, ends one, or accesses memory.
type did struct {
	worker int
	region int // of enter: its number in the source, from 1
	number uint32
	leave  bool
	place  uint64
	bytes  uint32
	mode   loi.Mode
}

// source is a program of functions and loops for tests.
func source() []loi.Region {
	return []loi.Region{{Name: "main", Kind: loi.Function, Parent: loi.NoRegion},
		{Name: "f", Kind: loi.Function, Parent: loi.NoRegion},
		{Name: "f:3", Kind: loi.Loop, Parent: 1},
		{Name: "f:3, iteration", Kind: loi.Iteration, Parent: 2},
		{Name: "g", Kind: loi.Function, Parent: loi.NoRegion},
		{Name: "g:7", Kind: loi.Loop, Parent: 4}}
}

func options() *Options { return Analysis.New().(*Options) }

// direct gives a program to the analysis as it runs.
func direct(t interface{ Fatal(...any) }, opt *Options, program []did) *Document {
	h := &loi.Header{Registry: loi.Registry{Regions: source()}}
	l, err := opt.Live(&analysis.Input{Header: h})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range program {
		switch {
		case d.leave:
			err = l.Leave(d.worker, d.number)
		case d.region > 0:
			err = l.Enter(d.worker, loi.RegionID(d.region-1), d.number)
		default:
			err = l.Accesses(d.worker, []uint64{d.place}, []uint32{d.bytes}, []loi.Mode{d.mode})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := l.End()
	if err != nil {
		t.Fatal(err)
	}
	return r.(*Document)
}

// written gives it a trace of a program.
func written(t *testing.T, opt *Options, program []did, threads int, unit ...loi.KV) *Document {
	path := filepath.Join(t.TempDir(), "trace.loi")
	b, err := loi.NewBuilder(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	object, err := b.Object("data", loi.Keyed)
	check(err)
	kernel, err := b.Kernel("code")
	check(err)
	for _, r := range source() {
		_, err := b.Region(r)
		check(err)
	}
	for i, d := range program {
		at := uint64(10 * i)
		switch {
		case d.leave:
			check(b.Event(d.worker, loi.EventRegionEnd, at, d.number))
		case d.region > 0:
			check(b.Event(d.worker, loi.EventRegion, at, uint32(d.region-1), d.number, 0))
		default:
			check(b.Access(d.worker, kernel, at, loi.Access{Object: object, Mode: d.mode,
				Block: d.place | uint64(d.bytes)<<56, Bytes: uint64(d.bytes)})) // as a Go program's key
		}
	}
	h := loi.Header{Substrate: loi.Native, Clock: loi.Clock{Source: "tsc", Hz: 1e9}, Nodes: 1,
		Grain: "kernel", Meta: unit}
	if unit == nil {
		h.Meta = []loi.KV{{Key: loi.UnitKey, Value: loi.UnitDatum}, loi.WorkersAreGoroutines}
	}
	for range threads {
		h.Workers = append(h.Workers, loi.Worker{CPU: -1})
	}
	check(b.Close(h))
	tr, err := loi.Open(path)
	check(err)
	defer tr.Close()
	list, err := analysis.Run(t.Context(), tr, []analysis.Asked{{Analysis: Analysis, Options: opt}},
		analysis.Options{})
	check(err)
	return list[0].(*Document)
}

// A row holds the counts of a region, by its path.
type row struct {
	instances, work, bytes, most, lines, reads, writes, first uint64
}

// naive keeps sets of what each open region touches.
func naive(opt *Options, program []did) (map[string]row, uint64) {
	type open struct {
		number uint32
		region int
		counts bool
		path   string
		work   uint64
		sets   [lanes]map[uint64]bool
		first  uint64
	}
	rows, threads, all := map[string]row{}, map[int][]*open{}, map[uint64]bool{}
	names := source()
	end := func(x *open) {
		if !x.counts {
			return
		}
		r := rows[x.path]
		r.instances++
		r.work += x.work
		n := uint64(len(x.sets[laneData]))
		r.bytes, r.most = r.bytes+n*opt.Datum, max(r.most, n*opt.Datum)
		r.lines += uint64(len(x.sets[laneLines]))
		r.reads += uint64(len(x.sets[laneReads])) * opt.Datum
		r.writes += uint64(len(x.sets[laneWrites])) * opt.Datum
		r.first += x.first * opt.Datum
		rows[x.path] = r
	}
	for _, d := range program {
		list := threads[d.worker]
		switch {
		case d.leave:
			i := slices.IndexFunc(list, func(x *open) bool { return x.number == d.number })
			if i < 0 {
				continue
			}
			for _, x := range list[i:] {
				end(x)
			}
			threads[d.worker] = list[:i]
		case d.region > 0:
			x := &open{number: d.number, region: d.region}
			x.counts = opt.Iterations || names[d.region-1].Kind != loi.Iteration
			for _, o := range list {
				x.counts = x.counts && !(o.counts && o.region == d.region)
				if o.counts {
					x.path = o.path + ";"
				}
			}
			x.path += names[d.region-1].Name
			for i := range x.sets {
				x.sets[i] = map[uint64]bool{}
			}
			threads[d.worker] = append(list, x)
		default:
			var within []*open
			for _, x := range list {
				if x.counts {
					within = append(within, x)
				}
			}
			for _, x := range within {
				x.work++
			}
			for b := d.place; b < d.place+uint64(d.bytes); b++ {
				datum := b / opt.Datum
				if len(within) > 0 {
					all[datum] = true
					if !within[0].sets[laneData][datum] {
						for _, x := range within {
							x.first++
						}
					}
				}
				for _, x := range within {
					x.sets[laneData][datum], x.sets[laneLines][b/lineBytes] = true, true
					if d.mode&loi.In != 0 {
						x.sets[laneReads][datum] = true
					}
					if d.mode&loi.Out != 0 {
						x.sets[laneWrites][datum] = true
					}
				}
			}
		}
	}
	for _, list := range threads {
		for _, x := range list {
			end(x)
		}
	}
	return rows, uint64(len(all)) * opt.Datum
}

// rowsOf returns the rows of a document.
func rowsOf(d *Document) map[string]row {
	rows := map[string]row{}
	for _, r := range d.Regions {
		sum := func(mean *float64) uint64 { return uint64(*mean*float64(r.Instances) + 0.5) }
		x := row{instances: r.Instances, work: r.Work, bytes: sum(r.FootprintBytes),
			most: *r.FootprintBytesMax, lines: sum(r.FootprintLines), reads: sum(r.ReadBytes),
			writes: sum(r.WrittenBytes)}
		if r.FirstTouchShare != nil {
			x.first = uint64(*r.FirstTouchShare*float64(x.bytes) + 0.5)
		}
		rows[strings.Join(r.Path, ";")] = x
	}
	return rows
}

// random draws a program of some threads.
func random(t *rapid.T, threads int) (program []did) {
	open := make([][]uint32, threads)
	number := uint32(0)
	for range rapid.IntRange(1, 120).Draw(t, "steps") {
		d := did{worker: rapid.IntRange(0, threads-1).Draw(t, "worker")}
		list := &open[d.worker]
		switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
		case step < 3:
			number++
			d.region, d.number = rapid.IntRange(1, len(source())).Draw(t, "region"), number
			*list = append(*list, number)
		case step < 5 && len(*list) > 0:
			i := rapid.IntRange(max(0, len(*list)-2), len(*list)-1).Draw(t, "end")
			d.leave, d.number = true, (*list)[i]
			*list = (*list)[:i]
		default:
			d.place = rapid.Uint64Range(64, 1024).Draw(t, "place")
			d.bytes = rapid.Uint32Range(1, 32).Draw(t, "bytes")
			d.mode = loi.Mode(rapid.IntRange(1, 3).Draw(t, "mode"))
		}
		program = append(program, d)
	}
	return program
}

// TestRandom compares the analysis of random programs, while they run and by their traces, in each
// kind of shadow memory, with sets of what each region touches.
func TestRandom(t *testing.T) {
	folded := false
	rapid.Check(t, func(rt *rapid.T) {
		threads := rapid.IntRange(1, 3).Draw(rt, "threads")
		program := random(rt, threads)
		var documents []string
		for _, o := range []Options{{Validation: "bulk"}, {Validation: "slim"}, {Validation: "baseline"},
			{Validation: "bulk", Compress: true}} {
			opt := options()
			opt.Validation, opt.Compress = o.Validation, o.Compress
			opt.Datum, opt.Table = 4, 1024
			opt.Iterations = len(program)%2 == 0
			want, all := naive(opt, program)
			d := direct(rt, opt, program)
			if got := rowsOf(d); !reflect.DeepEqual(got, want) {
				rt.Fatalf("%+v:\n%v\nexpected\n%v", o, got, want)
			}
			if *d.Program.FootprintBytes != all {
				rt.Fatalf("all touch %d bytes, expected %d", *d.Program.FootprintBytes, all)
			}
			text, err := json.Marshal(d)
			if err != nil {
				rt.Fatal(err)
			}
			documents = append(documents, string(text))
			entered := 0
			for _, p := range program {
				if p.region > 0 {
					entered++
				}
			}
			if len(program)%10 == 0 && entered > 0 {
				if w := written(t, opt, program, threads); !reflect.DeepEqual(rowsOf(w), want) {
					rt.Fatalf("of the trace, %+v:\n%v\nexpected\n%v", o, rowsOf(w), want)
				}
			}
			sum := 0
			for _, r := range want {
				sum += int(r.instances)
			}
			folded = folded || opt.Iterations && sum < entered
		}
		for _, text := range documents[1:] {
			if text != documents[0] {
				rt.Fatalf("documents differ:\n%s\n%s", text, documents[0])
			}
		}
	})
	if !folded {
		t.Error("no program had a recursion")
	}
}

// TestLoop checks that loops give the same as their accesses.
func TestLoop(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		times := rapid.Uint64Range(1, 50).Draw(rt, "times")
		var strided []analysis.Strided
		for range rapid.IntRange(1, 4).Draw(rt, "accesses") {
			strided = append(strided, analysis.Strided{Place: 1 << 20,
				Step:  rapid.SampledFrom([]int64{0, 1, 4, 8, 12, 16, 64, 100, -4, -8, -72}).Draw(rt, "step"),
				Bytes: rapid.SampledFrom([]uint32{1, 4, 8, 16}).Draw(rt, "bytes"),
				Mode:  loi.Mode(rapid.IntRange(1, 3).Draw(rt, "mode"))})
		}
		opt := options()
		opt.Datum = rapid.SampledFrom([]uint64{1, 8, 16}).Draw(rt, "datum")
		p := newProgram(opt, &loi.Header{Registry: loi.Registry{Regions: source()}}, true, true)
		program := []did{{region: 1, number: 1}}
		for i := range times {
			for _, a := range strided {
				program = append(program, did{place: a.Place + i*uint64(a.Step), bytes: a.Bytes, mode: a.Mode})
			}
		}
		if err := p.Enter(0, 0, 1); err != nil {
			rt.Fatal(err)
		}
		if err := p.Loop(0, times, strided); err != nil {
			rt.Fatal(err)
		}
		p.ended(0)
		want, _ := naive(opt, program)
		if got := rowsOf(p.document(&analysis.Input{}, unitAccesses)); !reflect.DeepEqual(got, want) {
			rt.Fatalf("%v, expected %v", got, want)
		}
	})
}

// TestFigure1 is the paper's example: main calls foo and bar, which has a loop and calls foo. Data
// touched in the loop count in bar and main, and in no foo; the two foos are regions of their own.
func TestFigure1(t *testing.T) {
	const main, foo, bar, loop = 1, 2, 5, 6 // of source: f is foo, g is bar
	program := []did{{region: main, number: 1},
		{region: foo, number: 2}, {place: 64, bytes: 8, mode: loi.In}, {leave: true, number: 2},
		{region: bar, number: 3}, {region: loop, number: 4}}
	for range 10 {
		program = append(program, did{place: 128, bytes: 8, mode: loi.InOut})
	}
	program = append(program, did{leave: true, number: 4}, did{region: foo, number: 5},
		did{place: 64, bytes: 8, mode: loi.In}, did{leave: true, number: 5},
		did{leave: true, number: 3}, did{leave: true, number: 1})
	d := direct(t, options(), program)
	var got []string
	for _, r := range d.Regions {
		got = append(got, fmt.Sprintf("%s: %d, %g bytes, %g written", strings.Join(r.Path, " > "),
			r.Work, *r.FootprintBytes, *r.WrittenBytes))
	}
	want := []string{"main: 12, 16 bytes, 8 written", "main > g: 11, 16 bytes, 8 written",
		"main > g > g:7: 10, 8 bytes, 8 written", "main > g > f: 1, 8 bytes, 0 written",
		"main > f: 1, 8 bytes, 0 written"}
	if !slices.Equal(got, want) {
		t.Errorf("regions:\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// the second foo is the first to touch in itself, and in bar, but not in main
	for _, r := range d.Regions {
		if share := *r.FirstTouchShare; len(r.Path) == 3 && r.Path[2] == "f" && share != 0 {
			t.Errorf("first-touch share %g of %v", share, r.Path)
		}
	}
}

// TestUnits reads blocks of a program that is none in Go: each is a datum, with its own size.
func TestUnits(t *testing.T) {
	block := func(n uint64, bytes uint32, mode loi.Mode) did {
		return did{place: n, bytes: bytes, mode: mode}
	}
	program := []did{{region: 1, number: 1}, block(1, 100, loi.In), block(2, 64, loi.Out),
		{region: 2, number: 2}, block(2, 64, loi.In), block(3, 8, loi.InOut), {leave: true, number: 2},
		block(1, 100, loi.Out), {leave: true, number: 1}}
	for _, v := range []string{"bulk", "slim", "baseline"} {
		opt := options()
		opt.Validation = v
		d := written(t, opt, program, 1, loi.KV{Key: "made by", Value: "a test"})
		want := map[string]row{
			"main": {instances: 1, work: 5, bytes: 172, most: 172, lines: 4, reads: 172, writes: 172,
				first: 172},
			"main;f": {instances: 1, work: 2, bytes: 72, most: 72, lines: 2, reads: 72, writes: 8, first: 8}}
		if got := rowsOf(d); !reflect.DeepEqual(got, want) || d.DatumBytes != nil {
			t.Errorf("%s: %v, expected %v; a datum of %v", v, got, want, d.DatumBytes)
		}
	}
}

// TestUnended checks that a program that is cut off gives the counts until then.
func TestUnended(t *testing.T) {
	program := []did{{region: 1, number: 1}, {region: 2, number: 2},
		{place: 64, bytes: 8, mode: loi.In}}
	told := func(w string) bool { return strings.Contains(w, "had not ended") }
	for name, d := range map[string]*Document{"live": direct(t, options(), program),
		"trace": written(t, options(), program, 1)} {
		if len(d.Regions) != 2 || d.Regions[1].Unended != 1 || d.Regions[1].Work != 1 ||
			!slices.ContainsFunc(d.Warnings, told) {
			t.Errorf("%s: %+v, warnings %q", name, d.Regions, d.Warnings)
		}
	}
}

// TestDeep opens 1000 levels, which are more regions than there are bits in a narrow tag.
func TestDeep(t *testing.T) {
	const levels = 1000
	var registry loi.Registry
	for i := range levels {
		registry.Regions = append(registry.Regions, loi.Region{Name: fmt.Sprintf("f%d", i),
			Kind: loi.Function, Parent: loi.NoRegion})
	}
	p := newProgram(options(), &loi.Header{Registry: registry}, true, true)
	for i := range levels {
		if err := p.Enter(0, loi.RegionID(i), uint32(i+1)); err != nil {
			t.Fatal(err)
		}
		if err := p.Accesses(0, []uint64{uint64(64 * i)}, []uint32{8}, []loi.Mode{loi.In}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Leave(0, 1); err != nil {
		t.Fatal(err)
	}
	d := p.document(&analysis.Input{}, unitAccesses)
	for i, r := range d.Regions {
		if want := float64(8 * (levels - i)); len(r.Path) != i+1 || *r.FootprintBytes != want {
			t.Fatalf("level %d touches %g bytes, expected %g", len(r.Path), *r.FootprintBytes, want)
		}
	}
	if len(d.Regions) != levels {
		t.Errorf("%d regions", len(d.Regions))
	}
}

// TestRecursion makes a function call another one at each of 10^6 levels of recursion. The cost
// must not grow with the level: then all take some tenths of a second, and else hours.
func TestRecursion(t *testing.T) {
	const levels = 1_000_000
	p := newProgram(options(), &loi.Header{Registry: loi.Registry{Regions: source()}}, true, true)
	began := time.Now()
	for i := range uint32(levels) {
		err := errors.Join(p.Enter(0, 1, 2*i+1), p.Enter(0, 4, 2*i+2), p.Leave(0, 2*i+2))
		if err != nil {
			t.Fatal(err)
		}
		if i%1000 == 0 && time.Since(began) > time.Minute {
			t.Fatalf("a minute for %d levels", i)
		}
	}
	if err := p.Leave(0, 1); err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(p.document(&analysis.Input{}, unitAccesses))
	if len(rows) != 2 || rows["f"].instances != 1 || rows["f;g"].instances != levels {
		t.Errorf("%+v", rows)
	}
}

// TestLines counts lines alone: the text for people, and the share of first touches, are of these.
// With nothing counted nothing is 0.
func TestLines(t *testing.T) {
	program := []did{{region: 1, number: 1}, {place: 64, bytes: 8, mode: loi.In},
		{region: 2, number: 2}, {place: 72, bytes: 8, mode: loi.In},
		{place: 128, bytes: 8, mode: loi.In}, {leave: true, number: 2}, {leave: true, number: 1}}
	opt := options()
	opt.Count = countLines
	inLines := slices.Clone(program) // a place is the number of a line
	for i := range inLines {
		if d := &inLines[i]; d.bytes > 0 {
			d.place, d.bytes = d.place/lineBytes, lineBytes
		}
	}
	unit := loi.KV{Key: loi.UnitKey, Value: loi.UnitLine}
	for name, d := range map[string]*Document{"live": direct(t, opt, program),
		"trace":          written(t, opt, program, 1),
		"trace of lines": written(t, options(), inLines, 1, unit)} {
		for i, share := range []float64{1, 0.5} {
			r, s, want := &d.Regions[i], &d.paths[i], 2.0
			if r.FootprintBytes != nil || r.FootprintBytesMax != nil || *r.FootprintLines != want ||
				*s.mean != 64*want || float64(*s.most) != 64*want ||
				*r.FirstTouchShare != share {
				t.Errorf("%s: %+v, drawn as %+v", name, r, s)
			}
		}
		var text strings.Builder
		if err := d.View().Markdown(&text, 1); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String(), "n/a") || !strings.Contains(text.String(), "whole lines") {
			t.Errorf("%s: %s", name, text.String())
		}
	}
	nothing := slices.DeleteFunc(slices.Clone(program), func(d did) bool { return d.bytes > 0 })
	d := written(t, options(), nothing, 1, loi.KV{Key: "made by", Value: "a test"})
	for i, r := range d.Regions {
		if r.FootprintBytes != nil || r.FootprintLines != nil || r.ReadBytes != nil ||
			d.paths[i].mean != nil {
			t.Errorf("of a trace without accesses: %+v", r)
		}
	}
}

// TestThreads checks that the threads of a trace have the names of its header.
func TestThreads(t *testing.T) {
	program := []did{{region: 1, number: 1}, {worker: 1, region: 1, number: 1}}
	for name, unit := range map[string][]loi.KV{"2 workers": {{Key: "made by", Value: "a test"}},
		"2 goroutines": nil} {
		if d := written(t, options(), program, 2, unit...); !slices.ContainsFunc(d.Warnings,
			func(w string) bool { return strings.HasPrefix(w, name+": ") }) {
			t.Errorf("%s: warnings %q", name, d.Warnings)
		}
	}
}

// TestPeak runs threads that touch little and wait: the memory of all at once is at least that of
// each when it ends, but of threads that follow each other it is that of one.
func TestPeak(t *testing.T) {
	const threads = 100
	opt := options()
	opt.Memory = true
	peak := func(together bool) *Memory {
		p := newProgram(opt, &loi.Header{Registry: loi.Registry{Regions: source()}}, true, true)
		for i := range threads {
			err := p.Enter(i, 0, 1)
			for k := range 3 {
				err = errors.Join(err, p.Accesses(i, []uint64{uint64(k << 20)}, []uint32{8},
					[]loi.Mode{loi.In}))
			}
			if !together {
				err = errors.Join(err, p.Leave(i, 1))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range threads {
			p.ended(i)
		}
		return p.document(&analysis.Input{}, unitAccesses).Memory
	}
	one, all := peak(false), peak(true)
	if all.Tags.Peak != threads*one.Tags.Peak || all.Total.Peak != threads*one.Total.Peak ||
		all.PeakBytes < all.Total.Peak || one.PeakBytes > all.PeakBytes/10 || one.Tags.Peak == 0 {
		t.Errorf("one after the other %+v, at once %+v", one, all)
	}
}

// TestMany has 10^6 instances of a region (10^8 in the long form) in memory that does not grow.
func TestMany(t *testing.T) {
	opt := options()
	opt.Memory = true
	p := newProgram(opt, &loi.Header{Registry: loi.Registry{Regions: source()}}, true, true)
	instances := 1_000_000
	if testing.Short() {
		instances = 10_000
	}
	if err := p.Enter(0, 0, 1); err != nil {
		t.Fatal(err)
	}
	for i := range instances {
		n := uint32(i + 2)
		err := p.Enter(0, 1, n)
		if err == nil {
			err = p.Accesses(0, []uint64{uint64(i % 4096 * 8)}, []uint32{8}, []loi.Mode{loi.In})
		}
		if err == nil {
			err = p.Leave(0, n)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p.ended(0)
	d := p.document(&analysis.Input{}, unitAccesses)
	if r := d.Regions[1]; r.Instances != uint64(instances) || *r.FootprintBytes != 8 ||
		*d.Regions[0].FootprintBytes != 4096*8 {
		t.Errorf("%+v", d.Regions)
	}
	if d.Memory.PeakBytes > 200<<10 {
		t.Errorf("the shadow memory took %d bytes", d.Memory.PeakBytes)
	}
}

// TestIterations checks that a running program records its iterations if, and only if, they are
// asked for.
func TestIterations(t *testing.T) {
	for _, asked := range []bool{false, true} {
		opt := options()
		opt.Iterations = asked
		if _, got := opt.Records(); got != asked {
			t.Errorf("--iterations=%v: not what is recorded", asked)
		}
	}
}

// TestHugeAccess refuses a trace whose accesses are larger than those of programs.
func TestHugeAccess(t *testing.T) {
	text := "loi-text 4\nsubstrate native\nclock tsc 1e9\nnodes 1\ngrain kernel\n" +
		"meta unit datum\nworker 0 cpu -1 node 0 offset 0\nobject A keyed\nkernel f\n" +
		"region f function\n0 1 event region(0,1,0)\n0 2 2 f{A[64:4611686018427387904]:in}\n"
	tr, err := loi.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	_, err = analysis.Run(t.Context(), tr, []analysis.Asked{{Analysis: Analysis}}, analysis.Options{})
	if !errors.Is(err, ErrBytes) {
		t.Errorf("error %v, expected %v", err, ErrBytes)
	}
}

func TestCheck(t *testing.T) {
	for _, change := range []func(*Options){func(o *Options) { o.Datum = 3 },
		func(o *Options) { o.Table = 128 }, func(o *Options) { o.Depth = -1 },
		func(o *Options) { o.Compress, o.Validation = true, shadow.Slim.String() }} {
		o := options()
		change(o)
		if o.Check() == nil {
			t.Errorf("%+v: no error", *o)
		}
	}
}

// TestPlan: of a loop and those within, whatever saves more is planned; functions, and loops that a
// spawn costs more than they save, are not.
func TestPlan(t *testing.T) {
	sp, class := func(x float64) *float64 { return &x }, loops.DoAll
	list := []Region{
		{Path: []string{"main"}, Kind: "function", Instances: 1, Work: 1000, SelfParallelism: sp(50)},
		{Path: []string{"main", "outer"}, Kind: "loop", Class: &class, Instances: 1, Work: 600, SelfParallelism: sp(2)},
		{Path: []string{"main", "outer", "inner"}, Kind: "loop", Class: &class, Instances: 2,
			Iterations: 10, Work: 560,
			SelfParallelism: sp(100)},
		{Path: []string{"main", "last"}, Kind: "loop", Class: &class, Instances: 1, Work: 300, SelfParallelism: sp(3)},
		{Path: []string{"main", "last", "within"}, Kind: "loop", Class: &class, Instances: 50, Work: 290,
			SelfParallelism: sp(100)},
		{Path: []string{"main", "serial"}, Kind: "loop", Class: &class, Instances: 1, Work: 100, SelfParallelism: sp(1)}}
	opt := options()
	opt.PlanCores, opt.SpawnCost = 4, 1
	var got []string
	for _, p := range plan(list, opt) {
		got = append(got, fmt.Sprintf("%s %.3f %.3f %d %.1f", strings.Join(p.Path, ">"), p.Speedup,
			p.Together, p.Iterations, p.IterationWork))
	}
	// inner saves 560 - 140 - 8, more than outer's 300 - 4; last 200 - 4, within 217.5 - 200
	want := []string{"main>outer>inner 1.701 1.701 10 56.0", "main>last 1.244 2.551 0 300.0"}
	if !slices.Equal(got, want) {
		t.Errorf("plan %q, expected %q", got, want)
	}
	if opt.LeastSpeedup = 1.5; len(plan(list, opt)) != 1 {
		t.Errorf("plan %v, expected that of inner alone", plan(list, opt))
	}
}

// TestPlanPaths: a loop that several paths lead to is planned once, with what it saves by all of
// them but where a loop around it is planned; so it is where no path alone saves enough.
func TestPlanPaths(t *testing.T) {
	sp, class := func(x float64) *float64 { return &x }, loops.DoAll
	list := []Region{
		{Path: []string{"main"}, Kind: "function", Instances: 1, Work: 1000, SelfParallelism: sp(1)},
		{Path: []string{"main", "a", "f"}, Kind: "loop", Class: &class, Instances: 1, Work: 200, SelfParallelism: sp(2)},
		{Path: []string{"main", "b", "f"}, Kind: "loop", Class: &class, Instances: 1, Work: 400, SelfParallelism: sp(9)},
		{Path: []string{"main", "c", "f"}, Kind: "loop", Class: &class, Instances: 1, Work: 100, SelfParallelism: sp(9)},
		{Path: []string{"main", "outer"}, Kind: "loop", Class: &class, Instances: 1, Work: 400, SelfParallelism: sp(9)},
		{Path: []string{"main", "outer", "f"}, Kind: "loop", Class: &class, Instances: 9, Work: 400,
			SelfParallelism: sp(9)}}
	opt := options()
	opt.PlanCores, opt.SpawnCost = 2, 1
	// f saves 100 - 2, 200 - 2 and 50 - 2, outer 200 - 2
	for least, want := range map[float64]string{
		1.01: "main>b>f 3 1.524 doall; main>outer 1 1.247 doall; ", 1.3: "main>b>f 3 1.524 doall; "} {
		opt.LeastSpeedup = least
		got := ""
		for _, p := range plan(list, opt) {
			got += fmt.Sprintf("%s %d %.3f %s; ", strings.Join(p.Path, ">"), p.Paths, p.Speedup,
				cmp.Or(deref(p.Class), "-"))
		}
		if got != want {
			t.Errorf("at least %g: %q, expected %q", least, got, want)
		}
	}
}

// TestColour checks that a picture is coloured by self-parallelism where critical paths are known,
// and that an error names the lack elsewhere.
func TestColour(t *testing.T) {
	opt := options()
	opt.Colour = colourParallelism
	if _, err := opt.Live(&analysis.Input{Header: &loi.Header{}}); !errors.Is(err, ErrPaths) ||
		!strings.Contains(err.Error(), "--values") {
		t.Errorf("while a program runs: %v", err)
	}
	for file, lacks := range map[string]string{
		"object A 1x64\nkernel f A:inout\n0 1 event task(1,0,0,0,2)\n0 2 9 f(0)\n" +
			"0 10 event child(1,0,0)\n0 11 event child(1,0,1)\n0 12 event phase(1,0,0)\n": "",
		"kernel f\n0 1 event task(1,0,0,0,2)\n0 2 9 f()\n0 10 event child(1,0,0)\n" +
			"0 11 event child(1,0,1)\n0 12 event phase(1,0,0)\n": "has its accesses",
		"meta unit datum\nregion f function\nobject A keyed\nkernel f\n0 1 event region(0,1,0)\n" +
			"0 2 2 f{A[64:8]:in}\n": "--values"} {
		tr, err := loi.ParseText(strings.NewReader("loi-text 4\nsubstrate native\nclock tsc 1e9\n" +
			"nodes 1\ngrain kernel\nworker 0 cpu -1 node 0 offset 0\n" + file))
		if err != nil {
			t.Fatal(err)
		}
		list, err := analysis.Run(t.Context(), tr, []analysis.Asked{{Analysis: Analysis, Options: opt}},
			analysis.Options{})
		if lacks != "" {
			if !errors.Is(err, ErrPaths) || !strings.Contains(err.Error(), lacks) {
				t.Errorf("error %v, expected %q", err, lacks)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var picture strings.Builder
		if err := list[0].(*Document).Draw(&picture, "svg"); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"Work and self-parallelism", "f (kernel), self-parallelism 1.00",
			"Colour: self-parallelism"} {
			if !strings.Contains(picture.String(), text) {
				t.Errorf("no %q in %s", text, picture.String())
			}
		}
	}
}

// TestReadAgain: what was written as JSON is printed and drawn as before; a region without the one around it is
// an error.
func TestReadAgain(t *testing.T) {
	program := []did{{region: 1, number: 1}, {place: 64, bytes: 8, mode: loi.In}, {region: 2, number: 2},
		{place: 72, bytes: 8, mode: loi.Out}, {leave: true, number: 2}, {place: 300, bytes: 8, mode: loi.In},
		{leave: true, number: 1}}
	opt := options()
	opt.Count = countNone
	for name, d := range map[string]*Document{"bytes": direct(t, options(), program), "none": direct(t, opt, program)} {
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		read := &Document{}
		if err := json.Unmarshal(text, read); err != nil {
			t.Fatal(err)
		}
		var is, was strings.Builder
		if err := errors.Join(d.View().Markdown(&was, 1), d.Draw(&was, "svg"), read.View().Markdown(&is, 1),
			read.Draw(&is, "svg")); err != nil || is.String() != was.String() {
			t.Errorf("%s: %v\n%s\nexpected\n%s", name, err, &is, &was)
		}
	}
	if err := json.Unmarshal([]byte(`{"regions": [{"path": ["a", "b"]}]}`), &Document{}); err == nil ||
		!strings.Contains(err.Error(), "region 0: a path of 2 names, expected 1 to 1") {
		t.Errorf("%v", err)
	}
}
