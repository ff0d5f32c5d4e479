package goprogram

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"krdlab/experiments/goprogram/control"
	"krdlab/hw/hwtest/long"
	"krdlab/krd/analysis/interleave/goroutines"
	"krdlab/loi"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// TestControlledInRange compares runs under control, by the walk and by PCT, with the range over the schedules of
// native recordings, and prints how wide what they have is, and what control costs. Only runs in which something is
// kept as recorded may be outside: they have orders that native ones hardly ever have.
func TestControlledInRange(t *testing.T) {
	long.Only(t, "it runs eight programs up to 200 times each")
	type line struct {
		dir, path  string
		args       []string
		recordings int
	}
	var list []line
	dir := layConcurrent(t)
	for _, c := range concurrent {
		list = append(list, line{dir, ".", []string{c.program, c.size}, c.recordings})
	}
	for _, name := range []string{"workers", "pipeline", "service", "sharing"} {
		list = append(list, line{corpus.Dir(t), corpus.Set(name), []string{name}, 50})
	}
	for _, c := range list {
		t.Run(c.args[0], func(t *testing.T) {
			request := func(control, plain bool) (build.Request, *build.Program) {
				b := build.Request{Dir: c.dir, Path: c.path, Control: control, Plain: plain}
				b.Sync = control || !plain
				return b, built.Of(t, c.dir, b)
			}
			b, p := request(true, false)
			nativeBuild, nativeProgram := request(false, false)
			var totals [2][]of
			for i, policy := range []control.Policy{control.Walk, control.PCT} {
				q := &control.Request{Built: p, Args: c.args, Policies: []control.Policy{policy}, Seed: 1, Depth: 3,
					Limit: control.DefaultLimit, Time: control.DefaultTime}
				s := must(control.NewSession(t.Context(), q, t.TempDir()))(t)
				t.Run(policy.String(), func(t *testing.T) {
					totals[i], _ = inRange(t, c.recordings, func(n int) *loi.Trace {
						if n < c.recordings {
							return recordRun(t, nativeBuild, nativeProgram, nil, c.args...)
						}
						return recordRun(t, b, p, s.Next(n), c.args...)
					})
				})
				s.Close()
			}
			for m := goroutines.Distance; m <= goroutines.BeyondLLC; m++ {
				var low, high [2]uint64
				for i, list := range totals {
					for k, x := range list {
						if v := x[m]; k == 0 {
							low[i], high[i] = v, v
						} else {
							low[i], high[i] = min(low[i], v), max(high[i], v)
						}
					}
				}
				wider := "n/a" // the walk has one value
				if low[0] < high[0] {
					wider = fmt.Sprintf("%.2f", float64(high[1]-low[1])/float64(high[0]-low[0]))
				}
				t.Logf("measure %d: walk %d to %d, pct %d to %d: %s times as wide", m, low[0], high[0], low[1], high[1], wider)
			}
			_, p = request(true, true)
			s := must(control.NewSession(t.Context(), &control.Request{Built: p, Args: c.args,
				Policies: []control.Policy{control.Walk}, Limit: control.DefaultLimit, Time: control.DefaultTime}, t.TempDir()))(t)
			defer s.Close()
			_, plain := request(false, true)
			native := timed(t, func(int) *exec.Cmd { return exec.Command(plain.Binary, c.args...) })
			controlled := timed(t, func(n int) *exec.Cmd {
				x := exec.Command(p.Binary, c.args...)
				x.Env = append(x.Environ(), s.Next(n)...)
				return x
			})
			t.Logf("native %v, under control %v: %.1f times", native, controlled, float64(controlled)/float64(native))
		})
	}
}

// timed returns the median time of processes.
func timed(t *testing.T, command func(int) *exec.Cmd) time.Duration {
	t.Helper()
	var list []time.Duration
	for n := range 21 {
		c := command(n)
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		began := time.Now()
		if err := c.Run(); err != nil {
			t.Fatal(err, strings.TrimSpace(out.String()))
		}
		list = append(list, time.Since(began))
	}
	return slices.Sorted(slices.Values(list))[len(list)/2]
}
