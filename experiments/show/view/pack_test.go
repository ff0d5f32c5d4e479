package view

import (
	"testing"

	"krdlab/experiments/show/scene"
)

// Executions with the stamps of one task share its time: all together take what [scene.Run.Strip]
// says.
func TestTimes(t *testing.T) {
	r := made(t, shape{seed: 12, workers: 4, nodes: 2, executions: 3000, blocks: 100, hz: 1e9,
		spread: true, tasks: true})
	var got, want, alone int64
	took := times(r)
	for k := range r.Start {
		got += took(k)
		alone += r.End[k] - r.Start[k]
	}
	for _, v := range r.Strip(1, r.Ticks).Ticks[:scene.Searching] {
		want += v
	}
	if got != want || alone <= want {
		t.Errorf("%d ticks, expected %d; without sharing %d", got, want, alone)
	}
}

// Runs that are small leave their room to those that are not, and all together keep within it.
func TestPackAll(t *testing.T) {
	large := Run{Name: "large", Run: made(t, shape{seed: 5, workers: 4, nodes: 2, executions: 20000,
		blocks: 200, hz: 1e9, plain: true})}
	few := Run{Name: "few", Run: made(t, shape{seed: 6, workers: 4, nodes: 2, executions: 200,
		blocks: 200, hz: 1e9, plain: true})}
	whole := len((&packer{run: large.Run}).pack(64 << 20).data)
	room := 4 * whole / 3 * 5 / 4
	for _, x := range []struct {
		runs []Run
		room int
		one  []bool // a mark an execution
	}{{[]Run{few, large, few}, room, []bool{true, true, true}},
		{[]Run{large, large}, room, []bool{false, false}},
		{[]Run{large, few, large}, 2 * room, []bool{true, true, true}}} {
		sum := 0
		for i, p := range packAll(x.runs, x.room) {
			if p.Name != x.runs[i].Name || (p.Group == 1) != x.one[i] {
				t.Errorf("room %d, run %d: %s, %d executions a mark, expected one: %v", x.room, i, p.Name,
					p.Group, x.one[i])
			}
			sum += (len(p.data) + 2) / 3 * 4
		}
		if sum > x.room {
			t.Errorf("%d bytes in a room of %d", sum, x.room)
		}
	}
}

// Marks that are merged and moments that are thinned are those that a pass over the executions makes
// of as many.
func TestMerged(t *testing.T) {
	r := made(t, shape{seed: 21, workers: 6, nodes: 3, executions: 5000, blocks: 150, hz: 1e9, tasks: true})
	coarse, fine := &packer{run: r, group: 16}, &packer{run: r, group: 4}
	coarse.sum(8)
	fine.sum(32)
	written := func(marks []mark, moments []moment) string {
		w := &writer{}
		w.marks(marks)
		w.moments(moments)
		return string(w.b)
	}
	want := written(coarse.marks, coarse.moments)
	if written(fine.marks, fine.moments) == want {
		t.Error("there is nothing to merge")
	}
	if written(merged(merged(fine.marks)), thinned(thinned(fine.moments))) != want {
		t.Error("merged marks and thinned moments differ from those of a pass")
	}
}

// A run of more units than a page has room for keeps within it: moments give way, at last all.
func TestManyUnits(t *testing.T) {
	run := made(t, shape{seed: 22, workers: 4, nodes: 2, executions: 30000, blocks: 5000, hz: 1e9, plain: true})
	before := 1 << 10
	for _, room := range []int{240 << 10, 120 << 10, 30 << 10} {
		p := (&packer{run: run}).pack(room)
		if p.size() > room || p.Group == 1 || p.Moments >= before || p.Marks < fewMarks/4 {
			t.Errorf("room %d: %d bytes, %d marks, %d moments, before %d", room, p.size(), p.Marks, p.Moments, before)
		}
		before = p.Moments
	}
	if before != 0 {
		t.Errorf("%d moments are left in the smallest room", before)
	}
}
