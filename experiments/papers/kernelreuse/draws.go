package kernelreuse

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/krd/doc"
)

// drawsFile is the data of a study of draws, in its folder beside one for each draw.
const drawsFile = "draws.csv"

// ErrNoDraws is wrapped by the error of a folder that holds no study of draws.
var ErrNoDraws = failure.New(failure.Request, "no study of draws is there; krdlab reproduce "+
	"--draws N makes one")

// drawsHead is the first line of drawsFile.
var drawsHead = []string{"draw", "kernel", "params", "cores", "scheduler", "measure", "value",
	"unit", "scale", "machine_hash"}

// A drawn value is one line of drawsFile: a measure of the first seeds of a draw, simulated.
type drawn struct {
	draw    int
	kernel  string
	params  string // those that were run, as n=4096 leaf=32x32x64
	cores   int
	sched   string
	measure string // the id of one of drawnQuantities
	value   float64
	unit    string
	scale   steps.Scale
	hash    string // of the machine that was drawn
}

// Bands are what measures came to on machines whose guessed numbers were drawn within their ranges.
// Draw 0 is the machine as its file has it.
type Bands struct {
	Scale       steps.Scale
	MachineHash string // of draw 0
	Draws       int    // that are there, draw 0 included

	rows   []drawn
	values map[bandKey]map[int]float64 // by draw
}

type bandKey struct {
	kernel  string
	cores   int
	sched   string
	measure string
}

// At returns a measure in one draw, so that what is derived from several can be derived draw by
// draw; false where it is not known.
func (b *Bands) At(draw int, kernel string, cores int, scheduler, measure string) (float64, bool) {
	v, ok := b.values[bandKey{kernel, cores, scheduler, measure}][draw]
	return v, ok
}

// sorted are the values of all draws, the lowest first.
func (b *Bands) sorted(k bandKey) []float64 {
	var list []float64
	for _, v := range b.values[k] {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

// LoadBands reads drawsFile in the folder of a study of draws. Errors: ErrNoDraws, wrapped; a line
// that is no value, with its number, what was found and what was expected; draws that are missing,
// or lack values.
func LoadBands(dir string) (*Bands, error) {
	path := filepath.Join(dir, drawsFile)
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file, expected a folder: %w", dir, ErrNoDraws)
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoDraws)
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := readDrawn(f)
	if err != nil {
		return nil, failure.Errorf(failure.Data, "%s:%w", path, err)
	}
	b, err := newBands(rows)
	if err == nil {
		err = b.whole()
	}
	if err != nil {
		return nil, failure.Errorf(failure.Data, "%s: %w", path, err)
	}
	return b, nil
}

// whole is an error unless there are draws beside draw 0, without a gap, each with all the values
// that the others have: a file that was cut at the end of a line is no study.
func (b *Bands) whole() error {
	if b.Draws < 2 {
		return errors.New("found draw 0 only, expected others beside it")
	}
	for _, r := range b.rows {
		k := bandKey{r.kernel, r.cores, r.sched, r.measure}
		for draw := range b.Draws {
			if _, ok := b.values[k][draw]; !ok {
				return fmt.Errorf("found no value of draw %d, %s, %d cores, %s, %s, which draw %d "+
					"has; expected the same values of draws 0 to %d", draw, r.kernel, r.cores,
					r.sched, r.measure, r.draw, b.Draws-1)
			}
		}
	}
	return nil
}

// newBands sorts values that are of one study. An error where they are not, or where there are
// none of draw 0.
func newBands(rows []drawn) (*Bands, error) {
	b := &Bands{rows: rows, values: map[bandKey]map[int]float64{}}
	hashes := map[int]string{}
	for _, r := range rows {
		k := bandKey{r.kernel, r.cores, r.sched, r.measure}
		if b.values[k] == nil {
			b.values[k] = map[int]float64{}
		}
		if _, twice := b.values[k][r.draw]; twice {
			return nil, fmt.Errorf("found a second value of draw %d, %s, %d cores, %s, %s, "+
				"expected one", r.draw, r.kernel, r.cores, r.sched, r.measure)
		}
		b.values[k][r.draw] = r.value
		if h := hashes[r.draw]; h != "" && h != r.hash {
			return nil, fmt.Errorf("found machines %s and %s in draw %d, expected one", h, r.hash,
				r.draw)
		}
		hashes[r.draw] = r.hash
		if r.scale != rows[0].scale {
			return nil, fmt.Errorf("found the scales %s and %s, expected one", rows[0].scale,
				r.scale)
		}
	}
	if hashes[0] == "" {
		return nil, errors.New("found no value of draw 0, expected the machine as its file has it")
	}
	b.Scale, b.MachineHash, b.Draws = rows[0].scale, hashes[0], len(hashes)
	return b, nil
}

// readDrawn reads a CSV that was written of drawnTable. Errors begin with the line.
func readDrawn(r io.Reader) ([]drawn, error) {
	in := csv.NewReader(r)
	var rows []drawn
	for n := 0; ; n++ {
		cells, err := in.Read()
		if err == io.EOF && n > 0 {
			return rows, nil
		}
		if err == io.EOF {
			return nil, fmt.Errorf("1: found an empty file, expected the head %q", drawsHead)
		}
		if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
			return nil, fmt.Errorf("%d: %w, expected %d cells", wrong.Line, wrong.Err,
				len(drawsHead))
		} else if err != nil {
			return nil, fmt.Errorf("%d: %w", n+1, err)
		}
		line, _ := in.FieldPos(0)
		if n == 0 {
			if !slices.Equal(cells, drawsHead) {
				return nil, fmt.Errorf("%d: found the head %q, expected %q", line, cells,
					drawsHead)
			}
			continue
		}
		d := drawn{kernel: cells[1], params: cells[2], sched: cells[4], measure: cells[5],
			unit: cells[7], scale: steps.Scale(cells[8]), hash: cells[9]}
		var wrong [3]error
		d.draw, wrong[0] = strconv.Atoi(cells[0])
		d.cores, wrong[1] = strconv.Atoi(cells[3])
		d.value, wrong[2] = strconv.ParseFloat(cells[6], 64)
		for _, c := range []struct {
			good        bool
			found, want string
		}{
			{wrong[0] == nil && d.draw >= 0, "the draw " + strconv.Quote(cells[0]), "a number from 0"},
			{wrong[1] == nil && d.cores > 0, strconv.Quote(cells[3]) + " cores", "a number from 1"},
			{wrong[2] == nil && result.Some(d.value).Known(), "the value " + strconv.Quote(cells[6]),
				"a number"},
			{slices.Contains(steps.Scales, d.scale), "the scale " + strconv.Quote(cells[8]),
				fmt.Sprintf("one of %v", steps.Scales)},
			{slices.Contains(papers, d.sched), "the scheduler " + strconv.Quote(d.sched),
				fmt.Sprintf("one of %v", papers)},
			{slices.ContainsFunc(drawnQuantities, func(q quantity) bool { return q.id == d.measure }),
				"the measure " + strconv.Quote(d.measure), "one that draws have"},
			{d.hash != "", "no hash of a machine", "one"},
		} {
			if !c.good {
				return nil, fmt.Errorf("%d: found %s, expected %s", line, c.found, c.want)
			}
		}
		rows = append(rows, d)
	}
}

// drawnTable returns values as data.
func drawnTable(rows []drawn) *doc.Table {
	t := doc.NewData("draws", drawsHead...)
	for _, d := range rows {
		t.Row(d.draw, d.kernel, d.params, d.cores, d.sched, d.measure, d.value, d.unit,
			string(d.scale), d.hash)
	}
	return t
}
