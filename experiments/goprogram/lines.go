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
	// Calls are its accesses by the calls that led to them; none where calls are not recorded.
	Calls []CallPart `json:"calls,omitempty"`
}

// A Call is a function that was called in another call.
type Call struct {
	Before   int    `json:"before"` // index of the caller's; -1: a goroutine began with it
	Function string `json:"function"`
	File     string `json:"file,omitempty"` // and line of the function; "": not known
	Line     int    `json:"line,omitempty"`
}

// A CallPart is the accesses of a line in a call.
type CallPart struct {
	Call int `json:"call"` // index
	Part
}

// calls returns the calls of frames, with the same numbers.
func (s *starts) calls(regions []front.Region) (list []Call) {
	for _, x := range s.frames {
		c := Call{Before: x.before, Function: s.names[x.start]}
		if x.region > 0 {
			f := &regions[x.region-1]
			c.Function, c.File, c.Line = f.Function, f.File, f.Line
		}
		list = append(list, c)
	}
	return list
}

// lineCalls splits lines by calls.
func (a *analysis) lineCalls(lines []SourceLine, groups []krd.GroupHistogram) {
	at := map[string]int{}
	for i := range lines {
		at[lines[i].Name] = i
	}
	type key struct{ line, call int }
	number := map[key]int{}
	for i := range groups {
		k := a.ahead.starts.from[groups[i].Group]
		l := &lines[at[lineName(&a.sites[a.reader.Groups[k.group].Site-1])]]
		n, ok := number[key{at[l.Name], k.frame}]
		if !ok {
			n = len(l.Calls)
			number[key{at[l.Name], k.frame}] = n
			l.Calls = append(l.Calls, CallPart{k.frame, Part{Name: l.Name, Bins: []krd.Bin{}, Cold: new(uint64)}})
		}
		addTo(&l.Calls[n].Part, &groups[i])
	}
	for i := range lines {
		slices.SortFunc(lines[i].Calls, func(x, y CallPart) int { return cmp.Compare(x.Call, y.Call) })
	}
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
		by[at].add(s.began(k.frame), &groups[i])
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
		if k.line > 0 && k.line <= len(text) { // compilers give code of their own no line
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
// line or, where calls are recorded, by these and line, and below each line by what they need; nil where they
// are few.
func (d *Document) beyond() *plot.Flame {
	first := d.Levels[0]
	f := &plot.Flame{Title: "Accesses that need more than " + first.Name + ", by package, function and line",
		Unit: "accesses"}
	above := "A frame is in the one above it in the source; callers are not recorded."
	if len(d.Calls) > 0 {
		f.Title = "Accesses that need more than " + first.Name + ", by calls and line"
		above = "A frame is called by the one above it; recursion is folded."
	}
	all := uint64(0)
	for i := range d.Lines {
		l := &d.Lines[i]
		line := plot.FlameFrame{Name: strings.TrimSpace(fmt.Sprintf("%s:%d  %s", filepath.Base(l.File), l.Line,
			strings.TrimSpace(l.Text))), Kind: "line"}
		add := func(frames []plot.FlameFrame, p *Part) {
			for k, r := range d.reaches(p)[1:] {
				if len(f.Kinds) == k {
					f.Kinds = append(f.Kinds, plot.FlameKind{Name: r.name, Colour: r.colour})
				}
				if r.n > 0 {
					f.Paths = append(f.Paths, plot.FlamePath{Count: r.n, Frames: append(slices.Clip(frames), line,
						plot.FlameFrame{Name: f.Kinds[k].Name, Kind: f.Kinds[k].Name})})
				}
				all += r.n
			}
		}
		for j := range l.Calls {
			var frames []plot.FlameFrame
			for _, c := range d.callers(l, l.Calls[j].Call) {
				frames = append(frames, plot.FlameFrame{Name: c.Function, Kind: "function"})
			}
			slices.Reverse(frames)
			add(frames, &l.Calls[j].Part)
		}
		if len(l.Calls) == 0 {
			in := d.packageOf(l.Function)
			add([]plot.FlameFrame{{Name: in, Kind: "package"},
				{Name: strings.Replace(l.Function, in+".", "", 1), Kind: "function"}}, &l.Part)
		}
	}
	if float64(all) < leastBeyond*float64(d.Accesses) {
		return nil
	}
	f.Caption = fmt.Sprintf("Width: %s whose distance is beyond %s (%s), and first ones, %.3g %% of all; below each "+
		"line, what they need. %s", accesses(all), first.Name, units.Bytes(first.Bytes),
		100*float64(all)/float64(max(1, d.Accesses)), above)
	return f
}

// callers returns the calls that led to a line in a call, the innermost first: the line's own function and
// those that called it.
func (d *Document) callers(l *SourceLine, call int) (list []Call) {
	if call < 0 || call >= len(d.Calls) || d.Calls[call].Function != l.Function { // it is inlined, or in a part of it
		list = append(list, Call{Function: l.Function, File: l.File})
	}
	for n := 0; call >= 0 && call < len(d.Calls) && n <= len(d.Calls); n++ {
		list = append(list, d.Calls[call])
		call = d.Calls[call].Before
	}
	return list
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
