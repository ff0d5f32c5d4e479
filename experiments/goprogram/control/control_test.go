package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

func program(t *testing.T) *build.Program { return preempted(t, AtSync) }

func preempted(t *testing.T, at Preempt) *build.Program {
	t.Helper()
	text, err := os.ReadFile("testdata/main.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := corpus.Lay(t, "scheduled", map[string][]byte{"go.mod": []byte("module scheduled\n\ngo 1.26\n"), "main.go": text})
	r := build.Request{Dir: dir, Path: ".", Plain: at == AtSync, Control: true}
	r.Sync, r.Iterations, r.EarlyLoads = true, at == AtAccesses, at == AtAccesses
	return built.Of(t, dir, r)
}

func request(p *build.Program, args ...string) *Request {
	return &Request{Built: p, Args: args, Policies: []Policy{Walk, PCT}, Runs: 15, Seed: 1, Depth: 3, Limit: 10_000,
		Time: DefaultTime}
}

// TestEnds checks how programs end: those that depend on the schedule in each way, the others in one.
func TestEnds(t *testing.T) {
	p := program(t)
	for name, want := range map[string][]Kind{"locks": {Ended, Deadlock}, "inOrder": {Ended}, "meeting": {Ended},
		"group": {Ended, Output}, "lost": {Ended, Deadlock}, "sleeps": {Ended}, "chooses": {Ended, Output},
		"closes": {Ended, Panic}, "yields": {Ended}, "spins": {Stopped}, "timed": {Ended}, "prompt": {Ended},
		"clock":  {Ended},
		"serves": {Ended}, "signals": {Ended}, "processes": {Ended}} {
		t.Run(name, func(t *testing.T) {
			d, err := Run(t.Context(), request(p, name), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			kinds := map[Kind]bool{}
			for _, e := range d.Ends {
				kinds[e.Kind] = true
				t.Logf("%s %q %d %s %d: %d, %d", e.Kind, e.What, e.Runs, e.Policy, e.Seed, e.Choices, e.Needed)
			}
			for _, k := range want {
				if !kinds[k] {
					t.Errorf("no run: %s", k)
				}
				delete(kinds, k)
			}
			delete(kinds, Panic) // of group, seldom: it is used again
			if len(kinds) > 0 {
				t.Errorf("runs: %v", slices.Collect(maps.Keys(kinds)))
			}
		})
	}
}

// TestSeeds checks that a seed is the same run each time, with the same order of goroutines and output, for ten
// programs: 1 000 seeds of each policy when long.
func TestSeeds(t *testing.T) {
	concurrent, err := os.ReadFile("../../../examples/concurrent/main.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := corpus.Lay(t, "concurrent", map[string][]byte{"go.mod": []byte("module concurrent\n\ngo 1.26\n"),
		"main.go": concurrent})
	b := build.Request{Dir: dir, Path: ".", Plain: true, Control: true}
	b.Sync = true
	own, other := program(t), built.Of(t, dir, b)
	for _, c := range []struct {
		of   *build.Program
		args string
	}{{own, "locks"}, {own, "group"}, {own, "chooses"}, {own, "ranges"}, {own, "meeting"}, {own, "timed"},
		{other, "sparse 50"}, {other, "pool 20"}, {other, "maps 20"}, {other, "store 20"}} {
		t.Run(c.args, func(t *testing.T) {
			q := request(c.of, strings.Fields(c.args)...)
			x := &runner{Request: q, path: t.TempDir() + "/control"}
			var err error
			if x.memory, err = newShared(x.path); err != nil {
				t.Fatal(err)
			}
			defer x.memory.close()
			different, runs := map[string]bool{}, long.Or(5, 1000)
			for n := range runs {
				for _, p := range q.Policies {
					var of [2]*result
					for i := range of {
						if of[i], err = x.run(t.Context(), &schedule{policy: p, seed: seedOf(1, n), depth: 3, length: 100}); err != nil {
							t.Fatal(err)
						}
						of[i].text = "" // of a panic, with addresses
					}
					different[fmt.Sprint(of[0].hash, of[0].what)] = true
					if !reflect.DeepEqual(of[0], of[1]) {
						t.Errorf("seed %d, %s: %+v, and again %+v", n, p, of[0], of[1])
					}
				}
			}
			t.Logf("%d seeds of 2 policies, %d different runs", runs, len(different))
			if len(different) < 2 {
				t.Error("all runs are the same")
			}
		})
	}
}

// TestFollow checks that the ends of a document are reached again by their choices alone, and what a document is.
func TestFollow(t *testing.T) {
	p := program(t)
	for _, name := range []string{"locks", "group"} {
		a, err := Run(t.Context(), request(p, name), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Followed("ends.json", text, &Request{})
		if err != nil || len(list) == 0 {
			t.Fatal(list, err)
		}
		for i := range list {
			q := request(p, name)
			q.Follow = list[i : i+1]
			b, err := Run(t.Context(), q, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if b.Schedules != 1 || b.Ends[0].What != list[i].What || len(b.Findings) > 0 {
				t.Errorf("%s: %+v, followed %+v", name, list[i], b)
			}
			// of another program, and one without choices
			q.Follow = []End{{Kind: Deadlock, Follow: []uint32{40}, Needed: 1}, {Kind: Panic, Needed: -1}}
			b, err = Run(t.Context(), q, t.TempDir())
			if err != nil || len(b.Findings) != 1 || b.Findings[0].Code != notFollowed || b.Findings[0].Args[0] != 2 {
				t.Errorf("%s: %+v, %v", name, b, err)
			}
		}
	}
	for text, want := range map[string]string{"{": "unexpected end", `{"schema_version": 9, "ends": []}`: "version 9",
		`{"schema_version": 1}`: "with 0 ends",
		`{"schema_version": 1, "ends": [], "preempt": "atomics"}`: "--preempt atomics --early-timers=false; " +
			"expected sync",
		`{"schema_version": 1, "preempt": "sync", "ends": [{"kind": "ended"}]}`:               "no end has choices",
		`{"schema_version": 1, "preempt": "sync", "ends": [{"kind": "panic", "needed": -1}]}`: "no end has choices"} {
		_, err := Followed("ends.json", []byte(text), &Request{})
		if !errors.Is(err, errNoFollow) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestScripts checks that going through all schedules of random scripts has each order of their operations, and
// each deadlock, as often as a naive interpreter has it.
func TestScripts(t *testing.T) {
	p := program(t)
	most, want := long.Or(60, 1500), long.Or(6, 60)
	logged := regexp.MustCompile(`^\d*`)
	deadlocks, several := 0, 0
	for seed := uint64(1); want > 0; seed++ {
		code := randomScript(rand.New(rand.NewPCG(seed, 0)))
		naive, n := map[string]int{}, 0
		newModel(code).choose(func(end string) { naive[end]++; n++ })
		if n > most || n < 3 {
			continue
		}
		want--
		x := &runner{Request: request(p, "script", code), path: t.TempDir() + "/control"}
		x.Enumerate = most + 1
		var err error
		if x.memory, err = newShared(x.path); err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		if err := x.enumerate(context.Background(), func(r *result) {
			got[fmt.Sprintf("%s %s", r.kind, logged.FindString(r.text))]++
		}); err != nil {
			t.Fatal(err)
		}
		x.memory.close()
		if !maps.Equal(got, naive) {
			t.Errorf("%q: %v, expected %v", code, got, naive)
		}
		for end := range naive {
			if end[0] == 'd' {
				deadlocks++
				break
			}
		}
		if len(naive) > 2 {
			several++
		}
	}
	if deadlocks == 0 || several == 0 {
		t.Errorf("%d scripts with a deadlock, %d with several ends", deadlocks, several)
	}
}

// TestPreempted checks which ends depend on where goroutines may be left, by each policy that draws.
func TestPreempted(t *testing.T) {
	p := preempted(t, AtAccesses)
	for at, want := range []map[string][]Kind{{"counts": {Ended}, "empties": {Ended}, "makes": {Ended}},
		{"counts": {Ended, Output}, "empties": {Ended}, "makes": {Ended}},
		{"counts": {Ended, Output}, "empties": {Ended, Panic}, "makes": {Ended, Output}}} {
		for name, want := range want {
			for _, by := range []Policy{Walk, PCT, POS} {
				q := request(p, name)
				q.Preempt, q.Policies, q.Runs = Preempt(at), []Policy{by}, 20
				a, err := Run(t.Context(), q, t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				var got []Kind
				for _, e := range a.Ends {
					got = append(got, e.Kind)
					q.Runs, q.Seed = 1, e.Seed
					b, err := Run(t.Context(), q, t.TempDir())
					if err != nil {
						t.Fatal(err)
					}
					if x := b.Ends[0]; x.What != e.What || x.Choices != e.Choices {
						t.Errorf("%s, %s, %s: %+v, alone %+v", name, q.Preempt, by, e, x)
					}
				}
				if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
					t.Errorf("%s, %s, %s: %v, expected %v", name, q.Preempt, by, got, want)
				}
			}
		}
	}
}

// TestTimers checks what time does: it goes on where no goroutine could run, or with Early at any time.
func TestTimers(t *testing.T) {
	p := program(t)
	for name, want := range map[string][2]string{"timed": {"too late", "done, too late"},
		"prompt": {"done", "done, too late"},
		"clock":  {"2000 3 1h0m0s", ""}, "serves": {"served <nil>", ""}, "sleeps": {"", ""}, "processes": {"21 <nil>", ""}} {
		for early, outputs := range want {
			if outputs == "" {
				continue
			}
			q, got := request(p, name), map[string]bool{}
			q.Runs = 8
			q.Early = early == 1
			x := &runner{Request: q, path: t.TempDir() + "/control"}
			var err error
			if x.memory, err = newShared(x.path); err != nil {
				t.Fatal(err)
			}
			if err := x.draw(t.Context(), func(r *result, _ Policy, _ int) { got[r.what] = true }); err != nil {
				t.Fatal(err)
			}
			x.memory.close()
			if s := strings.Join(slices.Sorted(maps.Keys(got)), ", "); s != outputs {
				t.Errorf("%s, early %v: %s, expected %s", name, q.Early, s, outputs)
			}
		}
	}
}

// TestUnsteady checks that a program whose schedule depends on the number of its process is not called gone through.
func TestUnsteady(t *testing.T) {
	q := request(program(t), "late")
	q.Enumerate = 2000
	if d, err := Run(t.Context(), q, t.TempDir()); !errors.Is(err, ErrUnsteady) {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestBubble checks that a program with a clock of its own is refused, and no end of it told.
func TestBubble(t *testing.T) {
	if d, err := Run(t.Context(), request(program(t), "bubble"), t.TempDir()); !errors.Is(err, ErrBubble) {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestMany checks that a program with too many schedules is refused.
func TestMany(t *testing.T) {
	q := request(program(t), "locks")
	q.Enumerate = 5
	if _, err := Run(t.Context(), q, t.TempDir()); !errors.Is(err, ErrMany) {
		t.Error(err)
	}
}
