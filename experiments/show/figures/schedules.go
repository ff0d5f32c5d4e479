package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/show/scene"
	"krdlab/hw/units"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// A schedule is the traced repetition of a scheduler, as the figures over time need it.
type schedule struct {
	scheduler string
	header    loi.Header
	strip     *scene.Strip
	arcs      *scene.Arcs
	owners    []scene.Object
	ticks     float64 // as long as the axis
	searches  bool
	tasks     bool   // some stamps are of whole tasks
	lost      string // what is missing; "": nothing
}

// schedules are those of all schedulers at the largest core count with traces, on one axis of time.
type schedules struct {
	list    []schedule
	cores   int
	missing []string // schedulers without a trace
	time    plot.Axis
	columns int // of strips
	err     error
}

// How time is cut: into columns of strips so that all panels have so many cells, but for bounds; and
// into columns of arcs.
const (
	stripCells   = 50_000
	leastColumns = 200
	mostColumns  = 1000
	arcColumns   = 64
)

// over returns the schedules of the subject, which are read once. None is an empty list.
func (s *subject) over() (*schedules, error) {
	if s.scheduled == nil {
		s.scheduled = &schedules{}
		for _, n := range slices.Backward(s.cores) {
			*s.scheduled = *s.schedulesAt(n)
			if len(s.scheduled.list) > 0 || s.scheduled.err != nil {
				break
			}
		}
	}
	return s.scheduled, s.scheduled.err
}

// schedulesAt reads the traces of a core count: a pass for their length, which the axis needs, and
// another for what is drawn.
func (s *subject) schedulesAt(cores int) *schedules {
	all, names, paths := &schedules{cores: cores}, []string(nil), []string(nil)
	workers, longest, known := 0, 0.0, true
	for _, name := range s.schedulers {
		path := s.traceOf(name, cores)
		if path == "" {
			all.missing = append(all.missing, name)
			continue
		}
		names, paths = append(names, name), append(paths, path)
	}
	lengths, hz := make([]int64, len(paths)), make([]float64, len(paths))
	for i, path := range paths {
		all.err = opened(path, func(t *loi.Trace) (err error) {
			lengths[i], err = scene.Length(t, true)
			hz[i] = t.Header.Clock.Hz
			workers += len(t.Header.Workers)
			return err
		})
		if all.err != nil {
			return all
		}
		known = known && hz[i] > 0
	}
	for i := range hz {
		if !known {
			hz[i] = 1
		}
		longest = max(longest, float64(lengths[i])/hz[i])
	}
	all.time = timeAxis(longest, known)
	all.columns = min(max(stripCells/max(workers, 1), leastColumns), mostColumns)
	for i, path := range paths {
		ticks := max(1, int64(math.Ceil(longest*hz[i])))
		all.err = opened(path, func(t *loi.Trace) error {
			r, err := scene.Read(t, true)
			if err != nil {
				return err
			}
			x := schedule{scheduler: names[i], header: t.Header, searches: r.Searches,
				tasks: r.Task != nil, ticks: longest * hz[i], strip: r.Strip(all.columns, ticks),
				arcs: r.Arcs(arcColumns, ticks), owners: r.Owners()}
			if r.Loss != nil {
				x.lost = r.Loss.Error()
			}
			all.list = append(all.list, x)
			return nil
		})
		if all.err != nil {
			return all
		}
	}
	return all
}

// opened calls f with a trace.
func opened(path string, f func(*loi.Trace) error) error {
	t, err := loi.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer t.Close()
	if err := f(t); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// timeAxis returns an axis from 0 to so many seconds, or ticks of a clock whose rate is not known.
func timeAxis(longest float64, known bool) plot.Axis {
	unit, by := "ticks", 1.0
	if known {
		unit = "s"
		for _, u := range []struct {
			name string
			by   float64
		}{{"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}} {
			if longest < by {
				unit, by = u.name, u.by
			}
		}
	}
	longest = max(longest/by, 1e-9)
	a := plot.NiceAxis(plot.Axis{Label: "time [" + unit + "]", Unit: unit}, 0, longest)
	a.Max = longest
	a.Ticks = slices.DeleteFunc(a.Ticks, func(t plot.Tick) bool { return t.Value > longest })
	return a
}

// inColumns returns the axis of time in columns, whose middles are whole numbers.
func (s *schedules) inColumns(columns int) plot.Axis {
	a := s.time
	a.Min, a.Max, a.Ticks = -0.5, float64(columns)-0.5, slices.Clone(a.Ticks)
	for i := range a.Ticks {
		a.Ticks[i].Value = a.Ticks[i].Value/s.time.Max*float64(columns) - 0.5
	}
	return a
}

// when returns the time at which a column begins, in words.
func (s *schedules) when(column, columns int) string {
	return units.Digits(s.time.Max*float64(column)/float64(columns), 3)
}

// figure returns one of panels on the axis of time, one below the other, or in two columns where
// they are many.
func (s *schedules) figure(id, title string, panel func(*schedule) plot.Panel) *plot.Figure {
	f := &plot.Figure{ID: id, Title: title}
	for i := range s.list {
		f.Panels = append(f.Panels, panel(&s.list[i]))
	}
	f.Lay(1)
	if len(f.Panels) > 4 {
		f.Lay(2)
	}
	for i := range f.Panels {
		if i+f.Columns < len(f.Panels) {
			f.Panels[i].X.Label = "" // the one below has it
		}
	}
	return f
}

// of returns the end of all captions over time.
func (s *schedules) of() (lines []string) {
	lines = s.incomplete()
	if len(s.missing) > 0 {
		lines = append(lines, notDrawn(s.missing))
	}
	return lines
}

// incomplete names the traces with missing records.
func (s *schedules) incomplete() (lines []string) {
	lost := map[string][]string{}
	var words []string
	for i := range s.list {
		if w := s.list[i].lost; w != "" {
			if lost[w] == nil {
				words = append(words, w)
			}
			lost[w] = append(lost[w], s.list[i].scheduler)
		}
	}
	for _, w := range words {
		lines = append(lines, fmt.Sprintf("Not complete: %s: %s.", strings.Join(lost[w], ", "), w))
	}
	return lines
}

// shareOf returns a share in words.
func shareOf(n, all int64) string {
	percent := 100 * float64(n) / float64(max(all, 1))
	if n > 0 && percent < 0.1 {
		return "< 0.1 %"
	}
	return short(percent) + " %"
}

// named returns the schedulers for which is holds, as a list; "" if it holds for none, "all" for
// all.
func (s *schedules) named(is func(*schedule) bool) string {
	var list []string
	for i := range s.list {
		if is(&s.list[i]) {
			list = append(list, s.list[i].scheduler)
		}
	}
	if len(list) == len(s.list) {
		return "all"
	}
	return units.List(list)
}

// classWords explains the classes that are in a figure.
func classWords(seen func(scene.Class) bool) string {
	about := [scene.Classes]string{"within the L2", "within the LLC", "beyond the LLC",
		"the first on its node", "reused, at a distance from caches of unknown size"}
	var list []string
	for c, words := range about {
		if seen(scene.Class(c)) {
			list = append(list, scene.Looks[c].Name+", "+words)
		}
	}
	return strings.Join(list, "; ")
}
