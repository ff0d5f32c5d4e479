package goroutines

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/loi"
)

// rows are those of the table in docs/interleavings.md: what two goroutines did, in the order of the
// trace, and which pieces (letters) another schedule keeps in their order, or away from between two.
var rows = []struct {
	row   string // its first cell
	room  uint32
	did   string // words: a goroutine, and a letter or an operation
	order string // pairs: the first before the second
	apart string // triples: the third not between the others, in any order of these
}{
	{"`go`", 0, "0a 0go 0b 1c", "ac", ""},
	{"end", 0, "0go 1c 1end 0a", "", ""},
	{"send, receive", 1, "0go 0a 0send 0b 1c 1receive 1d", "ad", ""},
	{"send, receive", 2, "0go 0a 0send 0b 0send 1c 1receive 1d 1receive 1e", "ad be", ""},
	{"send to a full channel", 1, "0go 0a 0send 1c 1receive 1d 0b 0send 0e", "ad ce", ""},
	{"channel without room", 0, "0go 0a 1c 0send 1receive 0b 1d", "ad cb", ""},
	{"several senders, receivers", 2, "0go 0a 0send 0b 1c 1send 1d 0receive 0receive 0e", "ad ce", ""},
	{"receive from a timer", 1, "0go 0a 0send 0b 1c 1tick 1d", "", ""},
	{"close", 1, "0go 0a 0close 0b 1c 1closed 1d", "ad", ""},
	{"close", 1, "0go 0send 1a 1receive 1b 0close 0c 0closed 0d", "ad", ""},
	{"lock, unlock", 0, "0go 0lock 0a 0sleep 0b 0unlock 0c 1lock 1d 1unlock 1e", "", "abd"},
	{"read lock", 0, "0go 0rlock 0a 0sleep 0b 0runlock 0c 1rlock 1d 1runlock 1e", "", ""},
	{"read lock", 0, "0go 0rlock 0a 0sleep 0b 0runlock 0c 1lock 1d 1unlock 1e", "", "abd"},
	{"read lock", 0, "0go 0lock 0a 0sleep 0b 0unlock 0c 1rlock 1d 1runlock 1e", "", "abd"},
	{"done, wait", 0, "0go 0a 1c 1done 1d 0wait 0b", "cb", ""},
	{"wait for a condition", 0, "0go 0a 0await 1c 1signal 1d 0b", "ad cb", ""},
	{"Once", 0, "0go 0a 0once 0b 1c 1seen 1d", "ad", ""},
	{"atomic", 0, "0go 0a 0store 0b 1c 1load 1d", "ad", ""},
	{"atomic", 0, "0go 0a 0load 0b 1c 1store 1d", "ad", ""},
	{"atomic", 0, "0go 0store 0a 0load 0b 1c 1update 1d", "ad", ""},
	{"start by a timer", 0, "0sets 0a 0sets 0b 1start 1fires 1c", "ac", ""},
	{"sleep", 0, "0go 0a 0sleep 0b 1c", "", ""},
}

// builder begins a trace; fail ends the test with an error, if there is one.
func builder(t testing.TB) (path string, b *loi.Builder, fail func(error)) {
	t.Helper()
	fail = func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	path = filepath.Join(t.TempDir(), "a.loi")
	b, err := loi.NewBuilder(path)
	fail(err)
	return path, b, fail
}

// traceOf writes the trace of a row. Worker 1 begins once it is started.
func traceOf(t *testing.T, room uint32, did string) *loi.Trace {
	t.Helper()
	path, b, fail := builder(t)
	kernel, err := b.Kernel("f")
	fail(err)
	data, err := b.Object("A", loi.Keyed)
	fail(err)
	object, err := b.Object("x", loi.Keyed)
	fail(err)
	ops := map[string]loi.SyncOp{"send": loi.SyncSend, "receive": loi.SyncReceive, "tick": loi.SyncReceive,
		"closed": loi.SyncReceiveClosed, "close": loi.SyncClose, "lock": loi.SyncLock, "unlock": loi.SyncUnlock,
		"rlock": loi.SyncReadLock, "runlock": loi.SyncReadUnlock, "done": loi.SyncDone, "wait": loi.SyncWait,
		"await": loi.SyncCondWait, "signal": loi.SyncSignal, "once": loi.SyncOnce, "seen": loi.SyncOnceSeen,
		"load": loi.SyncLoad, "store": loi.SyncStore, "update": loi.SyncUpdate, "sleep": loi.SyncSleep,
		"sets": loi.SyncOnce, "fires": loi.SyncOnceSeen}
	now := uint64(100)
	var await *loi.Sync
	fail(b.Event(0, loi.EventStart, now, 1))
	for _, word := range strings.Fields(did) {
		now += 10
		g, what := int(word[0]-'0'), word[1:]
		switch {
		case len(what) == 1:
			fail(b.Access(g, kernel, now, loi.Access{Object: data, Block: uint64(what[0]), Bytes: 64, Mode: loi.In}))
		case what == "go":
			fail(b.Event(0, loi.EventGo, now, loi.GoArgs(2, 0)...))
			fail(b.Event(1, loi.EventStart, now+1, 2))
		case what == "start":
			fail(b.Event(1, loi.EventStart, now, 2))
		case what == "end":
			fail(b.Event(g, loi.EventEnd, now, loi.GoArgs(uint32(g+1), 0)...))
		default:
			s := &loi.Sync{Op: ops[what], Object: object, Place: 1, Begin: now, At: now, Room: room,
				Timer: what == "tick" || what == "sets" || what == "fires"}
			switch what {
			case "sleep":
				s.Object, s.Place = loi.NoObject, 0
			case "await": // it ends when it is signalled
				await = s
				continue
			}
			fail(b.Event(g, loi.EventSync, now, s.Args()...))
			if what == "signal" {
				await.At = now
				fail(b.Event(1-g, loi.EventSync, now, await.Args()...))
			}
		}
	}
	fail(b.Close(loi.Header{Substrate: loi.Native, Cores: 2, Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Workers: slices.Repeat([]loi.Worker{{CPU: -1}}, 2), LLCBytes: 64}))
	tr, err := loi.Open(path)
	fail(err)
	t.Cleanup(func() { tr.Close() })
	return tr
}

