package kernelreuse

import (
	"math"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
)

// Every kernel has a row for each class that was run, whatever its parameters are, with simulated
// over native time; it is within the band if all its numbers are.
func TestKernelTimes(t *testing.T) {
	quantity := func(nativeOver float64) result.Quantity {
		return ranged(nativeOver, nativeOver/2, nativeOver*2, true, 6)
	}
	var list []pair
	for i, k := range kernels.Table {
		for _, class := range []string{kernel.SmallClass, kernel.DefaultClass} {
			p, _ := k.InClass(class)
			params := dataset.ParamsText(&result.Result{Kernel: k.Name, Params: p})
			over := 1.0
			if i == 1 && class == kernel.DefaultClass {
				over = 2 // twice as fast simulated
			}
			list = append(list,
				pair{kernel: k.Name, params: params, cores: 1, scheduler: request.SerialScheduler().Name,
					ratios: []result.Quantity{quantity(over)}},
				pair{kernel: k.Name, params: params, cores: 2, scheduler: request.DefaultScheduler().Name,
					ratios: []result.Quantity{quantity(1)}})
		}
	}
	table, figure, says := kernelTimes(list)
	if n := 2 * len(kernels.Table); len(table.Rows) != n || len(figure.Panels) != 2 {
		t.Fatalf("%d rows, want %d; %d panels", len(table.Rows), n, len(figure.Panels))
	}
	if !strings.Contains(says, "is within 0.7 and 1.4 for 15 of 16 kernels") {
		t.Error(says)
	}
	for i, row := range table.Rows {
		want, inside := 1.0, true
		if row[0] == kernels.Table[1].Name && row[1] == kernel.DefaultClass {
			want, inside = 0.5, false
		}
		q := row[3].(result.Quantity)
		if math.Abs(q.Median.Float()-want) > 1e-12 || q.Low.Float() != want/2 ||
			q.High.Float() != want*2 || row[5] != inside {
			t.Errorf("row %d: %v, want %g", i, row, want)
		}
	}
	if table, _, says := kernelTimes(nil); table != nil || says != "" {
		t.Errorf("of nothing: %v, %s", table, says)
	}
}
