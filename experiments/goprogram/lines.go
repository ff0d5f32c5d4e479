package goprogram

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/plot"
	"krdlab/loi/front"
)

// A SourceLine is a line of the program and its accesses.
type SourceLine struct {
	File     string `json:"file"` // absolute path
	Line     int    `json:"line"`
	Function string `json:"function"`
	Text     string `json:"text"` // "": the file cannot be read
	Part
	// Starts are its accesses by where their goroutines began; none where all began the same.
	Starts []Part `json:"starts,omitempty"`
}

// lineStarts splits lines by where their goroutines began, if there are several such functions.
func (a *analysis) lineStarts(lines []SourceLine, groups []krd.GroupHistogram) {
	s := a.ahead.starts
	if len(s.names) < 2 {
		return
	}
	by := map[string]*sums{}
	for i := range groups {
		k := s.from[groups[i].Group]
		at := lineName(&a.sites[a.reader.Groups[k.group].Site-1])
		if by[at] == nil {
			by[at] = new(sums)
		}
		by[at].add(s.names[k.start], &groups[i])
	}
	for i := range lines {
		lines[i].Starts = by[lines[i].Name].list(0)
	}
}

// lineName names the line of a site.
func lineName(s *front.Site) string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// lines returns the lines that make the accesses of groups, by file and number.
func (a *analysis) lines(groups []krd.GroupHistogram) []SourceLine {
	type key struct {
		file string
		line int
	}
	at, functions := map[string]key{}, map[string]string{}
	var all sums
	for i := range groups {
		s := &a.sites[a.reader.Groups[groups[i].Group].Site-1]
		name := lineName(s)
		if functions[name] == "" {
			at[name], functions[name] = key{s.File, s.Line}, s.Function
		}
		all.add(name, &groups[i])
	}
	sources := map[string][][]byte{}
	var list []SourceLine
	for _, name := range slices.Sorted(maps.Keys(all)) {
		k := at[name]
		text, ok := sources[k.file]
		if !ok {
			if b, err := os.ReadFile(k.file); err == nil {
				text = bytes.Split(b, []byte("\n"))
			}
			sources[k.file] = text
		}
		l := SourceLine{File: k.file, Line: k.line, Function: functions[name], Part: *all[name]}
		if k.line <= len(text) {
			l.Text = string(bytes.TrimRight(text[k.line-1], " \t\r"))
		}
		list = append(list, l)
	}
	slices.SortFunc(list, func(x, y SourceLine) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	return list
}

// leastBeyond is the share of the accesses from which on they have a picture.
const leastBeyond = 0.01

// beyond returns the picture of the accesses that need more than the first level, by package, function and
// line, and below each line by what they need; nil where they are few. Callers are not recorded.
func (d *Document) beyond() *plot.Flame {
	first := d.Levels[0]
	f := &plot.Flame{Title: "Accesses that need more than " + first.Name + ", by package, function and line",
		Unit: "accesses"}
	all := uint64(0)
	for i := range d.Lines {
		l := &d.Lines[i]
		in := d.packageOf(l.Function)
		function := plot.FlameFrame{Name: strings.Replace(l.Function, in+".", "", 1), Kind: "function"}
		line := plot.FlameFrame{Name: strings.TrimSpace(fmt.Sprintf("%s:%d  %s", filepath.Base(l.File), l.Line,
			strings.TrimSpace(l.Text))), Kind: "line"}
		for k, r := range d.reaches(&l.Part)[1:] {
			if i == 0 {
				f.Kinds = append(f.Kinds, plot.FlameKind{Name: r.name, Colour: r.colour})
			}
			if r.n > 0 {
				f.Paths = append(f.Paths, plot.FlamePath{Count: r.n, Frames: []plot.FlameFrame{
					{Name: in, Kind: "package"}, function, line,
					{Name: f.Kinds[k].Name, Kind: f.Kinds[k].Name}}})
			}
			all += r.n
		}
	}
	if float64(all) < leastBeyond*float64(d.Accesses) {
		return nil
	}
	f.Caption = fmt.Sprintf("Width: %s whose distance is beyond %s (%s), and first ones, %.3g %% of all; below each "+
		"line, what they need. A frame is in the one above it in the source; callers are not recorded.", accesses(all),
		first.Name, units.Bytes(first.Bytes), 100*float64(all)/float64(max(1, d.Accesses)))
	return f
}

// packageOf returns the package of a function: that which was rewritten, or what its name begins with.
func (d *Document) packageOf(function string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(function, "(*"), "[")
	best := ""
	for _, p := range d.Packages {
		if strings.HasPrefix(name, p+".") && len(p) > len(best) {
			best = p
		}
	}
	if best != "" {
		return best
	}
	folder := strings.LastIndex(name, "/") + 1
	last, _, _ := strings.Cut(name[folder:], ".")
	return name[:folder] + last
}
