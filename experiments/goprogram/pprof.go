package goprogram

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/google/pprof/profile"

	"krdlab/krd/plot"
)

// Profile returns the document as a profile for go tool pprof: a sample for each line, with its
// accesses, the first ones, those beyond each level and the bytes of lines that these bring, and a
// sample for each wait, with its time. A sample has the line alone and not its callers; its label began_with is
// the function that the goroutine began with (pprof -tagroot=began_with).
//
// Errors: [ErrDocument] of a sample or a trace, which have no lines; a count beyond 2^63-1.
func (d *Document) Profile() (*profile.Profile, error) {
	if len(d.Lines) == 0 {
		return nil, fmt.Errorf("%w: it has no accesses by line; leave --sample out", ErrDocument)
	}
	p := &profile.Profile{DefaultSampleType: "accesses", DurationNanos: d.TracedNs,
		Comments: []string{"krdlab go " + strings.Join(append([]string{d.Package}, d.Args...), " ")}}
	kind := func(name, unit string) {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: name, Unit: unit})
	}
	kind("accesses", "count")
	kind("cold", "count")
	for _, l := range d.Levels {
		kind("beyond_"+word(l.Name), "count")
	}
	for _, l := range d.Levels {
		kind("moved_into_"+word(l.Name), "bytes")
	}
	kind("waited", "nanoseconds")
	binary := &profile.Mapping{ID: 1, File: d.Package, HasFunctions: true, HasFilenames: true, HasLineNumbers: true}
	p.Mapping = []*profile.Mapping{binary}
	functions := map[string]*profile.Function{}
	function := func(name, file string) *profile.Function {
		f := functions[name]
		if f == nil {
			f = &profile.Function{ID: uint64(len(functions) + 1), Name: name, SystemName: name, Filename: file}
			functions[name], p.Function = f, append(p.Function, f)
		}
		return f
	}
	add := func(f *profile.Function, line int, label map[string][]string, values ...uint64) error {
		at := &profile.Location{ID: uint64(len(p.Location) + 1), Mapping: binary,
			Line: []profile.Line{{Function: f, Line: int64(line)}}}
		s := &profile.Sample{Location: []*profile.Location{at}, Label: label}
		for _, v := range values {
			if v > math.MaxInt64 {
				return fmt.Errorf("%w: a profile holds less than 2^63", ErrDocument)
			}
			s.Value = append(s.Value, int64(v))
		}
		p.Location, p.Sample = append(p.Location, at), append(p.Sample, s)
		return nil
	}
	for i := range d.Lines {
		l := &d.Lines[i]
		parts := l.Starts
		if len(parts) == 0 {
			parts = []Part{l.Part}
			if parts[0].Name = ""; len(d.Starts) == 1 {
				parts[0].Name = d.Starts[0].Name
			}
		}
		for j := range parts {
			x := &parts[j]
			values := []uint64{x.Accesses, x.First()}
			for _, of := range d.Levels {
				values = append(values, x.From(of.From))
			}
			for _, of := range d.Levels { // the level before holds what is nearer
				values = append(values, lineBytes*(x.From(of.From)+x.First()))
			}
			var label map[string][]string
			if x.Name != "" {
				label = map[string][]string{"began_with": {x.Name}}
			}
			if err := add(function(l.Function, l.File), l.Line, label, append(values, 0)...); err != nil {
				return nil, err
			}
		}
	}
	if d.waited() {
		for _, w := range d.Waits.Goroutines.Waits {
			if !w.Time.Known() {
				continue
			}
			values := make([]uint64, len(p.SampleType))
			values[len(values)-1] = uint64(w.Time.Float())
			label := map[string][]string{"goroutine": {w.Goroutine}, "for": {w.For}, "operation": {w.Operation}}
			if err := add(function(w.Goroutine, ""), 0, label, values...); err != nil {
				return nil, err
			}
		}
	}
	return p, p.CheckValid()
}

// word returns the name of levels as a word: "the LLC" is LLC, "L2 and the LLC" L2_and_LLC.
func word(level string) string {
	return strings.ReplaceAll(strings.ReplaceAll(level, "the ", ""), " ", "_")
}

// WriteProfile writes the profile, with krdlab's mark.
func (d *Document) WriteProfile(w io.Writer) error {
	p, err := d.Profile()
	if err != nil {
		return err
	}
	return plot.WriteProfile(w, p)
}
