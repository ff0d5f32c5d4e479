package kernelreuse

import (
	"strings"
	"testing"
)

const aHash = "5f"

func someDrawn() (rows []drawn) {
	for draw, ovr := range []float64{1.2, 1.1, 1.4} {
		rows = append(rows, drawn{draw, "matmul", "n=256", 12, mth, "ovr", ovr, "", aHash},
			drawn{draw, "matmul", "n=256", 12, tbb, "ovr", 1.3, "", aHash},
			drawn{draw, "fmm", "bodies=2000", 24, mth, "time", 2.5, "s", aHash})
	}
	return rows
}

// The values of a measure in the draws, whose they are; what was not drawn is not known.
func TestBands(t *testing.T) {
	bands, err := newBands(someDrawn())
	if err != nil {
		t.Fatal(err)
	}
	if bands.MachineHash != aHash || bands.Draws != 3 {
		t.Errorf("machine %s, %d draws", bands.MachineHash, bands.Draws)
	}
	if list := bands.sorted(bandKey{"matmul", 12, mth, "ovr"}); len(list) < 2 || list[0] != 1.1 ||
		list[len(list)-1] != 1.4 {
		t.Errorf("values %g", list)
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

// Values that are of no one study are an error.
func TestBandsBad(t *testing.T) {
	for want, change := range map[string]func(list []drawn) []drawn{
		"found no value of draw 0":       func(list []drawn) []drawn { return list[3:] },
		"found a second value of draw 0": func(list []drawn) []drawn { return append(list, list[0]) },
		"found machines 5f and 6f": func(list []drawn) []drawn {
			list[1].Hash = "6f"
			return list
		},
	} {
		if _, err := newBands(change(someDrawn())); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
}
