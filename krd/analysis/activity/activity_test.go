package activity

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// activityOf returns the result of a trace in memory with the kernel "k".
func activityOf(t *testing.T, h loi.Header, record func(*loi.Writer)) *Result {
	t.Helper()
	h.Registry.Kernels = []loi.Kernel{{Name: "k"}}
	if h.Substrate == "" {
		h.Substrate = loi.Native
	}
	w, err := loi.NewMemory(h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	record(w)
	trace, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	list, err := analysis.Run(context.Background(), trace, []analysis.Asked{{Analysis: Analysis}},
		analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return list[0].(*Result)
}

// two is a header of two workers on two nodes whose clocks differ, at 2 GHz.
func two(substrate string) loi.Header {
	return loi.Header{Substrate: substrate, Clock: loi.Clock{Hz: 2e9},
		Workers: []loi.Worker{{CPU: 3}, {CPU: -1, Node: 1, TSCOffset: 1000}}}
}

// searches: worker 0 runs two kernels, steals twice and searches twice; worker 1 runs two tasks of
// the same length, and its last search has no end.
func searches(w *loi.Writer) {
	a, b := w.Recorder(0), w.Recorder(1)
	a.Kernel(0, 10, 30)
	a.Event(loi.EventIdle, 40)
	a.Event(loi.EventIdle, 42) // of a search that has begun
	a.Event(loi.EventSteal, 60, 1, 1, 1)
	a.Event(loi.EventBusy, 60)
	a.Event(loi.EventBusy, 61)
	a.Kernel(0, 70, 90)
	a.Event(loi.EventIdle, 90)
	a.Event(loi.EventSteal, 92, 0, 0, 1)
	a.Event(loi.EventBusy, 94)
	var list loi.TaskList
	for _, start := range []uint64{1010, 1050} {
		for range 3 {
			list.Add(0)
		}
		b.Task(start, start+10, &list)
	}
	b.Event(loi.EventIdle, 1064)
}

// Times are in ns of the common clock; a search without end lasts until the last stamp, or in a
// simulated run until the time that the caller gives.
func TestActivity(t *testing.T) {
	for _, c := range []struct {
		substrate string
		time      doc.Number
		last      int64 // idle time of worker 1
	}{{loi.Native, doc.Number{}, 15}, {loi.Native, doc.Some(200), 15},
		{loi.Simulated, doc.Number{}, 15}, {loi.Simulated, doc.Some(200), 168}} {
		r := activityOf(t, two(c.substrate), searches)
		r.TimeNS = c.time
		d := r.Document().(*Document)
		got, err := json.Marshal(d)
		want := fmt.Sprintf(`{"schema_version":1,"time_ns":%s,"recorders":false,"workers":[`+
			`{"cpu":3,"node":0,"kernels":2,"work_ns":20,"stamped":2,`+
			`"idle":{"time_ns":12,"searches":2},"steals":{"local":1,"remote":1}},`+
			`{"cpu":-1,"node":1,"kernels":6,"work_ns":10,"stamped":2,`+
			`"idle":{"time_ns":%d,"searches":1},"steals":{"local":0,"remote":0}}],`+
			`"all":{"kernels":8,"work_ns":30,"stamped":4,`+
			`"idle":{"time_ns":%d,"searches":3},"steals":{"local":1,"remote":1}},"warnings":[],"findings":[]}`,
			map[bool]string{true: "200", false: "null"}[c.time.Known()], c.last, c.last+12)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v: %v\n%s\nexpected\n%s", c.substrate, c.time, err, got, want)
		}
	}
}

// As data there is a row for each worker; shares are of the time, where that is known.
func TestTable(t *testing.T) {
	const head = "worker,cpu,node,kernels,work_ns,work_share,idle_ns,idle_share,steals_local," +
		"steals_remote\n"
	r := activityOf(t, two(loi.Simulated), searches)
	for _, c := range []struct {
		time doc.Number
		csv  string
		text bool // has shares
	}{{doc.Number{}, "0,3,0,2,20,,12,,1,1\n1,,1,6,10,,15,,0,0\n", false},
		{doc.Some(200), "0,3,0,2,20,0.1,12,0.06,1,1\n1,,1,6,10,0.05,168,0.84,0,0\n", true}} {
		r.TimeNS = c.time
		var csv, text strings.Builder
		if err := r.Tables()[0].CSV(&csv); err != nil || csv.String() != head+c.csv {
			t.Errorf("%v: %v\n%s", c.time, err, csv.String())
		}
		if err := r.View().Text(doc.NewPage(&text, 0)); err != nil {
			t.Error(err)
		}
		if strings.Contains(text.String(), "work, %") != c.text ||
			!strings.Contains(text.String(), "pinned to no CPU") {
			t.Errorf("%v:\n%s", c.time, text.String())
		}
	}
}

// A trace without searches and steals has none of their numbers; with steals it has no idle time.
func TestSilentTrace(t *testing.T) {
	h := loi.Header{Workers: []loi.Worker{{}}, Unordered: true}
	r := activityOf(t, h, func(w *loi.Writer) {
		w.Recorder(0).Kernel(0, 20, 25)
		w.Recorder(0).Kernel(0, 10, 15)
	})
	d := r.Document().(*Document)
	if d.All.Idle != nil || d.All.Steals != nil || d.All.WorkNS != 10 || !d.Recorders ||
		len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "rate of its clock") {
		t.Errorf("%+v", d)
	}
	table := r.View().Parts[0].(*doc.Table)
	if got := fmt.Sprint(table.Rows); table.Columns[0].Head != "recorder" || table.Foot ||
		!strings.Contains(got, string(noIdle)) || !strings.Contains(got, string(noSteals)) {
		t.Errorf("%s", got)
	}
	d = activityOf(t, h, func(w *loi.Writer) {
		w.Recorder(0).Event(loi.EventSteal, 5, 0)
	}).Document().(*Document)
	if d.All.Idle != nil || d.All.Steals == nil || *d.All.Steals != (Steals{Local: 1}) {
		t.Errorf("%+v", d.All)
	}
}

// Many workers are summed up by node for people, and have rows as data.
func TestManyWorkers(t *testing.T) {
	h := loi.Header{Clock: loi.Clock{Hz: 1e9}}
	for i := range 96 {
		h.Workers = append(h.Workers, loi.Worker{CPU: i, Node: i / 24})
	}
	r := activityOf(t, h, func(w *loi.Writer) {
		for i := range h.Workers {
			w.Recorder(i).Kernel(0, 0, 1e7)
			w.Recorder(i).Event(loi.EventSteal, 1e7, 0, 0)
		}
	})
	r.TimeNS = doc.Some(2e7)
	x := r.View().Parts[0].(*doc.Table)
	if len(x.Rows) != 5 || !x.Foot {
		t.Fatalf("%d rows, expected 4 nodes and their sum", len(x.Rows))
	}
	if got, want := fmt.Sprint(x.Rows[2]...), fmt.Sprint(2, 24, int64(24), doc.Some(2.4e8),
		doc.Some(0.5), noIdle, noIdle, int64(24), int64(0)); got != want {
		t.Errorf("node 2 is %s, expected %s", got, want)
	}
	if n := len(r.Tables()[0].Rows); n != 97 {
		t.Errorf("%d rows as data, expected 96 workers and their sum", n)
	}
}
