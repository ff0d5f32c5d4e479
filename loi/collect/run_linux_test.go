package collect

import (
	"math"
	"os"
	"testing"
	"time"
)

func TestCPUTime(t *testing.T) {
	mine := cpuTime(os.Getpid())
	before := mine()
	for n := 0; mine() < before+5*time.Millisecond; n++ { // a clock that stands still never ends
		if n > 1<<30 {
			t.Fatal("the CPU time of this process does not grow")
		}
	}
	nobody := cpuTime(math.MaxInt32 >> 4) // beyond the most that a kernel gives
	if before = nobody(); before < 0 || before > time.Minute {
		t.Errorf("no process has run for %v", before)
	}
	time.Sleep(2 * time.Millisecond)
	if now := nobody(); now < before+2*time.Millisecond {
		t.Errorf("after %v 2 ms came to %v", before, now-before)
	}
}
