package goprogram

import (
	"cmp"
	"fmt"
	"slices"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/doc"
)

// touchedOnce: to what; how many other such loops and functions there are; lines that all of them come to; the
// level and its bytes; reuses that would stay within, percent of all accesses beyond, to what.
const touchedOnce doc.Code = "touched_once"

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		touchedOnce: {Level: doc.Answer, Needs: doc.Needs{N: fewestSaved},
			Example: []any{"[]byte, made at main.go:9", 1, uint64(65536), "L2", uint64(1 << 20), uint64(8000), 30.,
				"[]int, made at main.go:7"},
			Next: "krdlab trace go PACKAGE prints what each loop reuses from where on",
			Say: func(a doc.Args) string {
				more := ""
				if n := a.Whole(1); n > 0 {
					more = fmt.Sprintf(" (and %d more)", n)
				}
				return fmt.Sprintf("it%s passes %v lines of %s through %s (%s), too small for them: without it, about %v "+
					"reuses, %.3g %% of accesses beyond %[4]s, would stay within, most to %[8]s", more,
					count(uint64(a.Whole(2))), a.Text(0), a.Text(3), units.Bytes(uint64(a.Whole(4))),
					count(uint64(a.Whole(5))), a.Number(6), a.Text(7))
			}},
	})
}

// fewestSaved is how many reuses of the sample of lines a finding is made of, at least; mostStreams, how many
// parts of the program are asked about.
const (
	fewestSaved = 100
	mostStreams = 16
)

// touched finds loops whose lines evict those of others and are not reused themselves, at the level where they
// evict most of what is beyond it.
func (d *Document) touched(a *analysis, groups []krd.GroupHistogram) {
	type part struct {
		at    string
		class int
	}
	var best doc.Finding
	most, of := 0., map[uint32]part{}
	for i := range groups {
		k := a.reader.Groups[groups[i].Group]
		s := &a.sites[k.Site-1]
		of[groups[i].Group] = part{at(s.Function, s.File, cmp.Or(s.Loop, s.Line)), k.Class}
	}
	for _, l := range d.Levels[1:] {
		beyond, all := map[part]uint64{}, uint64(0)
		for i := range groups {
			n := from(&groups[i], l.From) + groups[i].Cold
			beyond[of[groups[i].Group]] += n
			all += n
		}
		var asked []part
		for p, n := range beyond {
			if _, much := d.matters(n, all); much {
				asked = append(asked, p)
			}
		}
		slices.SortFunc(asked, func(x, y part) int {
			return cmp.Or(cmp.Compare(beyond[y], beyond[x]), cmp.Compare(x.at, y.at), cmp.Compare(x.class, y.class))
		})
		asked = asked[:min(len(asked), mostStreams)]
		number := map[uint32]int{}
		for group, k := range a.ahead.starts.from {
			number[uint32(group)] = slices.Index(asked, of[k.group])
		}
		s := a.stream.Streams(l.Bytes, len(asked), number)
		saved, first, lines := uint64(0), uint32(0), uint64(0)
		by := map[uint32]uint64{}
		for group, n := range s.Saved {
			by[a.ahead.starts.from[group].group] += n
		}
		for group, n := range by {
			saved += n
			if have := by[first]; n > have || n == have && group < first {
				first = group
			}
		}
		for _, n := range s.Lines {
			lines += n
		}
		share, much := d.matters(saved, all)
		if !much || s.Sample < fewestSaved || share <= most {
			continue
		}
		p := asked[s.Parts[0]]
		most, best = share, doc.Find(touchedOnce, a.className(p.class), len(s.Parts)-1, lines, l.Name, l.Bytes, saved,
			share, a.className(a.reader.Groups[first].Class)).About(p.at)
		best.Evidence = &doc.Evidence{N: s.Sample}
	}
	if most > 0 {
		d.answers = append(d.answers, best)
	}
}
