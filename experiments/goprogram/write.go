package goprogram

import (
	"fmt"
	"strings"
	"time"

	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd/analysis/reuse"
	"krdlab/krd/doc"
)

// most is how many rows a table has for people; all are in the document.
const most = 12

// mostBrief is most where answers matter more than tables.
const mostBrief = 5

// View returns what people read of d; brief: answers, and of each table what is farthest.
func (d *Document) View(brief bool) *doc.Doc {
	most := most
	if brief {
		most = mostBrief
	}
	answers, rest := d.Apart()
	v := &doc.Doc{Warnings: rest}
	for _, s := range answers {
		v.Say("%s", s)
	}
	if d.KRD != nil && d.KRD.Causes != nil {
		v.Add(reuse.Ranking(d.KRD, d.KRD.Causes.By))
		return v
	}
	end := ""
	if d.Stopped {
		end = ", and was stopped then"
	}
	atomics := ""
	if d.Atomics > 0 {
		atomics = fmt.Sprintf(" and %v atomic operations", count(d.Atomics))
	}
	rewritten, who := units.Count(len(d.Packages), "package")+" rewritten; ", "the rewritten packages"
	if d.Native {
		rewritten, who = "", "the program's own code"
	}
	v.Say("%s: %s%s by %s; %sthe program ran for %s%s", d.Package,
		about(d.Accounts.Estimated)+accesses(d.Accesses), atomics, units.Count(d.Goroutines, d.worker()), rewritten,
		time.Duration(d.TracedNs).Round(time.Millisecond), end)
	a := &d.Accounts
	var of []string
	for _, x := range []struct {
		n         uint64
		what      string
		estimated bool
	}{{a.Analysed, "analysed", a.Estimated}, {a.Unknown, "of unknown origin", a.Estimated},
		{a.Stack, "on the stack", a.Estimated}, {a.Left, "left alone", false}, {a.Lost, "lost", false},
		{a.Unseen, "on the heap or the stack, n/a which (no draw saw them)", false}} {
		if x.n > 0 {
			of = append(of, fmt.Sprintf("%s%v %s", about(x.estimated), count(x.n), x.what))
		}
	}
	if len(of) > 1 || a.Analysed == 0 && a.All() > 0 {
		v.Say("of %s that %s made, but for %s: %s", accesses(a.All()), who,
			d.uncounted(), strings.Join(of, ", "))
	}
	if d.KRD != nil && d.Accesses > 0 && d.Sampling != nil {
		v.Add(reuse.View(d.KRD))
	} else if d.KRD != nil && d.Accesses > 0 {
		what := "lines of 64 bytes"
		if d.Unit == Data {
			what = "variables, fields and elements"
		}
		v.Say("data: %s, %s (%s)", doc.Count(result.Some(float64(*d.DistinctData))),
			units.Bytes(*d.DistinctBytes), what)
		if !brief {
			v.Add(reuse.View(d.KRD))
		}
	}
	if d.Sampling != nil {
		d.Sampling.view(v)
	}
	if len(d.Functions) > 0 {
		columns := "cold and from"
		if d.Sampling != nil {
			columns = "cold (or farther than a phase saw) and beyond (cold or from there on)"
		}
		beyond := ""
		for i, l := range d.Levels {
			beyond += fmt.Sprintf("%sfrom %s on, beyond %s (%s)", []string{"", ", "}[min(i, 1)], units.Bytes(l.From), l.Name,
				units.Bytes(l.Bytes))
		}
		v.Add(doc.Paragraph{fmt.Sprintf("tables are sorted by the accesses that are cold or beyond %s, then by all; %s: "+
			"shares of the row's own accesses; %s", d.By.Name, columns, beyond)})
	}
	for _, t := range []struct {
		head  string
		parts []Part
	}{{"function", d.Functions}, {"loop", d.Loops}, {"accessed", d.Objects},
		{"in objects", d.Allocations}} {
		if len(t.parts) > 0 {
			v.Add(d.table(t.head, t.parts, most))
		}
	}
	if d.waited() {
		v.Add(d.waits.(interface{ Waits() *doc.Table }).Waits())
	}
	return v
}

// waited reports that goroutines waited for others.
func (d *Document) waited() bool {
	return d.Waits != nil && d.Waits.Goroutines != nil && len(d.Waits.Goroutines.Waits) > 0
}

// about stands before what is estimated.
func about(estimated bool) string {
	if estimated {
		return "about "
	}
	return ""
}

// accesses prints a count with its noun.
func accesses(n uint64) string {
	if n == 1 {
		return "1 access"
	}
	return fmt.Sprintf("%s accesses", count(n))
}

func count(n uint64) any { return doc.Count(result.Some(float64(n))) }

