package reuse

import (
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
	"krdlab/loi"
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

// unitOf returns the unit of the counts.
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
		var names []string
		for _, f := range p.Frames {
			names = append(names, f.Name)
		}
		t.Row(strings.Join(names, ";"), p.Frames[len(p.Frames)-1].Kind, p.Accesses, share(p.Share),
			p.AllAccesses, share(p.OwnShare), p.Cold, p.BytesInRange)
	}
	return []*doc.Table{t}
}

// pathWidth is how wide a path is in a table: with the numbers beside it, 100 columns.
const pathWidth = 41

// shown returns the names of frames as people read them: the loops "f:12" and "f:15" of function f
// are one name with it, "f:12:15".
func shown(frames []causes.Frame) (names []string) {
	function := ""
	for _, f := range frames {
		line, inside := strings.CutPrefix(f.Name, function+":")
		switch {
		case f.Kind == loi.Function.String():
			function = f.Name
		case inside && function != "":
			names[len(names)-1] += ":" + line
			continue
		default:
			function = ""
		}
		names = append(names, f.Name)
	}
	return names
}

// inShort joins names in at most so many letters: the outermost, as many of the innermost as fit,
// and "..." for those between. Names that do not fit are cut in the middle too.
func inShort(names []string, width int) string {
	const to, gap = " > ", " > ... > "
	all := strings.Join(names, to)
	last := len(names) - 1
	switch {
	case len([]rune(all)) <= width:
		return all
	case last == 0:
		return units.Shorten(names[0], width)
	}
	between := gap
	if last == 1 {
		between = to
	}
	head := units.Shorten(names[0], width/3) + between
	room := width - len([]rune(head))
	tail := units.Shorten(names[last], room)
	for i := last - 1; i > 1 && len([]rune(names[i]+to+tail)) <= room; i-- {
		tail = names[i] + to + tail
	}
	return head + tail
}

// Save implements [analysis.Saved]: a profile of pprof (proto/profile.proto of its repository).
func (b byPath) Save() (flag, file string, write func(io.Writer) error) {
	return "save-pprof", b.opt.SavePprof, func(w io.Writer) error {
		p, err := b.profile()
		if err != nil {
			return err
		}
		return plot.WriteProfile(w, p)
	}
}

// profile returns a profile with a sample for each path. With --weight bytes all values are bytes.
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

// location returns where a frame is. The line is that of a loop, whose name ends in it:
// "main.factor:120".
func location(f causes.Frame, id uint64) *profile.Location {
	var line int64
	if i := strings.LastIndexByte(f.Name, ':'); i >= 0 {
		line, _ = strconv.ParseInt(f.Name[i+1:], 10, 64)
	}
	line = max(0, line)
	fn := &profile.Function{ID: id, Name: f.Name, SystemName: f.Name, StartLine: line}
	return &profile.Location{ID: id, Line: []profile.Line{{Function: fn, Line: line}}}
}
