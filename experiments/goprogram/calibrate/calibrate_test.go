// Package calibrate compares what samples of programs estimate with the exact distances.
package calibrate

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
)

var (
	update = flag.Bool("update", false, "write the table of docs/trace-go.md anew")
	kept   = flag.String("kept", "", "the folder with exact results; those that are not there are made")
	only   = flag.String("only", "", "what the names of programs contain")
	times  = flag.Int("samples", 0, "samples of each program (0: as the shape has)")
)

// exact returns the exact result of a program. That of the short shape is in testdata; the long one
// compares it with a new one.
func (p *program) exact(t *testing.T, args string) *result {
	t.Helper()
	name := strings.ReplaceAll(args, " ", "-") + ".json"
	switch {
	case args == p.short:
		return read(t, filepath.Join("testdata", name))
	case *kept == "":
		return p.trace(t, args, false)
	}
	file := filepath.Join(*kept, name)
	if _, err := os.Stat(file); err != nil {
		p.keep(t, args, file)
	}
	return read(t, file)
}

func read(t *testing.T, file string) *result {
	t.Helper()
	d := new(result)
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// keep traces a program and writes what came of it.
func (p *program) keep(t *testing.T, args, file string) {
	t.Helper()
	d := p.trace(t, args, false)
	d.TracedNs = 0
	text, err := json.Marshal(d)
	if err == nil {
		err = os.WriteFile(file, append(text, '\n'), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The exact results in testdata are those of the programs; -update writes them.
func TestKept(t *testing.T) {
	long.Only(t, "exact tracing takes longer than the samples")
	for i := range programs {
		p := &programs[i]
		if p.short == "" {
			continue
		}
		file := filepath.Join("testdata", strings.ReplaceAll(p.short, " ", "-")+".json")
		if *update {
			p.keep(t, p.short, file)
		}
		kept, now := read(t, file).shares(), p.trace(t, p.short, false).shares()
		if !maps.EqualFunc(kept, now, func(a, b estimate) bool { return math.Abs(a.share-b.share) < 1e-4 }) {
			t.Errorf("%s is not the exact result of %s: -update writes it", file, p.name)
		}
	}
}

// TestCalibration compares samples of each program with its exact distances: how many intervals hold
// them, and how far the estimates are off on average. The long shape has all programs, and the table
// of docs/trace-go.md is of it.
func TestCalibration(t *testing.T) {
	var all summaries
	table := &strings.Builder{}
	table.WriteString(tableHead)
	samples := long.Or(2, 10)
	if *times > 0 {
		samples = *times
	}
	tried := 0
	for i := range programs {
		p := &programs[i]
		args := long.Or(p.short, p.args)
		if args == "" || !strings.Contains(p.name, *only) {
			continue
		}
		tried++
		exact := p.exact(t, args)
		native := p.native(t, args)
		var list []*result
		var slow []float64
		for range samples {
			s := p.trace(t, args, true)
			if s.Accesses != exact.Accesses {
				t.Errorf("%s: %d accesses, expected %d", p.name, s.Accesses, exact.Accesses)
			}
			list, slow = append(list, s), append(slow, s.TracedNs/native)
		}
		var of summaries
		for _, c := range compare(exact, list) {
			of[c.kind].add(&c)
			all[c.kind].add(&c)
			in, n, missing := c.covered()
			t.Logf("%s: %v: %.2f %%, off by %+.2f, %d of %d covered, %d n/a; %s", p.name, c.key,
				100*c.exact, 100*c.bias(), in, n, missing, c.text())
			if c.kind == beyond {
				fmt.Fprintf(table, "| %s | %.0f M | %s | %.2f, %.2f |", p.name, float64(exact.Accesses)/1e6,
					of[bins].text(), 100*c.exact, 100*(c.exact+c.bias()))
			}
		}
		of[bins].covers(t, p.name)
		fmt.Fprintf(table, " %s | %.1f |\n", of.rows(), median(slow))
	}
	if tried == 0 {
		t.Fatal("no program was sampled")
	}
	fmt.Fprintf(table, "| all | | %s | | %s | |\n", all[bins].text(), all.rows())
	t.Logf("\n%s", table)
	if *update && tried == len(programs) {
		document(t, table.String())
	}
	b := &all[bins]
	b.covers(t, "all programs")
	if tried < len(programs) {
		return
	}
	rows := all[functions]
	rows.merge(&all[fields])
	for _, c := range []struct {
		what           string
		got, low, high float64
	}{
		{"covered bins", b.coverage(), 0.9, 0.98},
		{"covered rows", rows.coverage(), 0.9, 0.98},
		{"bins n/a", float64(b.missing) / float64(b.all), 0, 0.05},
		{"rows n/a", float64(rows.missing) / float64(rows.all), 0, 0.05},
		{"half-width of bins", median(b.widths), 0, 0.015},
		{"mean error of bins", mean(b.biases), 0, 0.005},
		{"mean error of shares beyond 1 MiB", mean(all[beyond].biases), 0, 0.01},
	} {
		if !(c.low <= c.got && c.got <= c.high) {
			t.Errorf("%s: %.2f %%, expected %.1f to %.1f", c.what, 100*c.got, 100*c.low, 100*c.high)
		}
	}
}

// covers fails where so few intervals would hardly hold the exact share if 90 % of all did. Those of
// a sample are not independent, so the chance must be small.
func (s *summary) covers(t *testing.T, name string) {
	t.Helper()
	if c := atMost(s.in, s.of, 0.9); s.of == 0 || c < 1e-4 {
		t.Errorf("%s: %d of %d intervals hold the exact share, which has a chance of %.1g if 90 %% do",
			name, s.in, s.of, c)
	}
}

const tableHead = "| program | accesses | covered | +- | off | most | n/a | > 1 MiB | rows | time |\n" +
	"|---|---|---|---|---|---|---|---|---|---|\n"

// document writes the table of docs/trace-go.md.
func document(t *testing.T, table string) {
	t.Helper()
	file := filepath.Join("..", "..", "..", "docs", "trace-go.md")
	text, err := os.ReadFile(file)
	before, rest, ok := strings.Cut(string(text), tableHead)
	_, after, ended := strings.Cut(rest, "\n\n")
	if err != nil || !ok || !ended {
		t.Fatalf("%s has no table that begins with %q (%v)", file, tableHead, err)
	}
	if err := os.WriteFile(file, []byte(before+table+"\n"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// text returns the columns of bins.
func (s *summary) text() string {
	return fmt.Sprintf("%d of %d | %.2f | %.2f | %+.2f | %d", s.in, s.of, 100*median(s.widths),
		100*mean(s.biases), 100*s.worst, s.missing)
}

// rows returns the column of rows: covered, n/a and the largest mean error.
func (of *summaries) rows() string {
	s := of[functions]
	s.merge(&of[fields])
	return fmt.Sprintf("%d of %d, %d, %+.2f", s.in, s.of, s.missing, 100*s.worst)
}

// text returns the estimates.
func (c *compared) text() string {
	var list []string
	for _, e := range c.estimates {
		list = append(list, fmt.Sprintf("%.2f+-%.2f", 100*e.share, 200*e.err))
	}
	return strings.Join(list, " ")
}
