package kernelreuse

import (
	"bytes"
	"errors"
	"krdlab/experiments/papers/steps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const aHash = "5f"

func someDrawn() (rows []drawn) {
	for draw, ovr := range []float64{1.2, 1.1, 1.4} {
		rows = append(rows, drawn{draw, "matmul", "n=256", 12, mth, "ovr", ovr, "", steps.Smoke, aHash},
			drawn{draw, "matmul", "n=256", 12, tbb, "ovr", 1.3, "", steps.Smoke, aHash},
			drawn{draw, "fmm", "bodies=2000", 24, mth, "time", 2.5, "s", steps.Smoke, aHash})
	}
	return rows
}

// What is written is read back: the band of a measure, its value in each draw, whose study it is;
// what was not drawn is not known, and one draw has no band.
func TestBands(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	if err := drawnTable(someDrawn()).CSV(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, drawsFile), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	bands, err := LoadBands(dir)
	if err != nil {
		t.Fatal(err)
	}
	if bands.Scale != steps.Smoke || bands.MachineHash != aHash || bands.Draws != 3 {
		t.Errorf("study of %s, machine %s, %d draws", bands.Scale, bands.MachineHash, bands.Draws)
	}
	if list := bands.sorted(bandKey{"matmul", 12, mth, "ovr"}); len(list) < 2 || list[0] != 1.1 ||
		list[len(list)-1] != 1.4 {
		t.Errorf("values %g", list)
	}
	if one, err := newBands(someDrawn()[:3]); err != nil {
		t.Error(err)
	} else if list := one.sorted(bandKey{"fmm", 24, mth, "time"}); len(list) > 1 {
		t.Errorf("one draw has the values %g", list)
	}
	if list := bands.sorted(bandKey{"matmul", 6, mth, "ovr"}); len(list) > 0 {
		t.Errorf("what was not run has the values %g", list)
	}
	if v, ok := bands.At(1, "matmul", 12, mth, "ovr"); !ok || v != 1.1 {
		t.Errorf("draw 1: %g, %t", v, ok)
	}
	if _, ok := bands.At(3, "matmul", 12, mth, "ovr"); ok {
		t.Error("there is no draw 3")
	}
}

// Bad input names the line, what was found and what was expected.
func TestBandsBad(t *testing.T) {
	if _, err := LoadBands(t.TempDir()); !errors.Is(err, ErrNoDraws) {
		t.Errorf("an empty folder: %v", err)
	}
	var b bytes.Buffer
	if err := drawnTable(someDrawn()).CSV(&b); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for want, text := range map[string]string{
		"1: found the head":                strings.Replace(good, "draw,", "number,", 1),
		"2: found the draw":                strings.Replace(good, "\n0,", "\n-1,", 1),
		"2: found \"0\" cores":             strings.Replace(good, ",12,", ",0,", 1),
		`2: found the value "NaN"`:         strings.Replace(good, ",1.2,", ",NaN,", 1),
		`2: found the scale "large"`:       strings.Replace(good, ",smoke,", ",large,", 1),
		"4: wrong number of fields":        strings.Replace(good, ",smoke,5f\n1", "\n1", 1),
		"found no value of draw 0":         strings.ReplaceAll(good, "\n0,", "\n4,"),
		"found a second value of draw 0":   strings.ReplaceAll(good, tbb, mth),
		"found the scales smoke and quick": strings.Replace(good, "s,smoke", "s,quick", 1),
		"found machines 6f and 5f":         strings.Replace(good, ",5f\n", ",6f\n", 1),
		"1: found an empty file":           "",
		"2: found the scheduler \"none\"":  strings.Replace(good, mth, "none", 1),
		"2: found the measure \"none\"":    strings.Replace(good, ",ovr,", ",none,", 1),
		"found draw 0 only":                good[:strings.Index(good, "\n1,")+1],
		"found no value of draw 2, matmul, 12 cores, workfirst, ovr": strings.ReplaceAll(good,
			"\n2,", "\n5,"),
		// cut at the end of a line
		"found no value of draw 2, fmm, 24 cores": good[:strings.LastIndex(good, "\n2,")+1],
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, drawsFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadBands(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
}
