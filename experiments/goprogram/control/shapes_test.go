package control

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// unseen are the planted bugs that no choice decides, with the reason.
var unseen = map[string]string{"evicted": "choice within an increment"}

// accessed are those that choices at accesses decide.
var accessed = []string{"lazily", "evicted"}

// early are those in which a timer has to end while a goroutine could run.
var early = []string{"debounce"}

// shapes returns the program of planted bugs, and how each ends under some schedules.
func shapes(t *testing.T, at Preempt) (p *build.Program, names []string, ends map[string]Kind) {
	t.Helper()
	files := map[string][]byte{"go.mod": []byte("module shapes\n\ngo 1.26\n")}
	list, err := filepath.Glob("testdata/shapes/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		if files[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	dir := corpus.Lay(t, "shapes", files)
	r := build.Request{Dir: dir, Path: ".", Plain: at == AtSync, Control: true}
	r.Sync, r.Iterations, r.EarlyLoads = true, at == AtAccesses, at == AtAccesses
	p = built.Of(t, dir, r)
	out, err := exec.CommandContext(t.Context(), p.Binary, "-list").Output()
	if err != nil {
		t.Fatal(err)
	}
	ends = map[string]Kind{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		names, ends[f[0]] = append(names, f[0]), Kind(f[1])
	}
	if len(names) != 40 || len(ends) != 40 {
		t.Fatalf("%d programs", len(names))
	}
	rand.New(rand.NewPCG(1, 0)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return p, names[:long.Or(10, len(names))], ends
}

// TestShapes checks that planted bugs are found within 1000 schedules, all but those that are listed, that what is
// found repeats, and that other schedules end well.
func TestShapes(t *testing.T) {
	p, names, ends := shapes(t, AtSync)
	for _, name := range names {
		q := request(p, name)
		q.Early = slices.Contains(early, name)
		if slices.Contains(accessed, name) {
			q.Preempt = AtAccesses
			q.Built, _, _ = shapes(t, AtAccesses)
		}
		q.Runs, q.First = long.Or(20, 500), true
		d, err := Run(t.Context(), q, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(d.Ends, func(e End) bool { return e.Kind != Ended })
		if i < 0 {
			if unseen[name] == "" {
				t.Errorf("%s: not found in %d schedules", name, d.Schedules)
			}
			continue
		}
		e := &d.Ends[i]
		t.Logf("%s: %s after %d schedules: %s", name, e.Kind, d.Schedules, e.What)
		if unseen[name] != "" {
			t.Errorf("%s: found, for which there was no %s", name, unseen[name])
		}
		if e.Kind != ends[name] {
			t.Errorf("%s: %s, expected %s: %s", name, e.Kind, ends[name], e.Text)
		}
		repeat(t, q, e, long.Or(2, 20))
		for q.First = false; len(d.Ends) == 1; q.Seed += uint64(q.Runs) {
			if q.Runs = 10; q.Seed > 100 {
				t.Errorf("%s: no schedule ends well", name)
				break
			}
			if d, err = Run(t.Context(), q, t.TempDir()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// repeat checks that an end's seed is its run.
func repeat(t *testing.T, q *Request, e *End, times int) {
	x := &runner{Request: q, path: filepath.Join(t.TempDir(), "control")}
	var err error
	if x.memory, err = newShared(x.path); err != nil {
		t.Fatal(err)
	}
	defer x.memory.close()
	if err := x.learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := func(s *schedule) *result {
		got, err := x.run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	text := func(s string) string { return numbers.ReplaceAllString(s, "") } // stacks lie elsewhere
	s := &schedule{policy: map[string]Policy{"walk": Walk, "pct": PCT}[e.Policy], seed: seedOf(e.Seed, 0), depth: q.Depth,
		length: run(&schedule{policy: first}).choices}
	once := run(s)
	for range times {
		if got := run(s); got.key() != e.key || got.hash != once.hash || text(got.text) != text(e.Text) {
			t.Fatalf("%s, %s %d: %s %s %x, expected %s %s %x; %s\n%s", q.Args, e.Policy, e.Seed, got.kind, got.what,
				got.hash, e.Kind, e.What, once.hash, got.text, e.Text)
		}
	}
}

// TestMended checks that mended programs end well.
func TestMended(t *testing.T) {
	p, names, _ := shapes(t, AtSync)
	for _, name := range names {
		q := request(p, "-mended", name)
		q.Runs, q.First = long.Or(4, 100), true
		d, err := Run(t.Context(), q, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range d.Ends {
			if e.Kind != Ended {
				t.Errorf("%s: %s after %d schedules, %s %d: %s", name, e.Kind, d.Schedules, e.Policy, e.Seed, e.Text)
			}
		}
	}
}
