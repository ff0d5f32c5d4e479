package reuse

import (
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/causes"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// A byPath is a ranking of the paths of calls.
type byPath struct{ *result }

// flames is one that has something to draw.
type flames struct{ byPath }

// Draw implements [analysis.Drawn]: a flame graph of the accesses in the range.
func (b flames) Draw(w io.Writer, format string) error {
	f := &plot.Flame{Title: "Who causes " + rangeOf(b.Causes), Unit: unitOf(b.Report),
		Caption: b.ran(filepath.Base(b.path))}
	for _, p := range b.Causes.Paths {
		s := plot.FlamePath{Count: p.Accesses}
		for _, x := range p.Frames {
			s.Frames = append(s.Frames, plot.FlameFrame(x))
		}
		f.Paths = append(f.Paths, s)
	}
	return f.Write(w, format)
}

// unitOf is what is counted.
func unitOf(r *krd.Report) string {
	if r.Weight == krd.WeightBytes {
		return "bytes accessed"
	}
	return "accesses"
}

// rangeOf returns which distances c is of.
func rangeOf(c *causes.Result) string {
	what := "distances of at least " + units.Bytes(c.FromBytes)
	if c.ToBytes != nil {
		what += " and less than " + units.Bytes(*c.ToBytes)
	} else if c.ColdInRange {
		what += ", cold accesses included"
	}
	return what
}

// Tables implements [analysis.Data]: all paths, frames joined by semicolons as in folded stacks.
func (b byPath) Tables() []*doc.Table {
	t := doc.NewData("paths", "path", "leaf_kind", "in_range", "share", "all_its_own", "own_share",
		"cold", "bytes_in_range")
	share := func(x *float64) any {
		if x == nil {
			return nil
		}
		return *x
	}
	for _, p := range b.Causes.Paths {
		t.Row(joined(p.Frames, ";"), p.Frames[len(p.Frames)-1].Kind, p.Accesses, share(p.Share),
			p.AllAccesses, share(p.OwnShare), p.Cold, p.BytesInRange)
	}
	return []*doc.Table{t}
}

func joined(frames []causes.Frame, by string) string {
	var names []string
	for _, f := range frames {
		names = append(names, f.Name)
	}
	return strings.Join(names, by)
}

// pathWidth is how wide a path is in a table: with the numbers beside it, 100 columns.
const pathWidth = 41

// inShort returns a path in at most so many letters: the outermost frame, as many of the innermost
// as fit, and "..." for those between; names that do not fit are cut in the middle too.
func inShort(frames []causes.Frame, width int) string {
	const to = " > "
	all := joined(frames, to)
	if len([]rune(all)) <= width {
		return all
	}
	last := len(frames) - 1
	if last == 0 {
		return middle(frames[0].Name, width)
	}
	const gap = to + "..." + to
	head := middle(frames[0].Name, width/3)
	room := width - len([]rune(head)) - len(to)
	if last > 1 {
		room = width - len([]rune(head)) - len(gap)
	}
	tail := middle(frames[last].Name, room)
	for last--; last > 1; last-- {
		longer := frames[last].Name + to + tail
		if len([]rune(longer)) > room {
			break
		}
		tail = longer
	}
	if len(frames) == 2 {
		return head + to + tail
	}
	return head + gap + tail
}

// middle cuts a name in the middle.
func middle(name string, width int) string {
	r := []rune(name)
	if len(r) <= width {
		return name
	}
	end := (width - 1) / 2
	return string(r[:width-1-end]) + "…" + string(r[len(r)-end:])
}

// Save implements [analysis.Saved]: a profile of pprof (github.com/google/pprof/proto/profile.proto).
// An empty member of gzip behind it has the mark of what krdlab made.
func (b byPath) Save() (flag, file string, write func(io.Writer) error) {
	return "save-pprof", b.opt.SavePprof, func(w io.Writer) error {
		p, err := b.profile()
		if err != nil {
			return err
		}
		if err := p.Write(w); err != nil {
			return err
		}
		end := gzip.NewWriter(w)
		end.Comment = plot.Mark
		return end.Close()
	}
}

// profile has a sample for each path. With --weight bytes all values are bytes.
func (b byPath) profile() (*profile.Profile, error) {
	unit := "count"
	if b.Weight == krd.WeightBytes {
		unit = "bytes"
	}
	p := &profile.Profile{DefaultSampleType: "in_range", SampleType: []*profile.ValueType{
		{Type: "in_range", Unit: unit}, {Type: "cold", Unit: unit}, {Type: "accesses", Unit: unit},
		{Type: "bytes_in_range", Unit: "bytes"}},
		Comments: []string{"krdlab krd, " + rangeOf(b.Causes), b.ran(filepath.Base(b.path))}}
	places := map[causes.Frame]*profile.Location{}
	for _, row := range b.Causes.Paths {
		s := &profile.Sample{}
		for _, n := range []uint64{row.Accesses, row.Cold, row.AllAccesses, row.BytesInRange} {
			if n > math.MaxInt64 {
				return nil, fmt.Errorf("%w: a profile holds less than 2^63", krd.ErrTooLarge)
			}
			s.Value = append(s.Value, int64(n))
		}
		for _, f := range row.Frames {
			at := places[f]
			if at == nil {
				at = location(f, uint64(len(places)+1))
				places[f] = at
				p.Location = append(p.Location, at)
				p.Function = append(p.Function, at.Line[0].Function)
			}
			s.Location = append([]*profile.Location{at}, s.Location...) // innermost first
		}
		p.Sample = append(p.Sample, s)
	}
	return p, p.CheckValid()
}

// location returns where a frame is: the line, and the file, where its name ends in those, as in
// "main.factor:120" and "main.factor, loop at lu.go:120".
func location(f causes.Frame, id uint64) *profile.Location {
	fn := &profile.Function{ID: id, Name: f.Name, SystemName: f.Name}
	var line int64
	if i := strings.LastIndexByte(f.Name, ':'); i >= 0 {
		line, _ = strconv.ParseInt(f.Name[i+1:], 10, 64)
		if place := f.Name[strings.LastIndexByte(f.Name[:i], ' ')+1 : i]; line > 0 &&
			filepath.Ext(place) == ".go" {
			fn.Filename = place
		}
	}
	fn.StartLine = max(0, line)
	return &profile.Location{ID: id, Line: []profile.Line{{Function: fn, Line: fn.StartLine}}}
}
