package collect

import (
	"math"
	"testing"
)

// TestPace follows a program whose records grow with the pace up to a share of most: the share that is
// asked for is reached, or all that there is.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		rate       Rate
		gain, want float64
	}{
		{Rate{}, 0.2, 0.2},
		{Rate{Share: 0.05}, 0.2, 0.05},
		{Rate{Share: 0.05}, 0.01, mostPace * 0.01},
		{Rate{Share: 0.001}, 0.5, leastPace * 0.5},
		{Rate{Share: 0.3}, 0.2, 0.3},
		{Rate{Share: 0.05, Overhead: 1.5}, 0.2, 0.2 / 3 / recordingShare},
		{Rate{Overhead: 1e9}, 0.2, 0.2 / recordingShare},
	} {
		p, came, all := newPace(c.rate), 0.0, 1e5
		for range 40 {
			came += c.gain * p.by * all * (onShare + offShare)
			all *= 1 + onShare + offShare
			p.next(uint64(came), uint64(all))
		}
		if got := came / all; math.Abs(got-c.want) > 0.01*c.want {
			t.Errorf("%+v, %.2f at the pace of 1: %.4f came, expected %.4f", c.rate, c.gain, got, c.want)
		}
	}
}
