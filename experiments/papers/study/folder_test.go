package study

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"krdlab/experiments/sweep"
)

// A step that is left out does not stop the others; the next run tries it again, and no other. An
// error of another kind ends the run.
func TestLeft(t *testing.T) {
	var done []string
	var fails error
	list := []Step{}
	for _, name := range []string{"a", "b", "c"} {
		list = append(list, Step{name, func(context.Context, *Worker) (any, error) {
			done = append(done, name)
			if name == "b" && fails != nil {
				return nil, fails
			}
			return name + "!", nil
		}})
	}
	dir := filepath.Join(t.TempDir(), "f")
	for _, c := range []struct {
		fails error
		done  string
		left  string
		kept  int
		err   bool
	}{
		{errors.New("broken"), "[a b]", "", 1, true},
		{fmt.Errorf("%w: no network", ErrLeft), "[b c]", "left out: no network", 2, false},
		{nil, "[b]", "", 3, false},
		{nil, "[]", "", 3, false},
	} {
		f, _, err := Open(dir, "kind", Smoke, list)
		if err != nil {
			t.Fatal(err)
		}
		done, fails = nil, c.fails
		err = f.Run(t.Context(), sweep.Options{}, func(int, int, string) {})
		n, all := f.Done()
		if (err != nil) != c.err || fmt.Sprint(done) != c.done || f.Left("b") != c.left || n != c.kept ||
			all != 3 {
			t.Errorf("%v: %v, done %v, left %q, %d of %d", c.fails, err, done, f.Left("b"), n, all)
		}
		if x, err := Load[string](f, "b"); (err == nil) != (n == 3) || err == nil && *x != "b!" {
			t.Errorf("%v: kept %v, %v", c.fails, x, err)
		}
	}
	if _, _, err := Open(dir, "other", Smoke, list); !errors.Is(err, ErrFolder) {
		t.Errorf("another kind: %v", err)
	}
	if _, _, err := Open(dir, "kind", Smoke, slices.Clone(list[1:])); !errors.Is(err,
		ErrFolder) {
		t.Errorf("another plan: %v", err)
	}
}
