package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// producers builds the trace of a main goroutine, two producers and a consumer with a channel
// without room. Each of 6 values takes 10 accesses to make and 3 to use; the consumer adds to what
// a lock is for. A tick is a ns.
func producers(t testing.TB, accesses bool, more ...func(b *loi.Builder) error) *loi.Trace {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.loi")
	b, err := loi.NewBuilder(path)
	if err != nil {
		t.Fatal(err)
	}
	fail := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var kernels []loi.KernelID
	for _, name := range []string{"main.main", "main.produce", "main.consume"} {
		k, err := b.Kernel(name)
		fail(err)
		kernels = append(kernels, k)
	}
	channel, err := b.Object("chan int, made at main.go:7", loi.Keyed)
	fail(err)
	now := uint64(100)
	work := func(w, n int) {
		for range n {
			if now++; accesses {
				fail(b.Access(w, kernels[(w+1)/2], now, loi.Access{Mode: loi.In, Bytes: 8}))
			}
		}
	}
	var away [4]uint64
	sync := func(w int, op loi.SyncOp, began uint64) {
		now++
		away[w] += now - began
		fail(b.Event(w, loi.EventSync, now, (&loi.Sync{Op: op, Object: channel, Place: 1, Begin: began,
			At: now, Away: away[w]}).Args()...))
	}
	fail(b.Event(0, loi.EventStart, now, 1))
	work(0, 1)
	for w := uint32(1); w <= 3; w++ {
		fail(b.Event(0, loi.EventGo, now, loi.GoArgs(w+1, 0)...))
		fail(b.Event(int(w), loi.EventStart, now, w+1))
	}
	for k := range 6 {
		w := 1 + k%2
		began := now
		work(w, 10)
		sync(w, loi.SyncSend, now)
		sync(3, loi.SyncReceive, began)
		work(3, 3)
	}
	for w := uint32(1); w <= 3; w++ {
		fail(b.Event(int(w), loi.EventEnd, now, loi.GoArgs(w+1, away[w])...))
	}
	for _, f := range more {
		fail(f(b))
	}
	fail(b.Close(loi.Header{Substrate: loi.Native, Cores: 2, Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Workers: slices.Repeat([]loi.Worker{{CPU: -1}}, 4)}))
	tr, err := loi.Open(path)
	fail(err)
	t.Cleanup(func() { tr.Close() })
	return tr
}

func TestGoroutines(t *testing.T) {
	d, r := look(t, producers(t, true), Options{})
	// main 1, then 3 values of 10 by each of the two, beside each other; the last is used after both
	if d.Unit != "accesses" || d.Work.Float() != 1+6*13 || d.Span.Float() != 1+30+3+3 ||
		d.Goroutines.Count != 4 || d.Goroutines.Operations != 22 || d.Kernels != 79 ||
		d.LowerBound.Float() != 39.5 || d.Measured.Known() {
		t.Errorf("%+v", d)
	}
	w := d.Goroutines.Waits
	if len(w) != 2 || w[0].Goroutine != "goroutine 4, main.consume" || w[0].Operation != "receive" ||
		w[0].By != "send" || w[0].Times != 3 || w[0].Object != "chan int, made at main.go:7" {
		t.Errorf("%+v", w)
	}
	sum := 0.0
	for _, p := range d.Goroutines.Path {
		sum += p.Weight.Float()
	}
	if p := d.Goroutines.Path; sum != d.Span.Float() || p[0].Function != "main.produce" ||
		!slices.Contains(p[0].HandedOn, Handed{"send", 1}) {
		t.Errorf("%+v", p)
	}
	if len(d.Nodes) != 3 || d.Nodes[0].Kernel != "main.produce" || d.Nodes[0].Count != 2 {
		t.Errorf("%+v", d.Nodes)
	}
	if len(d.Warnings) != 1 || !strings.HasPrefix(d.Warnings[0], "1 goroutine had not ended") {
		t.Errorf("%q", d.Warnings)
	}
	if d.Goroutines.Untold != 1 || d.Goroutines.Deadlock {
		t.Errorf("%+v", d.Goroutines)
	}
	var text bytes.Buffer
	if err := r.View().Text(doc.NewPage(&text, 100)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Graph of goroutines", "accesses", "main.produce", "send × 1"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	for _, format := range Analysis.Formats() {
		var b bytes.Buffer
		if err := r.Draw(&b, format); err != nil || strings.Contains(b.String(), "NaN") ||
			!strings.Contains(b.String(), "main.consume") {
			t.Errorf("%s: %v, %s", format, err, b.String())
		}
		if dir := os.Getenv("KRDLAB_LOOK"); dir != "" {
			_ = os.WriteFile(filepath.Join(dir, "g."+format), b.Bytes(), 0o644)
			_ = os.WriteFile(filepath.Join(dir, "g.txt"), text.Bytes(), 0o644)
		}
	}
	if b, err := json.Marshal(d); err != nil || !bytes.Contains(b, []byte(`"handed_on"`)) {
		t.Errorf("%s, %v", b, err)
	}
}

