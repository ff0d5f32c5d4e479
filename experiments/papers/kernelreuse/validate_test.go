package kernelreuse

import (
	"math"
	"testing"

	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/result"
	"krdlab/hw/machine"
	"krdlab/loi"
)

// Each configuration of a validation is there natively and simulated, and is possible where the
// computer is as the machine.
func TestValidatePlan(t *testing.T) {
	m, err := machine.ByName("desktop")
	if err != nil {
		t.Fatal(err)
	}
	topo, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range steps.Scales {
		plan, err := ValidatePlan(scale, m, 2)
		if err != nil {
			t.Fatal(err)
		}
		possible(t, scale, plan, topo)
		sides := map[bool]int{}
		for i := range plan {
			sides[plan[i].Machine == nil]++
		}
		if sides[true] == 0 || sides[true] != sides[false] {
			t.Errorf("%s: %d native cells and %d simulated ones", scale, sides[true], sides[false])
		}
	}
}

// Only undisturbed native repetitions are used, the serial ones too, and the ratio is of medians.
func TestNativeOver(t *testing.T) {
	reps := func(times []int64, work int64, judged bool) (list []result.Repetition) {
		for _, ns := range times {
			r := result.Repetition{TimeNS: ns, WorkNS: &work}
			if judged {
				r.Disturbed = []result.Warning{}
			}
			list = append(list, r)
		}
		return list
	}
	native := &result.Result{Cores: 2, Substrate: loi.Native,
		Repetitions: reps([]int64{100, 102, 98, 100, 101, 99, 900}, 180, true)}
	native.Serial.Repetitions = reps([]int64{200, 200, 200, 200, 200, 200, 800}, 160, true)
	for _, r := range []*result.Repetition{&native.Repetitions[6], &native.Serial.Repetitions[6]} {
		r.Disturbed = []result.Warning{result.Warn(result.CPUTaken, result.Some(0.5))}
	}
	simulated := &result.Result{Cores: 2, Substrate: loi.Simulated, Deterministic: true,
		Repetitions: reps([]int64{80}, 150, false)}
	simulated.Serial.Repetitions = reps([]int64{150}, 150, false)

	a, b := timingsOf(native), timingsOf(simulated)
	if len(a.time) != 6 || len(a.serial) != 6 || a.of != 7 || len(b.time) != 1 {
		t.Fatalf("%d of %d native repetitions, %d serial ones; %d simulated", len(a.time), a.of,
			len(a.serial), len(b.time))
	}
	for i, want := range []float64{100. / 80, (2 * 100. / 200 * 160 / 180) / (2 * 80. / 150),
		180. / 160} {
		m := &validatedMeasures[i]
		got := m.nativeOver(&a, &b)
		low, high, sure := got.Bounds()
		if !sure || math.Abs(got.Median.Float()/want-1) > 1e-12 || low > want || high < want {
			t.Errorf("%s: %+v, expected %g", m.key, got, want)
		}
	}
	for i := range native.Repetitions { // nobody looked
		native.Repetitions[i].Disturbed = nil
	}
	a = timingsOf(native)
	if v := validatedMeasures[0].nativeOver(&a, &b); v.Median.Known() {
		t.Errorf("without undisturbed repetitions: %+v", v)
	}
}
