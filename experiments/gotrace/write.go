package gotrace

import (
	"fmt"
	"strings"
	"time"

	"krdlab/experiments/result"
	"krdlab/experiments/show"
	"krdlab/hw/units"
)

// most is how many rows a table has for people; all are in the document.
const most = 12

// Write writes d for people.
func (d *Document) Write(p *show.Page) error {
	p.Line("%s: %s accesses by %s in %s, %s", d.Package,
		show.Count(result.Some(float64(d.Accesses))), units.Count(d.Goroutines, "goroutine"),
		units.Count(len(d.Packages), "package"),
		time.Duration(d.TracedNs).Round(time.Millisecond))
	if d.KRD != nil {
		what := "lines of 64 bytes"
		if d.Unit == Data {
			what = "variables, fields and elements"
		}
		p.Line("data: %s, %s (%s)", show.Count(result.Some(float64(d.DistinctData))),
			units.Bytes(d.DistinctBytes), what)
		p.Line("")
		if err := show.WriteKRD(p, d.KRD); err != nil {
			return err
		}
	}
	for _, t := range []struct {
		head  string
		parts []Part
	}{{"function", d.Functions}, {"loop", d.Loops}, {"accessed", d.Objects},
		{"in objects", d.Allocations}} {
		if len(t.parts) > 0 {
			p.Line("")
			d.table(p, t.head, t.parts)
		}
	}
	for _, s := range d.Doubts() {
		p.Line("warning: %s", s)
	}
	return p.Close()
}

// limits are the distances that the tables of parts are about.
var limits = []uint64{32 << 10, 1 << 20, 32 << 20}

func (d *Document) table(p *show.Page, head string, parts []Part) {
	heads := []string{head, "accesses", "share", "cold"}
	for _, l := range limits {
		heads = append(heads, "from "+units.Bytes(l))
	}
	t := show.NewTable(1, heads...)
	for i := range parts[:min(most, len(parts))] {
		x := &parts[i]
		row := []any{x.Name, show.Count(result.Some(float64(x.Accesses))),
			show.Share(float64(x.Accesses), float64(d.Accesses)),
			show.Share(float64(x.Cold), float64(x.Accesses))}
		for _, l := range limits {
			row = append(row, show.Share(float64(x.From(l)), float64(x.Accesses)))
		}
		t.Row(row...)
	}
	p.Table(t)
	if n := len(parts) - most; n > 0 {
		p.Line("and %d more: --json", n)
	}
}

// mostLeft is how many places that are left alone people are told.
const mostLeft = 3

// Doubts says what is not as good as it could be.
func (d *Document) Doubts() (list []string) {
	if d.Replaced {
		list = append(list, "the program replaced itself by another (exec), which was not traced")
	}
	if d.LeftRunning > 0 {
		list = append(list, fmt.Sprintf("processes of the program that went on after its end, and "+
			"were not traced: %d", d.LeftRunning))
	}
	if d.UnknownAccesses > 0 {
		list = append(list, fmt.Sprintf("%s of the accesses to memory whose allocation was not "+
			"seen: such data are told apart by address only", show.Share(
			float64(d.UnknownAccesses), float64(d.Accesses))))
	}
	if d.LateEvents > 0 {
		list = append(list, fmt.Sprintf("%d events came too late to be put in order with those of "+
			"other goroutines", d.LateEvents))
	}
	if d.LostGoroutines > 0 {
		list = append(list, fmt.Sprintf("%d goroutines were not recorded, since there were too many",
			d.LostGoroutines))
	}
	if d.OddEvents > 0 {
		list = append(list, fmt.Sprintf("%d events made no sense", d.OddEvents))
	}
	if n := len(d.LeftPlaces); n > 0 {
		more := ""
		if n > mostLeft {
			more = fmt.Sprintf("; and %d more: --json", n-mostLeft)
		}
		list = append(list, fmt.Sprintf("left alone, so that the program does what it did, and not "+
			"observed: %s in the sources: %s%s", units.Count(n, "place"),
			strings.Join(d.LeftPlaces[:min(n, mostLeft)], "; "), more))
	}
	for _, f := range d.Failed {
		list = append(list, fmt.Sprintf("package %s did not build when rewritten, and was left as "+
			"it is: %s", f.Package, strings.TrimSpace(f.Why)))
	}
	for _, s := range d.LeftFiles {
		list = append(list, "not observed: "+s)
	}
	return list
}
