package sweep

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/stats"
)

// benchUnits are the measures of a line of bench.txt.
var benchUnits = []struct {
	unit string
	of   stats.Measure
}{
	{"ns/op", stats.Time}, {"ns/kernel", stats.KernelTime}, {"speedup", stats.Speedup},
	{"ovr", stats.OVR}, {"wti", stats.WTI}, {"llc-misses/core", stats.Misses},
}

// WriteBench writes the repetitions of an experiment in the Go benchmark format
// (https://go.dev/design/14313-benchmark-format), a line for each, so that benchstat compares
// experiments, or schedulers: benchstat -col /sched -row /cores bench.txt. The substrate, the
// machine and the source of LLC misses are configuration, so that benchstat keeps apart what they
// differ in.
func WriteBench(w io.Writer, e *dataset.Experiment) error {
	for _, u := range benchUnits {
		if u.unit == "ns/op" {
			continue // benchstat has it
		}
		better := "lower"
		if u.of.Better == stats.Higher {
			better = "higher"
		}
		if _, err := fmt.Fprintf(w, "Unit %s better=%s\n", u.unit, better); err != nil {
			return err
		}
	}
	out := benchfmt.NewWriter(w)
	for i := range e.Cells {
		c := &e.Cells[i]
		for _, row := range c.Rows() {
			r := &benchfmt.Result{Name: benchName(c), Iters: 1}
			for _, u := range benchUnits {
				if n := u.of.Each(&row); n.Known() {
					r.Values = append(r.Values, benchfmt.Value{Value: n.Float(), Unit: u.unit})
				}
			}
			source := row.LLCSource
			if source == "" {
				source = "none"
			}
			key := dataset.KeyOf(c)
			settings := key.Settings
			if settings == "" {
				settings = "default"
			}
			for _, kv := range [][2]string{{"substrate", key.Substrate}, {"machine", key.Machine},
				{"settings", settings}, {"llc-source", source}} {
				r.Config = append(r.Config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]),
					File: true})
			}
			if err := out.Write(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// benchName returns Matmul/n=1024/leaf=32x32x64/seed=1/sched=workfirst/cores=6. The last part ends
// without a dash and a number, which would be read as GOMAXPROCS.
func benchName(c *dataset.Cell) benchfmt.Name {
	r := c.Result
	name := []rune(r.Kernel)
	name[0] = unicode.ToUpper(name[0])
	parts := []string{string(name)}
	for _, p := range dataset.Params(r) {
		word := strings.Join(strings.Fields(p.Key+"="+p.Value), "_")
		parts = append(parts, strings.ReplaceAll(word, "/", "_"))
	}
	parts = append(parts, fmt.Sprintf("seed=%d", r.Seed), "sched="+r.Scheduler,
		fmt.Sprintf("cores=%d", r.Cores))
	return benchfmt.Name(strings.Join(parts, "/"))
}
