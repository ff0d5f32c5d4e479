package runtimes

import "testing"

// A thief takes entries placed within the range in which it steals, and none that the policy keeps,
// or that is partly or wholly outside; without ranges it takes all that is not kept.
func TestMayTake(t *testing.T) {
	const w = minParts // a worker's share of a range
	for _, x := range []struct {
		what           string
		from, to       int // of the entry
		within, beyond int // of the thief's range
		kept           bool
		may, unranged  bool
	}{
		{"the same range", 2 * w, 5 * w, 2 * w, 5 * w, false, true, true},
		{"one worker's, in the middle", 3 * w, 4 * w, 2 * w, 5 * w, false, true, true},
		{"one worker's, at the lower end", 2 * w, 3 * w, 2 * w, 5 * w, false, true, true},
		{"one worker's, at the upper end", 4 * w, 5 * w, 2 * w, 5 * w, false, true, true},
		{"one part too low", 2*w - 1, 4 * w, 2 * w, 5 * w, false, false, true},
		{"one part too high", 3 * w, 5*w + 1, 2 * w, 5 * w, false, false, true},
		{"below", 0, 2 * w, 2 * w, 5 * w, false, false, true},
		{"above", 5 * w, 6 * w, 2 * w, 5 * w, false, false, true},
		{"around", 0, 6 * w, 2 * w, 5 * w, false, false, true},
		{"no range to steal in", 2 * w, 3 * w, 0, 0, false, false, true},
		{"kept", 3 * w, 4 * w, 2 * w, 5 * w, true, false, false},
	} {
		thief := new(Worker)
		thief.within.Store(placeRange(x.within, x.beyond))
		e := entry{tag: placeRange(x.from, x.to)}
		if x.kept {
			e.tag |= tagKept
		}
		if thief.mayTake(e) != x.unranged {
			t.Errorf("%s, without ranges: %v", x.what, !x.unranged)
		}
		if thief.rules.Ranges = true; thief.mayTake(e) != x.may {
			t.Errorf("%s: %v", x.what, !x.may)
		}
	}
}
