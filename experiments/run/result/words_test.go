package result

import (
	"encoding/json"
	"strings"
	"testing"

	"krdlab/krd/doc"
)

// Each warning has its sentence, made anew and read from a document alike.
func TestSentences(t *testing.T) {
	for _, test := range []struct {
		w    Warning
		want string
	}{
		{Warn(NoIntervals, 3, 6),
			"no intervals: 3 repetitions, and 6 are needed for 95 % confidence"},
		{Warn(NoIntervals, 1, 6), "no intervals: 1 repetition, and 6"},
		{Warn(Interrupted, 7, 9), "ended after 7 of 9 repetitions"},
		{Warn(SharedCPUs, 24, 2), "WTI is unreliable: 24 workers share 2 CPUs"},
		{Warn(StampedOverCPU, SerialRun, 100.2),
			"disturbed the serial run: kernels took 100 % longer"},
		{Warn(LostCPU, Parallel, 21.0),
			"disturbed the repetitions: a worker lost its CPU 21 times in a repetition"},
		{Warn(FlaggedKernels, 2.0, 10.0), "2 of 10 kernels were stopped"},
		{Warn(SyntheticTopology), "synthetic topology"},
		{Warn(NoKRD, "go.loi", int64(5), int64(7)),
			"no KRD: the trace go.loi lost 5 of 7 records; krdlab krd --allow-loss"},
		{Warn(TraceLost, "go.loi", int64(5), int64(7), "it is full"),
			"go.loi lost 5 of its 7 records: it is full"},
		{Warn(MixedPrices, "workfirst, helpfirst", "fifo"),
			"fitted for workfirst, helpfirst, and are guesses or measurements for fifo"},
		{Warn(CheckFailed, Some(3), Number{}),
			"the check failed: error 3, tolerance NaN"},
		{Warn(ClocksNotCompared, "no pinning"), "compared (no pinning): the order"},
		{Warn(TracingCost, "no trace"), "no trace"},
		{Warn(PlacesUnknown, "no program"), "not known (no program): blocks are taken"},
		{Warn(ReplayLost, uint64(3)), "3 records were discarded while tracing"},
		{Warn(ReplayLossUnknown, 2, 6), "not known for 2 of its 6 workers"},
		{Warn(Recovered), "the trace had no clean end"},
		{Warn(UnfinishedRun, "a.partial"), "a.partial is of a run that did not"},
		{Warn(ImposedNodes), "map was imposed"},
		{Warn(SettingDiffers, "numa", "none", "interleave"),
			"the setting numa differs: none in A, interleave in B"},
		{Warn(OtherComputer, "AMD EPYC"), "the AMD EPYC of B is another computer"},
		{Warn(OtherMachine, "host"), "the machine host is described differently"},
		{Warn(OtherModel, "a", "0123456789", "abcdef0123"),
			"a is not the same in A and B: its numbers differ (hash 01234567 in A, abcdef01 in B)"},
		{Warn(OneConfiguration), "there is only one configuration"},
		{Warn(SeveralSources), "correlated apart"},
		{Warn(NoMisses), "no LLC misses"},
		{Warn(WithoutKRD, 3, 16), "3 of 16 configurations have no KRD"},
		{Warn(OneTrace, 1, 1), "1 of 1 configuration have one traced repetition"},
		{Warn(SameShares, 4, 16), "4 of 16 configurations have all their KRD"},
		{Warn(Text, "the moon is full"), "the moon is full"},
		{Warn("from_the_future", 1, "two"), "from_the_future [1 two]"},
	} {
		b, err := json.Marshal(test.w)
		if err != nil {
			t.Fatal(err)
		}
		var back Warning
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
			if doc.Find(code, args...).Sentence() == "" && code != Text &&
				code != TracingCost {
				t.Errorf("%s %v: no words", code, args)
			}
		}
	}
}
