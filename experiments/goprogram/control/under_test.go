package control

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/goprogram"
	"krdlab/hw"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/interleave"
	"krdlab/loi"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// Its goroutines touch cells of 64 bytes, each within a lock, and it prints in which order.
const touching = `package main

import (
	"fmt"
	"sync"
)

var cells [64]int
var order [64]int
var n int

func touch(c int) {
	cells[8*c] = c
	order[n] = c
	n++
}

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			for i := range 8 {
				mu.Lock()
				touch((g + i*i) % 8)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	fmt.Println(order[:n])
}
`

// distances returns the sum of the distances of reuses of cells, in bytes of lines, and their number.
func distances(order []int) (sum, reuses float64) {
	var list []string
	for i, c := range order {
		list = append(list, fmt.Sprint("cell ", c), "n", fmt.Sprint("order ", i/8), "n")
	}
	for i, x := range list {
		if x[0] != 'c' {
			continue
		}
		between := map[string]bool{}
		for k := i - 1; k >= 0; k-- {
			if list[k] == x {
				reuses++
				for range between {
					sum += 64
				}
				break
			}
			between[list[k]] = true
		}
	}
	return sum, reuses
}

// TestUnder checks that what is recorded under control has the distances of the order that the program prints,
// that schedules have several orders, and that a schedule has the same each time.
func TestUnder(t *testing.T) {
	dir := corpus.Lay(t, "touching", map[string][]byte{"go.mod": []byte("module touching\n\ngo 1.26\n"),
		"main.go": []byte(touching)})
	b := build.Request{Dir: dir, Path: ".", Control: true}
	b.Sync = true
	q := request(built.Of(t, dir, b))
	s, err := NewSession(t.Context(), q, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	host, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]int{}
	for n := range 8 {
		var out bytes.Buffer
		file := filepath.Join(t.TempDir(), "p.loi")
		r := &goprogram.Request{Build: b, Built: q.Built, Unit: goprogram.Lines, Trace: file, Env: s.Next(n % 4),
			Stdout: &out, Stderr: &out}
		if _, err := goprogram.Run(t.Context(), r, []string{"krdlab"}, host); err != nil {
			t.Fatal(err, out.String())
		}
		printed[out.String()]++
		var order []int
		for _, f := range strings.Fields(strings.Trim(out.String(), "[]\n")) {
			order = append(order, int(f[0]-'0'))
		}
		sum, reuses := distances(order)
		if len(order) != 24 {
			t.Fatal(out.String())
		}
		trace, err := loi.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		o := interleave.Analysis.New().(*interleave.Options)
		o.Runs, o.Search, o.LLC = 1, 1, "1MiB"
		list, err := analysis.Run(t.Context(), trace, []analysis.Asked{{Analysis: interleave.Analysis, Options: o}},
			analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		trace.Close()
		d := list[0].Document().(*interleave.GoroutinesDocument)
		rows := d.Groups[len(d.Groups)-1].Objects
		i := slices.IndexFunc(rows, func(f interleave.GoroutineFound) bool { return strings.Contains(f.Name, "cells") })
		if got := rows[i].Distance.Minimum.Float(); rows[i].Reuses.Minimum.Float() != reuses || got != sum/reuses {
			t.Errorf("%v: a mean distance of %v, %v reuses; expected %v, %v", order, got, rows[i].Reuses.Minimum, sum/reuses,
				reuses)
		}
	}
	if len(printed) < 3 {
		t.Errorf("orders: %v", printed)
	}
	for order, times := range printed {
		if times%2 != 0 {
			t.Errorf("%d times: %s", times, order)
		}
	}
}