// merges returns all ways to merge two texts.
func merges(a, b string) (list []string) {
	if a == "" || b == "" {
		return []string{a + b}
	}
	for _, s := range merges(a[1:], b) {
		list = append(list, a[:1]+s)
	}
	for _, s := range merges(a, b[1:]) {
		list = append(list, b[:1]+s)
	}
	return list
}

// TestRows checks which orders of the pieces each row of the table allows, and that the table has it.
func TestRows(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/interleavings.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !strings.Contains(string(text), "\n| "+r.row+" |") {
			t.Errorf("docs/interleavings.md has no row %q", r.row)
		}
		p := read(t, traceOf(t, r.room, r.did))
		if slices.Contains(p.orphans, true) || p.Kept.Onces > 0 != (r.row == "Once") {
			t.Errorf("%s: orphans %v, kept %+v", r.did, p.orphans, p.Kept)
		}
		var code [2]string
		for _, word := range strings.Fields(r.did) {
			if len(word) == 2 {
				code[word[0]-'0'] += word[1:]
			}
		}
		var want []string
		for _, s := range merges(code[0], code[1]) {
			at := func(c byte) int { return strings.IndexByte(s, c) }
			ok := true
			for _, pair := range strings.Fields(r.order) {
				ok = ok && at(pair[0]) < at(pair[1])
			}
			for _, x := range strings.Fields(r.apart) {
				ok = ok && (at(x[2]) < at(x[0]) || at(x[2]) > at(x[1]))
			}
			if ok {
				want = append(want, s)
			}
		}
		names := map[int32]string{}
		for g, list := range code {
			k := 0
			for i := p.first[g]; i < p.first[g+1]; i++ {
				if p.from[i] < p.from[i+1] {
					names[i] = list[k : k+1]
					k++
				}
			}
		}
		var got []string
		e, run := &enumerator{}, newRunner(p)
		for more := true; more; more = e.next() {
			if !run.run(e.choose) {
				t.Errorf("%s: %s: a schedule gets stuck", r.row, r.did)
			}
			order := ""
			for _, i := range run.order {
				order += names[i]
			}
			got = append(got, order)
		}
		slices.Sort(want)
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s: %s: orders %q, expected %q", r.row, r.did, got, want)
		}
	}
}

// TestCut checks that a cut piece can be interrupted, keeps the lock that it begins with until it
// releases it, and what the operations before and behind it order.
func TestCut(t *testing.T) {
	p := read(t, traceOf(t, 1, "0go 0lock 0a 0a 0a 0unlock 0b 0b 0send 1lock 1c 1unlock 1d 1receive 1e")).Cut(1)
	if p.Pieces() != 8 || p.Longest() != 1 {
		t.Fatalf("%d pieces, the longest of %d", p.Pieces(), p.Longest())
	}
	got := map[string]bool{}
	e, run := &enumerator{}, newRunner(p)
	for more := true; more; more = e.next() {
		if !run.run(e.choose) {
			t.Error("a schedule gets stuck")
		}
		order := ""
		for _, i := range run.order {
			order += string(rune('a' + p.units[p.from[i]])) // units are numbered as they are first seen
		}
		got[order] = true
	}
	want := 0
	for _, s := range merges("aaabb", "cde") { // e behind both b
		c, last := strings.Index(s, "c"), strings.LastIndex(s, "a")
		if strings.Index(s, "e") > strings.LastIndex(s, "b") && (c < strings.Index(s, "a") || c > last) {
			want++
			if !got[s] {
				t.Errorf("no order %s", s)
			}
		}
	}
	if len(got) != want {
		t.Errorf("%d orders, expected %d: %v", len(got), want, got)
	}
}
