package machine

import (
	"errors"
	"strings"
	"testing"
)

// A machine with a part of its caches differs in their sizes, which say so, in its name and in
// nothing else; what it was fitted to is gone.
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
