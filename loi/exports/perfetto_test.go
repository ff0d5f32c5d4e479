package exports

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"krdlab/loi"
)

// lines prints the events of a timeline: time, type, track, name, arguments, flows or the value of
// a counter.
func (tl *timeline) lines() string {
	var b strings.Builder
	for _, h := range tl.events {
		fmt.Fprintf(&b, "%d %s %s", h.ns, [...]string{sliceBegin: "begin", sliceEnd: "end",
			instant: "at", counter: "count"}[h.typ], h.track)
		if h.name != "" {
			b.WriteString(": " + h.name)
		}
		if h.args != "" {
			b.WriteString(" " + h.args)
		}
		if h.typ == counter {
			fmt.Fprintf(&b, " = %d", h.counter)
		}
		if h.out != nil {
			fmt.Fprintf(&b, " -> %d", h.out)
		}
		if h.end != nil {
			fmt.Fprintf(&b, " <- %d", h.end)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// check reports whether the slices of each track are a stack: each end closes the last that began,
// with time not going back, and only the last may stay open; and whether each flow has two ends,
// the first before the last.
func (tl *timeline) check(t *testing.T) {
	t.Helper()
	open, flows := map[string]int{}, map[uint64]int{}
	for _, h := range tl.events {
		switch h.typ {
		case sliceBegin:
			if open[h.track] > 0 {
				t.Errorf("%d ns: a slice begins within another on %q", h.ns, h.track)
			}
			open[h.track]++
		case sliceEnd:
			if open[h.track]--; open[h.track] < 0 {
				t.Errorf("%d ns: a slice ends on %q, but none has begun", h.ns, h.track)
			}
		}
		for _, id := range h.out {
			if flows[id]++; flows[id] != 1 {
				t.Errorf("flow %d begins twice or after its end", id)
			}
		}
		for _, id := range h.end {
			if flows[id] += 2; flows[id] != 3 {
				t.Errorf("flow %d ends twice or before it begins", id)
			}
		}
	}
	for id, state := range flows {
		if state != 3 {
			t.Errorf("flow %d has one end only", id)
		}
	}
}

func TestPerfetto(t *testing.T) {
	tl := readTimeline(t, write(t, parse(t, mixedText), "perfetto"))
	tl.check(t)
	golden(t, tl.lines(), `3 at trace: krdlab trace substrate=simulated clock=virtual grain=kernel nodes=1,0 clock_hz=2000000000 l2_bytes=262144 discarded_records=12 lost_bytes=4096 meta.a key=and, a "value"
3 begin node 0/worker 1: gemm accesses=[{object=A block=64 bytes=100 mode=w}]
4 end node 0/worker 1
4 begin node 0/worker 1: gemm
4 end node 0/worker 1
5 begin node 0/worker 1: idle
5 count idle workers (unit 2) = 1
5 count node 0/idle workers (unit 2) = 1
25 end node 0/worker 1
25 count idle workers (unit 2) = 0
25 count node 0/idle workers (unit 2) = 0
50 begin node 1/worker 0, cpu 3: gemm accesses=[{object=A block=64 bytes=100 mode=r} {object=B, "tiles" block=3 bytes=64 mode=r} {object=A block=2 bytes=8192 mode=rw}]
75 end node 1/worker 0, cpu 3
80 at node 0/worker 1: stolen from thief=0 -> [1]
80 at node 1/worker 0, cpu 3: steal victim=1 other node=true entries=2 <- [1]
81 at node 1/worker 0, cpu 3: event(77) args=[5]
85 begin node 1/worker 0, cpu 3: gemm accesses=[{object=A block=0 bytes=8192 mode=r} {object=B, "tiles" block=0 bytes=64 mode=r} {object=A block=0 bytes=8192 mode=rw}] preempted=true moved=true
95 end node 1/worker 0, cpu 3
100 begin node 1/worker 0, cpu 3: task unstamped kernels=[{kernel=gemm accesses=[{object=A block=1 bytes=8192 mode=r} {object=B, "tiles" block=2 bytes=64 mode=r} {object=A block=3 bytes=8192 mode=rw}]} {kernel=idle} {kernel=a, b accesses=[{object=A block=4 bytes=8192 mode=w}]}]
130 end node 1/worker 0, cpu 3
`)
}

func TestPerfettoOfAllShapes(t *testing.T) {
	golden(t, readTimeline(t, write(t, allShapes(t), "perfetto")).lines(), `10 at trace: krdlab trace substrate=simulated clock=virtual grain=kernel nodes=0 note=the rate of the clock is not known: a tick is shown as 1 ns
10 begin node 0/worker 0: k accesses=[{object=P block=0 bytes=64 mode=r} {object=K block=18446744073709551615 bytes=1099511627776 mode=w} {object=S offset=4096 bytes=100 mode=rw} {object=S offset=0 bytes=256 rows=32 stride=16384 mode=r}]
15 end node 0/worker 0
20 begin node 0/worker 0: k accesses=[{object=K block=0 bytes=1 mode=r}]
25 end node 0/worker 0
`)
}

// TestPerfettoOfOddTraces exports executions that overlap, one within another, one that ends before
// it began, one out of order, an idle worker that stays idle, one that is idle twice in a row and
// busy without having been idle, and steals without a victim.
func TestPerfettoOfOddTraces(t *testing.T) {
	const head = "loi-text 4\nsubstrate native\nclock tsc 1e+09\nnodes 1\nworker 0 cpu -1 node 0 " +
		"offset 0\nworker 1 cpu -1 node 0 offset -100\nkernel a\nkernel b\n"
	for _, c := range []struct{ records, want string }{
		{"0 10 20 a()\n0 15 30 b() moved\n0 18 19 a()\n0 20 22 b()\n", `10 begin node 0/worker 0: a
15 begin node 0/worker 0/worker 0, overlap 1: b moved=true
18 begin node 0/worker 0/worker 0, overlap 2: a
19 end node 0/worker 0/worker 0, overlap 2
20 end node 0/worker 0
20 begin node 0/worker 0: b
22 end node 0/worker 0
30 end node 0/worker 0/worker 0, overlap 1
`},
		{"0 10 20 a()\n0 5 8 b()\n", `5 begin node 0/worker 0/worker 0, overlap 1: b
8 end node 0/worker 0/worker 0, overlap 1
10 begin node 0/worker 0: a
20 end node 0/worker 0
`},
		{"1 10 5 a()\n", `110 begin node 0/worker 1: a
110 end node 0/worker 1
`},
		{"0 10 event busy()\n0 12 event idle()\n0 13 event idle()\n0 20 event busy()\n0 30 event idle()\n1 20 event idle()\n1 20 event busy()\n", `12 begin node 0/worker 0: idle
12 count idle workers (unit 2) = 1
20 end node 0/worker 0
20 count idle workers (unit 2) = 0
30 begin node 0/worker 0: idle
30 count idle workers (unit 2) = 1
120 begin node 0/worker 1: idle
120 end node 0/worker 1
120 count idle workers (unit 2) = 1
`},
		{"0 10 event steal()\n0 11 event steal(7,0,1)\n0 12 event steal(1,0,1,9)\n0 12 event steal(0,0,1)\n", `10 at node 0/worker 0: steal
11 at node 0/worker 0: steal victim=7 other node=false entries=1
12 at node 0/worker 1: stolen from thief=0 -> [1]
12 at node 0/worker 0: steal victim=1 other node=false entries=1 args=[9] <- [1]
12 at node 0/worker 0: stolen from thief=0 -> [2]
12 at node 0/worker 0: steal victim=0 other node=false entries=1 <- [2]
`},
	} {
		tl := readTimeline(t, write(t, parse(t, head+c.records), "perfetto"))
		if !slices.ContainsFunc(tl.events, func(h happening) bool { return h.name == "idle" }) {
			tl.check(t)
		}
		tl.events = slices.DeleteFunc(tl.events,
			func(h happening) bool { return h.track == "trace" })
		golden(t, tl.lines(), c.want)
	}
}

func TestPerfettoOverlapLimit(t *testing.T) {
	var text strings.Builder
	text.WriteString(emptyText + "kernel k\n")
	for range maxLanes {
		text.WriteString("0 1 9 k()\n")
	}
	readTimeline(t, write(t, parse(t, text.String()), "perfetto")).check(t)
	text.WriteString("0 2 9 k()\n")
	var r *RangeError
	if err := Write(&failAfter{1 << 20}, parse(t, text.String()), "perfetto",
		Options{}); !errors.As(err, &r) ||
		err.Error() != "export as perfetto: worker 0: at tick 2 more executions overlap, or are "+
			"not in the order of time, than the 256 expected at most" {
		t.Errorf("%v", err)
	}
}

func TestPerfettoOfNothing(t *testing.T) {
	tl := readTimeline(t, write(t, parse(t, emptyText), "perfetto"))
	if len(tl.events) != 1 || len(tl.tracks) != 3 || !strings.Contains(tl.lines(),
		"note=the rate of the clock is not known") {
		t.Errorf("tracks %v, events\n%s", tl.tracks, tl.lines())
	}
}

// TestNanoseconds compares with arithmetic on 128 bits done by hand.
func TestNanoseconds(t *testing.T) {
	for _, c := range []struct {
		hz   float64
		tick uint64
		want uint64
	}{{1.86e9, 1.86e9, 1e9}, {1e9, 1<<63 - 1, 1<<63 - 1}, {3e9, 1e18, 333333333333333333},
		{2.5, 5, 2e9}, {0, 7, 7}, {1e-9, 0, 0}, {1e17, 1e17, 1e9}} {
		h := loi.Header{Workers: make([]loi.Worker, 1), Nodes: 1, Substrate: loi.Native,
			Clock: loi.Clock{Hz: c.hz}}
		tr := parse(t, fmt.Sprintf("loi-text 4\nsubstrate native\nclock tsc %v\nnodes 1\nworker 0 cpu "+
			"-1 node 0 offset 0\nkernel k\n0 %d %d k()\n",
			h.Clock.Hz, c.tick, c.tick))
		tl := readTimeline(t, write(t, tr, "perfetto"))
		if len(tl.events) != 3 || tl.events[2].ns != c.want {
			t.Errorf("tick %d at %v Hz: %+v, expected %d ns", c.tick, c.hz, tl.events, c.want)
		}
	}
}

// TestProtoc decodes the same file by protoc, where there is one: it prints the number of an
// unknown field.
func TestProtoc(t *testing.T) {
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(protoc, "--decode=perfetto.protos.Trace", "testdata/perfetto.proto")
	cmd.Stdin = strings.NewReader(write(t, parse(t, mixedText), "perfetto"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	events := 0
	for _, line := range strings.Split(string(out), "\n") {
		line = strings.TrimSpace(line)
		if line != "" && line[0] >= '0' && line[0] <= '9' {
			t.Errorf("a field that is not in the schema: %s", line)
		}
		if line == "track_event {" {
			events++
		}
	}
	if want := len(readTimeline(t, write(t, parse(t, mixedText),
		"perfetto")).events); events != want {
		t.Errorf("protoc sees %d events, expected %d", events, want)
	}
}
