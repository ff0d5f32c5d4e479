package planted

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/krd/doc"
)

// An other is a code whose condition another test of the tree makes, and has a case without: the words
// stand in that test.
type other struct {
	code              doc.Code
	file, test, words string
}

const (
	reported   = "experiments/show/report/parts_test.go"
	briefed    = "experiments/run/brief/brief_test.go"
	judged     = "experiments/run/result/judge_test.go"
	summarised = "experiments/run/result/summarise_test.go"
	nothing    = "experiments/goprogram/race_test.go"
	becomes    = "experiments/goprogram/unusual_linux_test.go"
	clustered  = "cmd/krdlab/app/slurmfake_test.go"
)

var elsewhere = []other{
	{"load_high", reported, "TestValidity", "other programs ran"},
	{"frequency_may_change", reported, "TestValidity", "it may have changed"},
	{"flagged_repetitions", reported, "TestValidity", "lost N records"},
	{"disturbed_results", reported, "TestValidity", "in 1 of 16 results other programs"},
	{"undisturbed", reported, "TestValidity", "2 repetitions done again and set aside"},
	{"report_measured", reported, "TestValidity", "The numbers were measured"},
	{"report_nothing_against", reported, "TestValidity", "checks passed."},
	{"report_doubts", reported, "TestValidity", "Some of them are doubtful"},
	{"report_mixed", reported, "TestValidity", "Some of the numbers are measured and some simulated"},
	{"accesses_lost", "krd/analyze_test.go", "TestAnalyzeLost", "(3 times at least)"},
	{"element_ended", clustered, "TestFakeSlurm", "krdlab: not found"},
	{"checked", briefed, "TestCheckedAfterInterruption", "the results were checked, and are right"},
	{"checked_before", briefed, "TestCheckedAfterInterruption", "no repetition was finished; the runs before them"},
	{"checked_some", briefed, "TestCheckedAfterInterruption", "no repetition of helpfirst, "},
	{"not_there", briefed, "TestStatus", "no LLC misses: neither counters nor a model here"},
	{"tasks_traced", briefed, "TestStatus", "traces have the graph of tasks"},
	{"beyond_llc", briefed, "TestConclude", "accesses beyond the LLC: 12.5 (10.0–15.0)"},
	{"fewest_beyond", briefed, "TestConclude", "fewest accesses beyond the LLC: a, 12.5"},
	{"beyond_alike", briefed, "TestBriefSaysNoMore", "under workfirst, helpfirst"},
	{"clock_moved", judged, "TestJudge", "ClockMoved"},
	{"cpu_taken", judged, "TestJudge", "CPUTaken"},
	{"frequency_moved", judged, "TestJudge", "FrequencyMoved"},
	{"handover_moved", judged, "TestHandoverMoved", "handoverMoved(reps)"},
	{"impossible", judged, "TestImpossible", "r.impossible()"},
	{"lost_cpu", summarised, "TestSummariseDoubts", "Warn(LostCPU, Parallel, 21.0)"},
	{"stamped_over_cpu", summarised, "TestSummariseDoubts", "Warn(StampedOverCPU, SerialRun, 100.0)"},
	{"nothing_rewritten", nothing, "TestNothing", "no package was rewritten"},
	{"no_accesses", nothing, "TestNothing", "have no access to the heap"},
	{"no_access_made", nothing, "TestNothing", "none of the 3 accesses"},
	{"nothing_analysed", "experiments/goprogram/generics_test.go", "TestNothingObserved", "1 were to the stack"},
	{"program_replaced", becomes, "TestBecomesAnother", "d.Replaced != x.replaced"},
	{"left_running", becomes, "TestBecomesAnother", "d.LeftRunning != x.running"},
	{"other_computer", "experiments/read/compare/computers_test.go", "TestComparedComputers", "is another computer"},
	{"equal_by_construction", "experiments/read/correlate/answer_test.go", "TestEqualByConstruction", "a.ByConstruction != misses"},
	{"not_repeated", "experiments/run/loss/loss_test.go", "TestNotRepeated", "took 2.00 s"},
	{"causes_not_measured", "experiments/run/loss/loss_test.go", "TestMeasured", "was not stamped"},
	{"inflation_not_split", "experiments/run/loss/loss_test.go", "TestMeasured", "measured, and not split"},
	{"several_places", "experiments/read/model/places_test.go", "TestPlaces", "left out:"},
	{"unlike_rows", "experiments/read/survey/survey_test.go", "TestUnlikeRows", "compared over 1 of 3 rows"},
	{"schedules_not_followed", "experiments/goprogram/control/control_test.go", "TestFollow",
		"b.Findings[0].Code != notFollowed"},
}

// check reports a test that is not there, or has other words.
func (o *other) check(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, o.file))
	_, body, _ := strings.Cut(string(text), "func "+o.test+"(")
	if body, _, _ = strings.Cut(body, "\n}\n"); err != nil || !strings.Contains(body, o.words) {
		t.Errorf("%s: %s of %s has no %q (%v)", o.code, o.test, o.file, o.words, err)
	}
}
