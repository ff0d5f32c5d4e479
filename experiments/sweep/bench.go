package sweep

import (
	"cmp"
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
	b, err := newBench(w)
	for i := 0; i < len(e.Cells) && err == nil; i++ {
		err = b.add(&e.Cells[i], e.Cells[i].Rows())
	}
	return err
}

// A bench writes lines of the benchmark format.
type bench struct{ *benchfmt.Writer }

func newBench(w io.Writer) (*bench, error) {
	for _, u := range benchUnits {
		if u.unit == "ns/op" {
			continue // benchstat has it
		}
		better := "lower"
		if u.of.Better == stats.Higher {
			better = "higher"
		}
		if _, err := fmt.Fprintf(w, "Unit %s better=%s\n", u.unit, better); err != nil {
			return nil, err
		}
	}
	return &bench{benchfmt.NewWriter(w)}, nil
}

// add writes the rows of a cell.
func (b *bench) add(c *dataset.Cell, rows []dataset.Row) error {
	name, key := benchName(c), dataset.KeyOf(c)
	settings := cmp.Or(key.Settings, "default")
	for _, row := range rows {
		r := &benchfmt.Result{Name: name, Iters: 1}
		for _, u := range benchUnits {
			if n := u.of.Each(&row); n.Known() {
				r.Values = append(r.Values, benchfmt.Value{Value: n.Float(), Unit: u.unit})
			}
		}
		for _, kv := range [][2]string{{"substrate", key.Substrate}, {"machine", key.Machine},
			{"settings", settings}, {"llc-source", cmp.Or(row.LLCSource, "none")}} {
			r.Config = append(r.Config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]),
				File: true})
		}
		if err := b.Write(r); err != nil {
			return err
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
