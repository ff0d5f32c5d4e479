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
	for k, took := range times(r, r.ByWorker()) {
		got += took
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
	whole := len(pack("large", large.Run, 64<<20).data)
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
