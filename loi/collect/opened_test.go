package collect

import "testing"

// TestDeepNesting opens as many operations in each other as a program that recurses deeply does:
// each is found again when it ends.
func TestDeepNesting(t *testing.T) {
	const m, a, b, depth = 0xc000010000, 0xc000020000, 0xc000030000, 50_000
	all := []event{ev(kindAlloc, m, 48), ev(kindType, 0, 1), ev(kindAlloc, a, 64), ev(kindType, 0, 2),
		ev(kindAlloc, b, 64), ev(kindType, 0, 2)}
	for range depth { // m[f()], append(a, f()), copy(a, f())
		all = append(all, ev(kindMap, m, siteMap),
			ev(kindWindow, a, siteAppend), ev(kindExtent, 16, siteAppend),
			ev(kindWindow, a, siteTo), ev(kindExtent, 16, siteTo))
	}
	for i := range uint64(depth) {
		all = append(all, ev(kindWindow, b, siteFrom), ev(kindExtent, 8, siteFrom),
			ev(kindMade, a, siteAppend), ev(kindExtent, 64, siteAppend), ev(kindKey, i, siteMap))
	}
	r, k := read(t, nil, all...)
	if r.Odd != 0 {
		t.Errorf("%d events make no sense", r.Odd)
	}
	// A copy of one element reads and writes, an append writes one, and a map has its own and an entry.
	if n := depth * (2 + 1 + 2); len(k.Places) != n {
		t.Errorf("%d accesses, expected %d", len(k.Places), n)
	}
}

// TestWhatPanicsIsGivenUp opens operations that never end, and checks that they are bounded, that
// the ones that end are found, and that nothing is kept of a goroutine that has ended.
func TestWhatPanicsIsGivenUp(t *testing.T) {
	const m = 0xc000010000
	var kept keeper
	r := NewReader(testSites, nil, &kept)
	send := func(events ...event) {
		if err := r.Events(1, 5, events); err != nil {
			t.Fatal(err)
		}
	}
	send(ev(kindAlloc, m, 48), ev(kindType, 0, 1))
	for range 3 * maxOpen {
		send(ev(kindMap, m, siteMap))
	}
	th := r.threads[1]
	if n := len(th.open); n > maxOpen || n < maxOpen/2 {
		t.Errorf("%d are open, of %d at most", n, maxOpen)
	}
	send(ev(kindMap, m, siteMap), ev(kindKey, 7, siteMap))
	if r.Odd != 0 {
		t.Errorf("%d events make no sense", r.Odd)
	}
	if send(ev(kindEnd, 6, 0)); th.open != nil || th.windows != nil {
		t.Errorf("%d and %d are open behind the end", len(th.open), len(th.windows))
	}
}
