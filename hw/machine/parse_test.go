package machine

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
)

// Every machine that is built in reads, has the name of its file, and is the same after being
// written and read again.
func TestBuiltin(t *testing.T) {
	names := Names()
	if !slices.IsSorted(names) || !slices.Contains(names, "westmere-ex-4s") {
		t.Errorf("names are %q", names)
	}
	for _, name := range names {
		m, err := ByName(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if m.Name != name {
			t.Errorf("%s.toml calls its machine %q", name, m.Name)
		}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Error(err)
		}
		again, err := Parse("written", b.Bytes())
		if err != nil {
			t.Errorf("%s, written and read: %v\n%s", name, err, b.Bytes())
		} else if !reflect.DeepEqual(again, m) {
			t.Errorf("%s, written and read, is another:\n%+v\nit was\n%+v", name, again, m)
		} else if again.Hash() != m.Hash() {
			t.Errorf("%s has another hash after being written and read", name)
		}
	}
}
