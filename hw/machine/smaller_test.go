package machine

import (
	"errors"
	"strings"
	"testing"
)

// A machine with a part of its caches differs in their sizes, which say so, in its name and in
// nothing else; its fits are gone.
func TestWithCaches(t *testing.T) {
	for _, name := range Names() {
		m := named(t, name)
		small, err := m.WithCaches(16)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if small.L2.Bytes*16 != m.L2.Bytes || small.LLC.Bytes*16 != m.LLC.Bytes ||
			small.LLC.Ways != m.LLC.Ways || small.Name != name+"-caches-1-16" ||
			len(small.Fits) != 0 || small.Hash() == m.Hash() {
			t.Errorf("%s: %+v", name, small)
		}
		if s := small.Source("llc.size"); !strings.HasPrefix(s, "1/16 of ") {
			t.Errorf("%s: the LLC is from %q", name, s)
		}
		small.L1.Bytes, small.L2.Bytes, small.LLC.Bytes = m.L1.Bytes, m.L2.Bytes, m.LLC.Bytes
		if small.Hash() != m.Hash() {
			t.Errorf("%s: more than the caches differs", name)
		}
	}
	m := named(t, "westmere-ex-4s")
	if same, err := m.WithCaches(1); err != nil || same.Hash() != m.Hash() || same.Name != m.Name {
		t.Errorf("all of the caches: %+v, %v", same, err)
	}
	for n, want := range map[int]string{0: "l1.size: found 64 sets", 48: "l1.size: found 64 sets"} {
		_, err := m.WithCaches(n)
		if _, ok := errors.AsType[*FieldError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("1/%d: %v, want %q", n, err, want)
		}
	}
}

// A machine with other prices differs in them, in its name and in nothing else, and has their
// sources.
func TestWithPrices(t *testing.T) {
	m, other := named(t, "westmere-ex-4s"), named(t, "desktop")
	for _, test := range []struct {
		got          *Machine
		name, source string
		families     int
		spawn, frame uint64
	}{
		{m.WithPrices("tbb"), "tbb", "for all schedulers, fitted", 0, 987_000, m.Costs.FramePS},
		{m.WithPricesOf(other), "desktop", other.Source("costs.spawn"), 0, other.Costs.SpawnPS,
			m.Costs.FramePS},
		{other.WithPricesOf(m), "westmere-ex-4s", m.Source("costs.spawn"), len(m.Families),
			m.Costs.SpawnPS, other.Costs.FramePS},
	} {
		if err := test.got.Validate(); err != nil {
			t.Errorf("%s: %v", test.got.Name, err)
		}
		if _, prices := Unpriced(test.got.Name); prices != test.name {
			t.Errorf("%s: prices of %q, expected %q", test.got.Name, prices, test.name)
		}
		if s := test.got.Source("costs.spawn"); !strings.HasPrefix(s, test.source) {
			t.Errorf("%s: a spawn is from %q, expected %q", test.got.Name, s, test.source)
		}
		if c := test.got.Costs; c.SpawnPS != test.spawn || c.FramePS != test.frame ||
			len(test.got.Families) != test.families || len(test.got.Fits) != 0 {
			t.Errorf("%s: %+v", test.got.Name, test.got)
		}
		back := test.got.Clone()
		whole := m
		if base, _ := Unpriced(back.Name); base == other.Name {
			whole = other
		}
		back.Costs, back.Families = whole.Costs, whole.Families
		back.Ranges = whole.Ranges
		if back.Hash() != whole.Hash() {
			t.Errorf("%s: more than the prices differs", back.Name)
		}
	}
	if name, prices := Unpriced("desktop"); name != "desktop" || prices != "" {
		t.Errorf("a machine's own prices: %q, %q", name, prices)
	}
}
