package dag

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"krdlab/loi"
)

func TestScheduleOf(t *testing.T) {
	const after = loi.AfterPhase
	s, err := ScheduleOf(traceOf(t, false, loi.Options{}, twoTasks))
	if err != nil {
		t.Fatal(err)
	}
	want := &Schedule{"p n=3", []int{0, 1}, []Step{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, after, 0},
		{1, 1, 1}, {1, after, 1}, {1, 0, 1}, {1, after, 1}}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("%+v", s)
	}
	// A clock that runs ahead: the child of worker 1 seems to run before its task is made.
	ahead := append([]event{{worker: 1, ticks: 20}}, twoTasks[:8]...)
	ahead = append(ahead, twoTasks[9:]...)
	if s, err = ScheduleOf(traceOf(t, false, loi.Options{}, ahead)); err != nil {
		t.Fatal(err)
	}
	want.Steps = []Step{{0, 0, 0}, {1, 1, 1}, {1, 0, 0}, {2, 0, 0}, {2, after, 0}, {1, after, 1},
		{1, 0, 1}, {1, after, 1}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("ahead: %+v", s)
	}
	// A clock that runs behind: the second phase seems to run before the first.
	behind := []event{{kind: loi.EventTask, args: []uint32{1, 0, 0, 0, 1}},
		{ticks: 5}, {kind: loi.EventChild, args: []uint32{1, 1, 0}},
		{kind: loi.EventPhase, args: []uint32{1, 1, 0}},
		{worker: 1, ticks: 5}, {worker: 1, kind: loi.EventChild, args: []uint32{1, 0, 0}},
		{worker: 1, kind: loi.EventPhase, args: []uint32{1, 0, 1}}}
	s, err = ScheduleOf(traceOf(t, false, loi.Options{}, behind))
	if err != nil || !reflect.DeepEqual(s.Steps, []Step{{0, 0, 0}, {1, 0, 1}, {1, after, 1},
		{1, 0, 0}, {1, after, 0}}) {
		t.Errorf("behind: %+v, %v", s, err)
	}
	// The piece that worker 1 runs too early waits for the second piece of worker 0, whose own
	// order stands.
	early := []event{{kind: loi.EventTask, args: []uint32{1, 0, 0, 0, 2}},
		{worker: 1, ticks: 5}, {worker: 1, kind: loi.EventChild, args: []uint32{2, 0, 0}},
		{ticks: 5}, {kind: loi.EventChild, args: []uint32{1, 0, 0}},
		{ticks: 5}, {kind: loi.EventTask, args: []uint32{2, 1, 0, 1, 1}},
		{kind: loi.EventPhase, args: []uint32{2, 0, 0}},
		{kind: loi.EventPhase, args: []uint32{1, 0, 0}}}
	s, err = ScheduleOf(traceOf(t, false, loi.Options{}, early))
	if err != nil || !reflect.DeepEqual(s.Steps, []Step{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 0, 1},
		{2, after, 0}, {1, after, 0}}) {
		t.Errorf("early: %+v, %v", s, err)
	}
	if s, err = ScheduleOf(traceOf(t, true, loi.Options{}, twoTasks)); err != nil ||
		len(s.Steps) != 8 {
		t.Errorf("unordered: %+v, %v", s, err)
	}
	// A root that runs in place.
	s, err = ScheduleOf(traceOf(t, false, loi.Options{}, []event{{ticks: 9},
		{kind: loi.EventChild, args: []uint32{0, 0, 0}}}))
	if err != nil || !reflect.DeepEqual(s.Steps, []Step{{0, 0, 0}}) {
		t.Errorf("%+v, %v", s, err)
	}
	// A worker that ran a child before it made the parent, and a run without an end.
	backwards := []event{{ticks: 1}, {kind: loi.EventChild, args: []uint32{1, 0, 0}}, {ticks: 1},
		{kind: loi.EventTask, args: []uint32{1, 0, 0, 0, 1}},
		{kind: loi.EventPhase, args: []uint32{1, 0, 0}}}
	_, err = ScheduleOf(traceOf(t, false, loi.Options{}, backwards))
	if !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), "worker 0, tick 1") {
		t.Errorf("backwards: %v", err)
	}
	_, err = ScheduleOf(traceOf(t, false, loi.Options{}, twoTasks[:12]))
	if !errors.Is(err, ErrIncomplete) {
		t.Errorf("no end: %v", err)
	}
}
