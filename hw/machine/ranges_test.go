package machine

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

// Every draw of every machine that is built in is a machine, its numbers lie in their ranges, all
// others are as they were, and the same draw is the same machine; no two are alike.
func TestDraw(t *testing.T) {
	ranged := 0
	for _, name := range Names() {
		m := named(t, name)
		if len(m.Ranges) == 0 {
			continue
		}
		ranged++
		hashes := map[string]int{}
		for i := range 60 {
			d, err := m.Draw(i)
			if err != nil {
				t.Fatal(err)
			}
			again, err := m.Draw(i)
			if err != nil || !reflect.DeepEqual(d, again) {
				t.Fatalf("%s: draw %d is another machine the next time (%v)", name, i, err)
			}
			if other, ok := hashes[d.Hash()]; ok {
				t.Errorf("%s: draws %d and %d are the same", name, other, i)
			}
			hashes[d.Hash()] = i
			for _, path := range m.Paths() {
				rg, drawn := m.Ranges[path]
				nowAt, _ := d.field(path)
				wasAt, _ := m.field(path)
				now, was := nowAt.numbers(), wasAt.numbers()
				switch {
				case !drawn && !m.fitted(path) && !reflect.DeepEqual(now, was):
					t.Errorf("%s: draw %d moves %s, which has no range", name, i, path)
				case drawn:
					for _, v := range now {
						if v < rg.Low || v > rg.High {
							t.Errorf("%s: draw %d of %s is %d, beyond %v", name, i, path, v, rg)
						}
					}
				}
			}
		}
		if zero, err := m.Draw(0); err != nil || !reflect.DeepEqual(zero, m) {
			t.Errorf("%s: draw 0 is not the machine (%v)", name, err)
		}
	}
	if ranged == 0 {
		t.Error("no machine has ranges")
	}
}

// Draws reach all of a range: the ends of a count, and both halves of a time.
func TestDrawSpread(t *testing.T) {
	m := named(t, "westmere-ex-4s")
	counts := map[int]int{}
	low := 0
	for i := 1; i <= 300; i++ {
		d, err := m.Draw(i)
		if err != nil {
			t.Fatal(err)
		}
		counts[d.Memory.OverlapMisses]++
		if d.Costs.SpawnPS < 60_000 { // the middle of 30 to 120 as ratios go
			low++
		}
		if c := d.CostsOf("massivethreads"); c.RestPS != d.Costs.RestPS ||
			c.SpawnPS <= d.Costs.SpawnPS {
			t.Errorf("draw %d: a family does not follow: %+v", i, c)
		}
	}
	if len(counts) != 3 || counts[2] < 70 || counts[4] < 70 {
		t.Errorf("overlaps of 300 draws: %v", counts)
	}
	if low < 110 || low > 190 {
		t.Errorf("%d of 300 spawns are below the middle", low)
	}
}

// A range of the paper's machine is written as it is read, and is part of the hash; a number without
// one that is a guess is one of those that the page names.
func TestRangesWritten(t *testing.T) {
	m := named(t, "westmere-ex-4s")
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Parse("written", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Ranges, m.Ranges) || !reflect.DeepEqual(again.Fits, m.Fits) {
		t.Errorf("read back:\n%v\n%v", again.Ranges, again.Fits)
	}
	for _, want := range []string{"memory.overlap = [2, 4]\n", "fused = \"8.541Gop/s\" # fitted\n",
		"costs.steal_remote = [\"450ns\", \"1.8us\"]\n", "target = 1.077\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the file has no %s:\n%s", want, b.String())
		}
	}
	again.Ranges["memory.overlap"] = Range{2, 5}
	if again.Hash() == m.Hash() {
		t.Error("another range has the same hash")
	}
	var without []string
	for _, path := range m.Guesses() {
		if _, ok := m.Ranges[path]; !ok {
			without = append(without, path)
		}
	}
	want := []string{"memory.page", "memory.placement", "costs.lock_delay"}
	if !reflect.DeepEqual(without, want) {
		t.Errorf("guesses without a range: %v, expected %v", without, want)
	}
	for _, f := range m.Fits {
		if f.Target == 0 {
			t.Errorf("a fit without a target: %+v", f)
		}
	}
}

// A fault of a range is an error at its line.
func TestRangesBad(t *testing.T) {
	file, err := os.ReadFile("machines/westmere-ex-4s.toml")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"memory.overlaps = [2, 4]":            `found no number "memory.overlaps"`,
		"memory.placement = [1, 2]":           `found no number "memory.placement"`,
		"memory = 3":                          `found no number "memory"`,
		"memory.overlap = [2]":                "found an array, expected a pair",
		"memory.overlap = 3":                  "found 3, expected a pair",
		`memory.overlap = ["2", "4"]`:         `found "2", expected a whole number`,
		"memory.overlap = [4, 2]":             "expected the lower end first",
		"memory.overlap = [4, 5]":             "expected a range with the 3 of memory.overlap",
		"memory.overlap = [0, 5]":             "found 0, expected a whole number",
		"core.clock = [\"1GHz\", \"2GHz\"]":   "expected a guess",
		"rates.fused = [\"1Gop/s\", \"1TB\"]": "ranges.rates.fused",
		`memory.page = ["4KiB", "64KiB"]`:     "a page is a power of two",
		`costs.lock_delay = ["0ns", "10ns"]`:  "a lower end above 0",
		`costs.pop = ["15ns", "20ns"]`:        "a range with the 30ns of costs.pop",
		`costs.pop = ["15", "60ns"]`:          "ranges.costs.pop",
		`families.tbb.pop = ["1ns", "1us"]`:   "expected a guess",
		`memory.remote = ["160ns", "200ns"]`:  "a range with the 220ns of memory.remote",
	} {
		before, after, _ := strings.Cut(string(file), "[ranges]\n")
		_, after, _ = strings.Cut(after, "\n[sources]\n")
		bad := before + "[ranges]\n" + text + "\n[sources]\n" + after
		line := strings.Count(before, "\n") + 2
		_, err := Parse("bad.toml", []byte(bad))
		wrong, ok := errors.AsType[*FieldError](err)
		if !ok || wrong.Line != line || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected line %d, %s", text, err, line, want)
		}
	}
}

// A factor is put on the fitted prices of a family and of its twin, and on no other.
func TestScaleFitted(t *testing.T) {
	m := named(t, "westmere-ex-4s")
	was := m.Clone()
	if !m.ScaleFitted("tbb", 2) {
		t.Fatal("tbb has no fitted prices")
	}
	for name, c := range m.Families {
		want := was.Families[name]
		if name == "tbb" || name == "tbb-affinity" {
			want.SpawnPS, want.PopPS, want.JoinPS, want.LockPS = 2*want.SpawnPS, 2*want.PopPS,
				2*want.JoinPS, 2*want.LockPS
		}
		if c != want {
			t.Errorf("%s: %+v, expected %+v", name, c, want)
		}
	}
	if m.ScaleFitted("none", 2) || m.Costs != was.Costs {
		t.Error("a family that is not there was scaled")
	}
}
