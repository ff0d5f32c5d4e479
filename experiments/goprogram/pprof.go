package goprogram

import (
	"errors"
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
	type place struct {
		of   *profile.Function
		line int
	}
	places := map[place]*profile.Location{}
	at := func(f *profile.Function, line int) *profile.Location {
		l := places[place{f, line}]
		if l == nil {
			l = &profile.Location{ID: uint64(len(places) + 1), Mapping: binary,
				Line: []profile.Line{{Function: f, Line: int64(line)}}}
			places[place{f, line}], p.Location = l, append(p.Location, l)
		}
		return l
	}
	add := func(stack []*profile.Location, label map[string][]string, values ...uint64) error {
		s := &profile.Sample{Location: stack, Label: label}
		for _, v := range values {
			if v > math.MaxInt64 {
				return fmt.Errorf("%w: a profile holds less than 2^63", ErrDocument)
			}
			s.Value = append(s.Value, int64(v))
		}
		p.Sample = append(p.Sample, s)
		return nil
	}
	accessed := func(stack []*profile.Location, began string, x *Part) error {
		values := []uint64{x.Accesses, x.First()}
		for _, of := range d.Levels {
			values = append(values, x.From(of.From))
		}
		for _, of := range d.Levels { // the level before holds what is nearer
			values = append(values, lineBytes*(x.From(of.From)+x.First()))
		}
		var label map[string][]string
		if began != "" {
			label = map[string][]string{"began_with": {began}}
		}
		return add(stack, label, append(values, 0)...)
	}
	for i := range d.Lines {
		l := &d.Lines[i]
		var failed error
		for j := range l.Calls {
			callers := d.callers(l, l.Calls[j].Call)
			stack := []*profile.Location{at(function(l.Function, l.File), l.Line)}
			for _, c := range callers[1:] {
				stack = append(stack, at(function(c.Function, c.File), c.Line))
			}
			failed = errors.Join(failed, accessed(stack, callers[len(callers)-1].Function, &l.Calls[j].Part))
		}
		own := []*profile.Location{at(function(l.Function, l.File), l.Line)}
		switch {
		case len(l.Calls) > 0:
		case len(l.Starts) > 0:
			for j := range l.Starts {
				failed = errors.Join(failed, accessed(own, l.Starts[j].Name, &l.Starts[j]))
			}
		case len(d.Starts) == 1:
			failed = accessed(own, d.Starts[0].Name, &l.Part)
		default:
			failed = accessed(own, "", &l.Part)
		}
		if failed != nil {
			return nil, failed
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
			if err := add([]*profile.Location{at(function(w.Goroutine, ""), 0)}, label, values...); err != nil {
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
