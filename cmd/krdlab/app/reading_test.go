package app

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"krdlab/experiments/goprogram"
	"krdlab/hw"
	"krdlab/loi"
)

// Whatever reads a trace shows how far it is, on a terminal, from the first second on.
func TestReadingIsShown(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, errs bytes.Buffer
	if code := newApp(&out, &errs).main(strings.Fields("krdlab run matmul --n 64 --cores 1 --reps 1 " +
		"--machine westmere-ex-4s --trace full --out r")); code != 0 {
		t.Fatal(errs.String())
	}
	traces, err := findTraces("r")
	if err != nil {
		t.Fatal(err)
	}
	if err := loi.Compress(traces[0], "a.loi.zst"); err != nil {
		t.Fatal(err)
	}
	first := untilShown
	defer func() { untilShown = first }()
	for line, shown := range map[string]string{"trace go . --out x.loi": "trace until the disk is full ",
		"trace go . --out x.loi --trace-limit 1G": "trace until --trace-limit ",
		"dependences go . --trace-limit 1G":       "trace until --trace-limit "} {
		untilShown = 0
		var errs bytes.Buffer
		a := newApp(&bytes.Buffer{}, &errs)
		a.terminal = true
		a.goRun = func(_ context.Context, r *goprogram.Request, _ []string, _ *hw.Topology) (
			*goprogram.Document, error) {
			r.TraceProgress(1<<20, 1<<30)
			return nil, errors.New("no program")
		}
		if a.main(append([]string{"krdlab"}, strings.Fields(line)...)); !strings.Contains(errs.String(),
			shown) || !strings.Contains(errs.String(), "(1.0 MiB/1.0 GiB") {
			t.Errorf("%s: %q", line, errs.String())
		}
	}
	for _, x := range []struct {
		terminal bool
		until    time.Duration
		shown    bool
	}{{true, 0, true}, {true, first, false}, {false, 0, false}} {
		untilShown = x.until
		for _, c := range []struct{ line, shown string }{
			{"trace info a.loi.zst", "info"},
			{"trace verify a.loi.zst", "verify"},
			{"trace recover a.loi.zst --out b.loi", "recover"},
			{"trace compress a.loi.zst --out c.loi", "compress"},
			{"trace export b.loi --out d.txt", "open"},
			{"view b.loi --out page.html", "view"},
			{"krd b.loi", "open"},
			{"krd r", "open"},
			{"krd b.loi --replay westmere-ex-4s", "replay"},
			{"predict a.loi.zst:1 b.loi:2 --at 4 --different", "open"},
		} {
			var errs bytes.Buffer
			a := newApp(&bytes.Buffer{}, &errs)
			a.terminal = x.terminal
			code := a.main(append([]string{"krdlab"}, strings.Fields(c.line)...))
			if strings.Contains(errs.String(), c.shown+" ") != x.shown || code != 0 {
				t.Errorf("%s, %+v: exit code %d\n%q", c.line, x, code, errs.String())
			}
		}
		for _, file := range []string{"b.loi", "c.loi", "d.txt"} {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}
