package kernelreuse

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/kernels"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// Within what simulated over native times of a kernel are to be.
const (
	bandLow  = 0.7
	bandHigh = 1.4
)

// simulatedOver is the time of simulated runs over that of native ones, from the quotient of the
// other direction.
func simulatedOver(native result.Quantity) result.Quantity {
	if !native.Median.Known() {
		return result.Quantity{}
	}
	low, high, sure := native.Bounds()
	return ranged(1/native.Median.Float(), 1/high, 1/low, sure, native.N)
}

// kernelTimes has a row for each kernel and class of size that was run on both sides: simulated
// over native time of the serial run, and of the default scheduler on all cores.
func kernelTimes(list []pair) (*doc.Table, *plot.Figure, string) {
	serial, parallel := request.SerialScheduler().Name, request.DefaultScheduler().Name
	cores := 0
	for i := range list {
		cores = max(cores, list[i].cores)
	}
	t := &doc.Table{Name: "kernels", Keys: 2, Columns: append(named(2, "kernel", "class"),
		hidden("params"), ratioColumn("serial_simulated_over_native", "serial"),
		ratioColumn("parallel_simulated_over_native", units.Count(cores, "core")),
		doc.Column{Key: "within", Head: "within", Kind: doc.Truth})}
	var points []placed
	classes, within := map[string]int{}, map[string]int{}
	for _, k := range kernels.Table {
		seen := map[string]bool{} // some classes are the same size
		for _, class := range k.ClassNames() {
			p, _ := k.InClass(class)
			params := dataset.ParamsText(&result.Result{Kernel: k.Name, Params: p})
			if seen[params] {
				continue
			}
			seen[params] = true
			of := func(scheduler string, cores int) result.Quantity {
				i := slices.IndexFunc(list, func(x pair) bool {
					return x.kernel == k.Name && x.params == params && x.scheduler == scheduler &&
						x.cores == cores
				})
				if i < 0 {
					return result.Quantity{}
				}
				return simulatedOver(list[i].ratios[0])
			}
			alone, all := of(serial, 1), of(parallel, cores)
			if !alone.Median.Known() && !all.Median.Known() {
				continue
			}
			inside := true
			for _, q := range []result.Quantity{alone, all} {
				v := q.Median.Float()
				inside = inside && q.Median.Known() && v >= bandLow && v <= bandHigh
			}
			t.Row(k.Name, class, params, alone, all, inside)
			classes[k.Name]++
			if inside {
				within[k.Name]++
			}
			points = append(points, placed{"class " + class, k.Name, "serial", alone},
				placed{"class " + class, k.Name, units.Count(cores, "core"), all})
		}
	}
	if len(points) == 0 {
		return nil, nil, ""
	}
	whole := 0
	for name, n := range classes {
		if within[name] == n {
			whole++
		}
	}
	text := fmt.Sprintf("simulated over native time, serial and on %s, is within %g and %g for %d of %d "+
		"kernels at each of their sizes", units.Count(cores, "core"), bandLow, bandHigh, whole,
		len(classes))
	f := places("validation", "Simulated over native time", "simulated / native", "as native",
		strings.ToUpper(text[:1])+text[1:]+". Bars: 95 % of bootstrap samples of the native "+
			"repetitions.", points, 0.2,
		func(series []string) []int {
			looks := make([]int, len(series))
			for i := range looks {
				looks[i] = i
			}
			return looks
		})
	for i := range f.Panels {
		f.Panels[i].X.Turned = true
	}
	return t, f, text
}