// Without accesses time is counted; with them it is doubtful.
func TestGoroutineUnits(t *testing.T) {
	d, _ := look(t, producers(t, false), Options{})
	// what runs first is not known; the consumer is on its thread for 3 a value, main for 1, and the
	// producers but for the ticks of their sends from 101 on, for 6 times 10 + 2 + 3
	work := 1 + 6*3 + 2*(6*15-3.)
	if d.Unit != "ns" || d.Measured.Float() != 91 || d.Work.Float() != work || len(d.Nodes) != 1 ||
		d.Span.Float() > work || d.Nodes[0].Count != 4 {
		t.Errorf("%+v", d)
	}
	d, _ = look(t, producers(t, true), Options{Unit: unitTime})
	if d.Unit != "ns" || !slices.ContainsFunc(d.Warnings, func(s string) bool {
		return strings.Contains(s, "--unit kernels")
	}) {
		t.Errorf("%q", d.Warnings)
	}
	d, _ = look(t, producers(t, true), Options{Unit: unitPieces})
	if d.Unit != unitPieces || d.Work.Float() != 22-4 || d.Span.Float() == 0 {
		t.Errorf("%+v", d)
	}
}

func TestGoroutinesRefused(t *testing.T) {
	task := func(b *loi.Builder) error { return b.Event(0, loi.EventTask, 1000, 1, 0, 0, 0, 1) }
	for _, c := range []struct {
		tr   *loi.Trace
		opt  Options
		want error
	}{
		{producers(t, true, task), Options{}, ErrMixed},
		{producers(t, true), Options{Burden: "5us"}, ErrBurden},
	} {
		if _, err := analysis.Run(context.Background(), c.tr, []analysis.Asked{{Analysis: Analysis,
			Options: &c.opt}}, analysis.Options{}); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

// TestNoneWaited runs a goroutine alone: the document reports that it did not wait, if it has
// ended.
func TestNoneWaited(t *testing.T) {
	for _, ended := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "a.loi")
		b, err := loi.NewBuilder(path)
		if err != nil {
			t.Fatal(err)
		}
		err = b.Event(0, loi.EventStart, 1, 1)
		if ended {
			err = errors.Join(err, b.Event(0, loi.EventEnd, 2, loi.GoArgs(1, 0)...))
		}
		if err := errors.Join(err, b.Close(loi.Header{Substrate: loi.Native, Clock: loi.Clock{
			Source: "tsc", Hz: 1e9}, Workers: []loi.Worker{{CPU: -1}}})); err != nil {
			t.Fatal(err)
		}
		tr, err := loi.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		_, r := look(t, tr, Options{})
		var text bytes.Buffer
		if err := r.View().Text(doc.NewPage(&text, 100)); err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(text.String(), "No goroutine waited"); said != ended {
			t.Errorf("ended %t, in\n%s", ended, text.String())
		}
	}
}

// TestDeadlock makes main wait and the program fail with the exit code of a deadlock. It was one
// only if the other goroutine waited too: it may have panicked, without another event.
func TestDeadlock(t *testing.T) {
	for _, c := range []struct {
		exit          string
		told, waited  bool
		wantsDeadlock bool
	}{{"2", true, true, true}, {"2", true, false, false}, {"2", false, false, false},
		{"3", true, true, false}} {
		path := filepath.Join(t.TempDir(), "a.loi")
		b, err := loi.NewBuilder(path)
		if err != nil {
			t.Fatal(err)
		}
		never := loi.Begun{Sync: loi.Sync{Op: loi.SyncNever, Object: loi.NoObject}, Where: loi.NoKernel}
		err = errors.Join(b.Event(0, loi.EventStart, 1, 1),
			b.Event(0, loi.EventGo, 2, loi.GoArgs(2, 0)...), b.Event(0, loi.EventBegun, 3, never.Args()...))
		workers := 1
		if c.told {
			workers = 2
			args := never.Args()
			if !c.waited {
				args = nil
			}
			err = errors.Join(err, b.Event(1, loi.EventStart, 4, 2), b.Event(1, loi.EventBegun, 5, args...))
		}
		if err := errors.Join(err, b.Close(loi.Header{Substrate: loi.Native, Clock: loi.Clock{
			Source: "tsc", Hz: 1e9}, Meta: []loi.KV{{Key: "exit_code", Value: c.exit}},
			Workers: slices.Repeat([]loi.Worker{{CPU: -1}}, workers)})); err != nil {
			t.Fatal(err)
		}
		tr, err := loi.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		if d, _ := look(t, tr, Options{}); d.Goroutines.Deadlock != c.wantsDeadlock {
			t.Errorf("%+v: %+v", c, d.Goroutines)
		}
	}
}
