// Package long decides whether a test runs its short form (go test ./..., minutes for the whole
// tree) or its long form (.ci/long, up to an hour). A test has one body and two shapes: fewer
// seeds, smaller inputs or fewer cases by default, never other assertions.
package long

import (
	"os"
	"testing"
)

// Tests is true where the environment asks for the long shapes, KRDLAB_LONG=1. It is read before
// any test begins, which go test's cache does not see: call Or.
var Tests = asked()

// asked reads the variable. During a test, go test's cache notes it: a result of one shape is not
// taken for the other's.
func asked() bool { return os.Getenv("KRDLAB_LONG") == "1" }

// Or returns long where the long shapes are asked for, short otherwise. Call it during a test.
func Or[T any](short, long T) T {
	if asked() {
		return long
	}
	return short
}

// Only skips a test that has no short shape, with the reason why it has none.
func Only(t testing.TB, reason string) {
	t.Helper()
	if !asked() {
		t.Skipf("only with KRDLAB_LONG=1: %s", reason)
	}
}
