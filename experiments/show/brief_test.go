package show

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/hw"
	"krdlab/krd"
	"krdlab/loi"
)

// six are results of six schedulers, with intervals and all that a run can have.
func six() []result.Result {
	var list []result.Result
	quantity := func(v float64) result.Quantity {
		return result.QuantityOf([]float64{v, 1.01 * v, 0.99 * v, v, 1.02 * v, v})
	}
	for i, name := range []string{"workfirst", "helpfirst", "helpfirst-locality", "shepherd-core",
		"shepherd-socket", "go"} {
		far, v := uint64(10+i), 1+float64(i)/4
		source, model := result.LLCSourceModel, &result.LLCModel{CacheModel: request.CacheBlocks}
		list = append(list, result.Result{
			Kernel: "fib", Params: map[string]any{"n": 4096}, Serial: result.Serial{
				TimeNS: result.Some(2e10)}, Scheduler: name, Cores: 24,
			Substrate: loi.Native, Machine: result.Machine{Machine: hw.Machine{Name: "made"}},
			Summary: result.Summary{TimeNS: quantity(2e9 * v), Speedup: quantity(10 / v),
				OVR: quantity(v), WTI: quantity(1.05), LLCMissesPerCore: quantity(1.19e6)},
			KRD:       &krd.Report{Histogram: krd.Histogram{Accesses: 1000, Cold: 5, Far: &far}},
			LLCSource: &source, LLCModel: model,
			Check:        &result.Check{Passed: true},
			WarningCodes: []result.Warning{result.Warn(result.SharedCPUs, 24, 2)},
		})
	}
	return list
}

// A screen has all that six schedulers did.
func TestBriefFits(t *testing.T) {
	var b strings.Builder
	if err := WriteBrief(&b, six(), BriefWidth); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) > 24 { // and the run directory
		t.Errorf("%d lines\n%s", len(lines), b.String())
	}
	for _, l := range lines {
		if n := utf8.RuneCountInString(l); n > BriefWidth {
			t.Errorf("%d columns: %s", n, l)
		}
	}
	for _, want := range []string{"2.00±2%", "(model)", "Fastest: workfirst; the next, helpfirst, takes 25 % longer",
		"go +125 % overhead, +5 % inflation of work", "Fewest accesses beyond the LLC: workfirst, 1.50 %; most: go, 2.00 %",
		"The results were checked", "warning: WTI is unreliable: 24 workers share 2 CPUs\n"} {
		if !strings.Contains(strings.ReplaceAll(b.String(), "\n  ", " "), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), NotAvailable) {
		t.Errorf("n/a where nothing was asked:\n%s", b.String())
	}
}

// A value that every repetition gives is called exact, and overlapping intervals crown nobody.
func TestBriefSaysNoMore(t *testing.T) {
	list := six()[:2]
	list[1].Summary.TimeNS = list[0].Summary.TimeNS
	list[0].Deterministic = true
	list[0].Summary.TimeNS = list[0].Quantity([]float64{2e9})
	var b strings.Builder
	if err := WriteBrief(&b, list, BriefWidth); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2.000=", "=: exact, nothing is drawn", "No scheduler is shown to " +
		"be the fastest: the interval of workfirst overlaps with that of helpfirst."} {
		if !strings.Contains(strings.ReplaceAll(b.String(), "\n  ", " "), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// Digits follow from the intervals, and points stand below each other.
func TestAligned(t *testing.T) {
	q := func(low, median, high float64) result.Quantity {
		return result.Quantity{Median: result.Some(median), Low: result.Some(low),
			High: result.Some(high), N: 6}
	}
	exact := result.Quantity{Median: result.Some(1.5), N: 1, Reason: result.Deterministic}
	for _, test := range []struct {
		column []result.Quantity
		scale  float64
		reach  bool
		want   string
	}{
		{[]result.Quantity{q(1.9, 2, 2.1), q(119, 120, 121.4), {}}, 1, true,
			"[2.00±5%]|[120.0 ±2%]|[n/a]"},
		{[]result.Quantity{q(1.9, 2, 2.1), exact}, 1, true, "[2.00 ±5%]|[1.500=  ]"},
		{[]result.Quantity{{Median: result.Some(1234.5), N: 2, Reason: result.TooFew}}, 1, true,
			"[1234]"},
		{[]result.Quantity{q(0.0002, 0.0005, 0.0009)}, 100, false, "[0.050]"},
		{[]result.Quantity{q(3, 3, 3)}, 1, true, "[3.000±1%]"},
	} {
		var cells []string
		for _, c := range Aligned(test.column, test.scale, test.reach) {
			cells = append(cells, fmt.Sprintf("[%s]", c))
		}
		if got := strings.Join(cells, "|"); got != test.want { // the table aligns to the right
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestCount(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 97312: "97312", 898779: "898.8k",
		1190000: "1.190M", 3.2e9: "3.200G"} {
		if got := Count(result.Some(v)); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
