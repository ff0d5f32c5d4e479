package result

import (
	"slices"
	"testing"
)

// watched is a repetition on two workers, the second with conditions that f changes.
func watched(share float64, f func(c *Conditions)) Repetition {
	calm := func() *Conditions {
		return &Conditions{CycleNSBefore: Some(0.27), CycleNSAfter: Some(0.271),
			HandoverNSBefore: Some(100), HandoverNSAfter: Some(110),
			ClockNSBefore: Some(5), ClockNSAfter: Some(30), ClockBoundNSBefore: Some(20),
			ClockBoundNSAfter: Some(20)}
	}
	second := calm()
	if f != nil {
		f(second)
	}
	return Repetition{CPUTime: &CPUTime{Share: Some(share)}, TimeNS: 100,
		Workers: []Worker{{CPU: 4, Conditions: calm()}, {CPU: 6, Conditions: second}}}
}

func TestJudge(t *testing.T) {
	for name, test := range map[string]struct {
		rep  Repetition
		want []Code
	}{
		"calm":          {watched(0.951, nil), nil},
		"without a CPU": {watched(0.949, nil), []Code{CPUTaken}},
		"slower at the end": {watched(1, func(c *Conditions) {
			c.CycleNSAfter = Some(0.29)
		}), []Code{FrequencyMoved}},
		"slower than others": {watched(1, func(c *Conditions) {
			c.CycleNSBefore, c.CycleNSAfter = Some(0.29), Some(0.29)
		}), []Code{FrequencyMoved}},
		"the clock jumped": {watched(1, func(c *Conditions) {
			c.ClockNSAfter = Some(50)
		}), []Code{ClockMoved}},
		"the clock drifts": {watched(1, func(c *Conditions) {
			c.ClockError = "drifts"
		}), []Code{ClockMoved}},
		"both": {watched(0.5, func(c *Conditions) {
			c.CycleNSAfter = Some(0.2)
		}), []Code{CPUTaken, FrequencyMoved}},
		"a hand-over is no": {watched(1, func(c *Conditions) {
			c.HandoverNSAfter = Some(900)
		}), nil},
		"a clock not compared": {watched(1, func(c *Conditions) {
			c.ClockNSAfter = Number{}
		}), nil},
	} {
		reps := []Repetition{watched(1, nil), watched(1, nil), test.rep}
		Judge(reps, 2, 2)
		var got []Code
		for _, w := range reps[2].Disturbed {
			got = append(got, w.Code)
		}
		if !slices.Equal(got, test.want) || reps[2].Disturbed == nil || len(reps[0].Disturbed) > 0 {
			t.Errorf("%s: %v, expected %v", name, got, test.want)
		}
	}
	shared := []Repetition{watched(0.5, nil)}
	if Judge(shared, 2, 1); len(shared[0].Disturbed) > 0 {
		t.Error("two workers on one CPU disturb each other, and nobody else does")
	}
	unknown := []Repetition{{TimeNS: 1}}
	if Judge(unknown, 1, 1); unknown[0].Disturbed != nil {
		t.Error("nothing is known, and it was judged")
	}
}

func TestHandoverMoved(t *testing.T) {
	reps := []Repetition{watched(1, nil), watched(1, func(c *Conditions) {
		c.HandoverNSBefore = Some(199)
	})}
	if got := handoverMoved(reps); got != nil {
		t.Errorf("%v", got)
	}
	reps[0].Workers[1].Conditions.HandoverNSAfter = Some(201)
	got := handoverMoved(reps)
	if len(got) != 1 || !slices.Equal(got[0].Args, []any{4, 6, 100.0, 201.0}) {
		t.Errorf("%v", got)
	}
}

func TestImpossible(t *testing.T) {
	exact := func(low, high float64) Quantity {
		return Quantity{Median: Some((low + high) / 2), Low: Some(low), High: Some(high), N: 9}
	}
	r := &Result{Substrate: "native", Cores: 2, Serial: Serial{TimeNS: Some(100), WorkNS: Some(80)}}
	r.Summary = Summary{Speedup: exact(1.9, 2.1), WTI: exact(0.98, 1.02), OVR: exact(0.9, 1.1)}
	if got := r.impossible(); got != nil {
		t.Errorf("within the intervals: %v", got)
	}
	r.Summary = Summary{Speedup: exact(4, 5), WTI: exact(0.4, 0.5), OVR: exact(0.8, 0.9)}
	r.Disturbances = &Disturbances{Serial: 2}
	got := r.impossible()
	if len(got) != 3 || got[0].Args[0] != "speedup" || got[1].Args[0] != "wti" ||
		got[2].Args[0] != "ovr" || got[0].Args[4] != true {
		t.Errorf("%v", got)
	}
	// kernels of twice the time are more of it: OVR may be 0.8 + 0.2/2
	r.Summary = Summary{WTI: exact(2, 2), OVR: exact(0.9, 0.91)}
	if got := r.impossible(); got != nil {
		t.Errorf("%v", got)
	}
	r.Summary.OVR, r.Disturbances = exact(0.88, 0.89), nil
	if got := r.impossible(); len(got) != 1 || got[0].Args[4] != false {
		t.Errorf("%v", got)
	}
	r.Substrate = "simulated"
	if got := r.impossible(); got != nil {
		t.Errorf("in virtual time: %v", got)
	}
}
