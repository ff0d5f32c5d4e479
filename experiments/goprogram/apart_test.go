package goprogram

import (
	"slices"
	"testing"

	"krdlab/loi"
	"krdlab/loi/collect"
	"krdlab/loi/front"
)

// Updates are two accesses, loads and stores one; turns and acts stay between the same accesses.
func TestApart(t *testing.T) {
	r := collect.NewReader([]front.Site{{Mode: loi.In}, {Mode: loi.InOut}, {Mode: loi.Out}}, nil, nil)
	var of [3]uint32 // groups
	for i := range of {
		of[i] = r.Number(collect.Group{Site: i + 1})
	}
	const load, update, store = 0, 1, 2
	b := &collect.Batch{Places: []uint64{8, 16, 24, 16}, Real: []uint64{108, 116, 124, 116}, Bytes: []uint32{8, 4, 8, 4},
		Groups: []uint32{of[load], of[update], of[store], of[update]},
		Turns:  []collect.Turn{{End: 2, Goroutine: 1}, {End: 2, Goroutine: 2}, {End: 4, Goroutine: 1}},
		Acts:   []collect.Act{{After: 0}, {After: 2}, {After: 2}, {After: 4}}}
	var x apart
	for range 2 { // what was made of one batch is not in the next
		got := x.batch(r, b)
		var ends, after []int
		for _, turn := range got.Turns {
			ends = append(ends, turn.End)
		}
		for _, act := range got.Acts {
			after = append(after, act.After)
		}
		if !slices.Equal(got.Places, []uint64{8, 16, 16, 24, 16, 16}) ||
			!slices.Equal(got.Real, []uint64{108, 116, 116, 124, 116, 116}) ||
			!slices.Equal(got.Bytes, []uint32{8, 4, 4, 8, 4, 4}) || len(got.Groups) != 6 ||
			!slices.Equal(ends, []int{3, 3, 6}) || !slices.Equal(after, []int{0, 3, 3, 6}) {
			t.Errorf("%+v", got)
		}
	}
	if b.Turns[0].End != 2 || b.Acts[1].After != 2 {
		t.Errorf("the batch was changed: %+v", b)
	}
	l := &collect.Loop{Times: 5, Accesses: []collect.Strided{{Place: 8, Group: of[load]}, {Place: 16, Group: of[update]}}}
	if got := x.loop(r, l); got.Times != 5 || len(got.Accesses) != 3 || got.Accesses[1] != got.Accesses[2] ||
		len(l.Accesses) != 2 {
		t.Errorf("%+v of %+v", got, l)
	}
}
