package brief

import (
	"encoding/json"
	"strings"
	"testing"

	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// Each warning has its sentence, made anew and read from a document alike.
func TestSentences(t *testing.T) {
	for _, test := range []struct {
		w    result.Warning
		want string
	}{
		{result.Warn(result.NoIntervals, 3, 6),
			"no intervals: 3 repetitions, and 6 are needed for 95 % confidence"},
		{result.Warn(result.NoIntervals, 1, 6), "no intervals: 1 repetition, and 6"},
		{result.Warn(result.Interrupted, 7, 9), "ended after 7 of 9 repetitions"},
		{result.Warn(result.SharedCPUs, 24, 2), "WTI is unreliable: 24 workers share 2 CPUs"},
		{result.Warn(result.StampedOverCPU, result.SerialRun, 100.2),
			"disturbed the serial run: kernels took 100 % longer"},
		{result.Warn(result.LostCPU, result.Parallel, 21.0),
			"disturbed the repetitions: a worker lost its CPU 21 times in a repetition"},
		{result.Warn(result.FlaggedKernels, 2.0, 10.0), "2 of 10 kernels were stopped"},
		{result.Warn(result.SyntheticTopology), "synthetic topology"},
		{result.Warn(result.NoKRD, "go.loi", int64(5), int64(7)),
			"no KRD: the trace go.loi lost 5 of 7 records; krdlab krd --allow-loss"},
		{result.Warn(result.TraceLost, "go.loi", int64(5), int64(7), "it is full"),
			"go.loi lost 5 of its 7 records: it is full"},
		{result.Warn(result.MixedPrices, "workfirst, helpfirst", "fifo"),
			"fitted for workfirst, helpfirst, and are guesses or measurements for fifo"},
		{result.Warn(result.CheckFailed, result.Some(3), result.Number{}),
			"the check failed: error 3, tolerance NaN"},
		{result.Warn(result.ClocksNotCompared, "no pinning"), "compared (no pinning): the order"},
		{result.Warn(result.TracingCost, "no trace"), "no trace"},
		{result.Warn(result.PlacesUnknown, "no program"), "not known (no program): taken as one"},
		{result.Warn(result.ReplayLost, uint64(3)), "3 records were discarded while tracing"},
		{result.Warn(result.ReplayLossUnknown, 2, 6), "how many records of 2 of its 6 workers are"},
		{result.Warn(result.Recovered), "the trace had no clean end"},
		{result.Warn(result.UnfinishedRun, "a.partial"), "a.partial is of a run that did not"},
		{result.Warn(result.ImposedNodes), "map was imposed"},
		{result.Warn(result.SettingDiffers, "numa", "none", "interleave"),
			"the setting numa differs: none in A, interleave in B"},
		{result.Warn(result.OtherComputer, "AMD EPYC"), "the AMD EPYC of B is another computer"},
		{result.Warn(result.OtherMachine, "host"), "the machine host is described otherwise"},
		{result.Warn(result.OtherModel, "a", "0123456789", "abcdef0123"),
			"a is not the same in A and B: its numbers differ (hash 01234567 in A, abcdef01 in B)"},
		{result.Warn(result.OneConfiguration), "there is one configuration only"},
		{result.Warn(result.SeveralSources), "correlated apart"},
		{result.Warn(result.NoMisses), "no LLC misses"},
		{result.Warn(result.WithoutKRD, 3, 16), "3 of 16 configurations have no KRD"},
		{result.Warn(result.OneTrace, 1, 1), "1 of 1 configuration have one traced repetition"},
		{result.Warn(result.SameShares, 4, 16), "4 of 16 configurations have all their KRD"},
		{result.Warn(result.Text, "the moon is full"), "the moon is full"},
		{result.Warn("from_the_future", 1, "two"), "from_the_future [1 two]"},
	} {
		b, err := json.Marshal(test.w)
		if err != nil {
			t.Fatal(err)
		}
		var back result.Warning
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		got := test.w.Sentence()
		if again := back.Sentence(); !strings.Contains(got, test.want) || again != got {
			t.Errorf("%q, read back %q, want %q", got, again, test.want)
		}
	}
	for code := range sentences { // a document from elsewhere may say anything
		for _, args := range [][]any{nil, {"x", "y", "z", "w"}, {1.5, nil, []any{}, true}} {
			if doc.Find(code, args...).Sentence() == "" && code != result.Text &&
				code != result.TracingCost {
				t.Errorf("%s %v: no words", code, args)
			}
		}
	}
}