// table returns a table of the first parts, at most so many.
func (d *Document) table(head string, parts []Part, most int) *doc.Table {
	heads := []string{head, "accesses", "share", "cold"}
	var limits []uint64
	for _, l := range d.Levels {
		limits = append(limits, l.From)
	}
	for len(limits) > 0 { // without columns of zeros at the end
		if t, err := d.KRD.AtLeast(limits[len(limits)-1]); err != nil || t.Finite > 0 {
			break
		}
		limits = limits[:len(limits)-1]
	}
	for _, l := range limits {
		heads = append(heads, "from "+units.Bytes(l))
	}
	if d.Sampling != nil {
		return sampledTable(heads, limits, parts, d.Accesses, most)
	}
	t := doc.NewTable(1, heads...)
	for i := range parts[:min(most, len(parts))] {
		x := &parts[i]
		row := []any{x.Name, count(x.Accesses), doc.Share{Part: float64(x.Accesses),
			Whole: float64(d.Accesses)}, doc.Share{Part: float64(x.First()), Whole: float64(x.Accesses)}}
		for _, l := range limits {
			row = append(row, doc.Share{Part: float64(x.From(l)), Whole: float64(x.Accesses)})
		}
		t.Row(row...)
	}
	remark(t, parts, most)
	return t
}

// remark counts the parts that a table has no room for.
func remark(t *doc.Table, parts []Part, most int) {
	if n := len(parts) - most; n > 0 {
		t.Remarks = []string{fmt.Sprintf("and %d more: --json", n)}
	}
}

// mostPlaces is how many places of an account people are told.
const mostPlaces = 3

// outsideShare is from which share of the accesses people are told what was not analysed.
const outsideShare = 0.01

// outside concludes where the accesses are made that are not simply analysed, if they are many.
func (d *Document) outside() {
	a := &d.Accounts
	all := a.All()
	if d.Accesses+d.Atomics == 0 && !d.waited() {
		d.nothing()
	}
	if float64(all-a.Analysed) > outsideShare*float64(all) {
		for _, x := range []struct {
			n         uint64
			estimated bool
			account   string
			code      doc.Code
		}{
			{a.Stack, a.Estimated, stackAccount, onStack}, {a.Unknown, a.Estimated, unknownAccount, unknownOrigin},
			{a.Left, false, leftAccount, leftAlone}, {a.Unseen, false, unseenAccount, undrawn},
		} {
			if float64(x.n) > outsideShare/10*float64(all) {
				d.Find(x.code, x.estimated, x.n, all, named(d.places(x.account)))
			}
		}
	}
	if p := d.places(""); len(p) > 0 {
		d.Find(uncountedPlaces, len(p), named(p))
	}
	d.some(lostEvents, a.Lost)
}

// some concludes a code that counts what there is.
func (d *Document) some(code doc.Code, n uint64) {
	if n > 0 {
		d.Find(code, n)
	}
}

// uncounted names the accesses in no account: variables that the compiler may keep in registers.
func (d *Document) uncounted() string {
	if d.Native {
		return "variables in registers"
	}
	if d.Stack {
		return "local variables that nothing points to"
	}
	return "local variables by their names"
}

// nothing concludes why a program seems to access nothing.
func (d *Document) nothing() {
	packages := strings.Join(d.Packages, ", ")
	switch a := &d.Accounts; {
	case a.All() > 0:
		d.Find(nothingAnalysed, a.All(), d.uncounted(), a.Stack, a.Left, a.Lost)
	case len(d.Packages) == 0:
		d.Find(nothingRewritten)
	case d.Sites == 0:
		d.Find(noAccesses, packages)
	default:
		d.Find(noneMade, d.Sites, packages)
	}
}

// named returns the first of places.
func named(places []Place) (text string) {
	for i, p := range places[:min(mostPlaces, len(places))] {
		text += map[bool]string{true: ": ", false: "; "}[i == 0] + p.At + ": " + p.What
		if p.Why != "" {
			text += ", " + p.Why
		}
		if p.Accesses != nil {
			text += fmt.Sprintf(" (%s%d)", about(p.Estimated), *p.Accesses)
		}
	}
	if n := len(places) - mostPlaces; n > 0 {
		text += fmt.Sprintf("; and %d more: --json", n)
	}
	return text
}

// doubt concludes what is not as good as it could be.
func (d *Document) doubt() {
	d.Conclude(d.answers...)
	if d.Replaced {
		d.Find(replaced)
	}
	d.some(leftRunning, uint64(d.LeftRunning))
	if d.TraceDiscarded > 0 {
		d.Find(result.TraceLost, *d.Trace, d.TraceDiscarded, d.TraceRecords+d.TraceDiscarded, d.noRoom)
	}
	d.Conclude(d.Sampling.doubts()...)
	d.outside()
	if d.LateEvents > (d.Accesses+d.Atomics)/1e6 {
		d.Find(lateEvents, d.LateEvents)
	}
	d.some(lostGoroutines, d.LostGoroutines)
	d.some(oddEvents, d.OddEvents)
	for _, f := range d.Failed {
		d.Find(notBuilt, f.Package, strings.TrimSpace(f.Why))
	}
	for _, s := range d.LeftFiles {
		d.Find(NotObserved, s)
	}
}
