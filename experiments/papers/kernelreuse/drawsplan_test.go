package kernelreuse

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"krdlab/experiments"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/request"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
)

func paperMachine(t *testing.T) *machine.Machine {
	t.Helper()
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A drawn machine is fitted: a run of its own brings out the targets, its guesses are as drawn, its
// folder is gone, and the same draw is fitted to the same numbers. Draw 0 is not fitted.
func TestDrawPlan(t *testing.T) {
	m := paperMachine(t)
	dir := t.TempDir()
	plan, err := DrawPlan(context.Background(), m, study.Smoke, 2, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the fit left %v (%v)", left, err)
	}
	got := plan[0].Machine
	again, err := DrawPlan(context.Background(), m, study.Smoke, 2, dir, nil)
	if err != nil || again[0].Machine.Hash() != got.Hash() {
		t.Errorf("fitted again, the machine is another (%v)", err)
	}
	drawn, err := m.Draw(2)
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash() == drawn.Hash() || got.Memory.OverlapMisses != drawn.Memory.OverlapMisses ||
		got.Costs != drawn.Costs {
		t.Error("the fit changed nothing, or what was drawn")
	}

	size := drawSizes[study.Smoke]
	f, err := newFitting(got, kernel.Params{"n": size.fit, "leaf": leafOf(2), "layout": "row"})
	if err != nil {
		t.Fatal(err)
	}
	f.request.Reps, f.request.Out = size.seeds, filepath.Join(dir, "run")
	topo, err := got.Topology()
	if err != nil {
		t.Fatal(err)
	}
	out, err := experiments.Run(context.Background(), &f.request, nil, topo, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range f.targets {
		r := &out.Results[i]
		if ovr := r.Summary.OVR.Median.Float(); !(math.Abs(ovr-x.Target) <= size.near) {
			t.Errorf("%s: OVR %g, target %g", x.Scheduler, ovr, x.Target)
		}
		if s := r.Serial.TimeNS.Float() / f.serial; !(math.Abs(s-1) <= fitSerial) {
			t.Errorf("the serial run takes %g of its target", s)
		}
	}

	zero, err := DrawPlan(context.Background(), m, study.Smoke, 0, dir, nil)
	if err != nil || zero[0].Machine.Hash() != m.Hash() {
		t.Errorf("draw 0 is not the machine (%v)", err)
	}
	var cores []int
	for i := range zero {
		c := &zero[i]
		if err := c.Validate(topo); err != nil {
			t.Error(err)
		}
		if c.Kernel.Name == "matmul" {
			cores = append(cores, c.Cores)
			if c.Params.Word("leaf") != leaves[0] {
				t.Errorf("draw 0 has the leaf %s", c.Params.Word("leaf"))
			}
		}
	}
	if !slices.Equal(cores, []int{1, 6, 12, 24}) || len(zero) != 5 {
		t.Errorf("%d cells, matmul on %v cores", len(zero), cores)
	}
}

// A fit that is interrupted leaves nothing that is in the way of the next.
func TestFitInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	dir := t.TempDir()
	if err := Fit(ctx, paperMachine(t), kernel.Params{"n": 2048}, 20, 0.001, dir, nil); err == nil {
		t.Error("it ended before it was interrupted")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the fit left %v (%v)", left, err)
	}
}

// A fit fails with an error: without targets, without fits, or to targets that no price reaches.
func TestFitBad(t *testing.T) {
	for want, change := range map[string]func(m *machine.Machine){
		"found no target of ovr workfirst": func(m *machine.Machine) { m.Fits[1].Target = 0 },
		"found 0 fits of OVR":              func(m *machine.Machine) { m.Fits = m.Fits[:1] },
		"found 4 fits of OVR":              func(m *machine.Machine) { m.Fits = m.Fits[1:] },
		"found fits of matmul on 6 cores":  func(m *machine.Machine) { m.Fits[2].Cores = 6 },
		`of the scheduler "none"`:          func(m *machine.Machine) { m.Fits[1].Scheduler = "none" },
		"after 24 steps found an OVR of":   func(m *machine.Machine) { m.Fits[1].Target = 1.0001 },
		"found no fitted price of tbb": func(m *machine.Machine) {
			m.Sources["families.tbb"] = "a book"
			m.Fits[2].Target = 1.5
		},
	} {
		m := paperMachine(t)
		change(m)
		err := Fit(context.Background(), m, kernel.Params{"n": 256}, 1, 0.001,
			filepath.Join(t.TempDir(), "fit"), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
}

// Parameters that the paper leaves open are drawn: both leaves, theta in all of its range; draw 0
// has the leaf of the fit and the theta of the evaluation.
func TestInputs(t *testing.T) {
	counts, parts := map[string]int{}, map[bool]int{}
	for i := 1; i <= 20; i++ {
		counts[leafOf(i)]++
		parts[thetaOf(i) < "0.45"]++
	}
	fmm, err := request.FindKernel("fmm")
	if err != nil {
		t.Fatal(err)
	}
	if c := request.New(fmm); thetaOf(0) != c.Params.Word("theta") || parts[true] < 5 ||
		parts[false] < 5 {
		t.Errorf("theta of draw 0 %s, of 20 draws %v below 0.45", thetaOf(0), parts)
	}
	if leafOf(0) != leaves[0] || counts[leaves[0]] < 5 || counts[leaves[1]] < 5 {
		t.Errorf("leaf of draw 0 %s, of 20 draws %v", leafOf(0), counts)
	}
}

// The order of the schedulers is that of draw 0 in the draws where no two changed places.
func TestSameOrder(t *testing.T) {
	var rows []drawn
	for draw, values := range [][]float64{{1, 2, 3, 4}, {1.1, 1.2, 1.3, 1.4}, {2, 1, 3, 4},
		{1, 2, 3}} {
		for i, v := range values {
			rows = append(rows, drawn{draw, "matmul", "n=256", 12, papers[i], "wti", v, "", aHash})
		}
	}
	b, err := newBands(rows)
	if err != nil {
		t.Fatal(err)
	}
	if same, of := b.sameOrder("matmul", 12, "wti"); same != 1 || of != 2 {
		t.Errorf("%d of %d", same, of)
	}
}
