// Package long tells tests which shape they have: the one of go test ./..., which takes minutes for
// the whole tree, or the one of .ci/long, which takes up to an hour. A test has one body and two
// shapes: fewer seeds, smaller inputs or fewer cases by default, never other assertions.
package long

import (
	"os"
	"testing"
)

// Tests is true where the environment asks for the long shapes: KRDLAB_LONG=1.
var Tests = os.Getenv("KRDLAB_LONG") == "1"

// Or returns long where the long shapes are asked for, short otherwise.
func Or[T any](short, long T) T {
	if Tests {
		return long
	}
	return short
}

// Only skips a test that has no short shape, with the reason why it has none.
func Only(t testing.TB, reason string) {
	t.Helper()
	if !Tests {
		t.Skipf("only with KRDLAB_LONG=1: %s", reason)
	}
}
