package goprogram

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/doc"
	"krdlab/loi/front"
)

// The codes of answers, with what their arguments are.
const (
	// unusedField: the fields with the most accesses, those never used, bytes of a line that are not
	// those, percent of the far accesses of all.
	unusedField doc.Code = "unused_field"
	// pointerWalk: how it walks; steps, percent of them that are far, percent of the far accesses of all, from
	// where on they are.
	pointerWalk doc.Code = "pointer_walk"
	// pointerScan: the fields that it accesses, bytes of these, bytes of an object; objects, percent of them
	// that are far, percent of the far accesses of all, from where on they are.
	pointerScan doc.Code = "pointer_scan"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		unusedField: {Level: doc.Answer, Example: []any{".used", ".never", 32, 40.},
			Next: "krdlab trace go PACKAGE --unit datum prints the reuse of each field",
			Say: func(a doc.Args) string {
				return fmt.Sprintf("%d of %d bytes of its lines are used; hot: %s; unused once made: "+
					"%s; it has %.3g %% of the accesses beyond L1", a.Whole(2), lineBytes, a.Text(0),
					a.Text(1), a.Number(3))
			}},
		pointerWalk: {Level: doc.Answer, Example: []any{"x = x.next", uint64(100000), 95., 40., uint64(32 << 10)},
			Next: "krdlab trace go PACKAGE prints other far data by the place of their allocation",
			Say: func(a doc.Args) string {
				return fmt.Sprintf("it walks %s: %.3g %% of %v steps reuse a line from %s on, beyond L1; these are "+
					"%.3g %% of all such", a.Text(0), a.Number(2), count(uint64(a.Whole(1))),
					units.Bytes(uint64(a.Whole(4))), a.Number(3))
			}},
		pointerScan: {Level: doc.Answer, Example: []any{"p.kind", 8, 96, uint64(100000), 95., 40., uint64(32 << 10)},
			Next: "krdlab trace go PACKAGE prints other far data by the place of their allocation",
			Say: func(a doc.Args) string {
				return fmt.Sprintf("it scans pointers for %s, %d of an object's %d bytes: %.3g %% of %v objects are from %s "+
					"on, beyond L1, %.3g %% of all such; a slice of those bytes alone has fewer lines", a.Text(0),
					a.Whole(1), a.Whole(2), a.Number(4), count(uint64(a.Whole(3))), units.Bytes(uint64(a.Whole(6))), a.Number(5))
			}},
	})
}

// A finding has this share of the program's far accesses, and its far accesses that of all.
const (
	muchFar   = 0.05
	fewestFar = 0.01
)

// far returns how many accesses are beyond L1, first ones apart.
func (d *Document) far(g *krd.GroupHistogram) uint64 { return from(g, d.Levels[0].From) }

// matters returns the percentage of far accesses that n are; false: too few to be a finding.
func (d *Document) matters(n, all uint64) (float64, bool) {
	return 100 * float64(n) / float64(max(1, all)), n > 0 && float64(n) >= muchFar*float64(all) &&
		float64(n) >= fewestFar*float64(d.Accesses)
}

// A fieldUse holds the use of the fields of a structure.
type fieldUse struct {
	far  uint64            // accesses
	used map[string]uint64 // accesses, by Object of a leaf
	open bool              // some accesses to its objects are not known by a field
}

// fields finds structures whose hot fields lie beside fields that nothing uses once they are made.
func (d *Document) fields(a *analysis, groups []krd.GroupHistogram, all uint64) {
	uses, of := map[*front.Struct]*fieldUse{}, map[int]map[*front.Struct]bool{} // of a class
	each := func(do func(site *front.Site, class, leaf int, g *krd.GroupHistogram)) {
		for i := range groups {
			k := a.reader.Groups[groups[i].Group]
			s := &a.sites[k.Site-1]
			if !k.Moved && !slices.Contains([]string{"new", "literal", "append", "append-from"}, s.Kind) {
				do(s, k.Class, k.Leaf, &groups[i])
			}
		}
	}
	each(func(s *front.Site, class, _ int, g *krd.GroupHistogram) {
		if s.Struct == nil {
			return
		}
		if of[class] == nil {
			of[class] = map[*front.Struct]bool{}
		}
		if uses[s.Struct] == nil {
			uses[s.Struct] = &fieldUse{used: map[string]uint64{}}
		}
		of[class][s.Struct] = true
		uses[s.Struct].far += d.far(g)
	})
	each(func(s *front.Site, class, leaf int, g *krd.GroupHistogram) {
		names := []string{s.Object}
		for i := range s.Leaves {
			if i == 0 {
				names = names[:0]
			}
			if leaf == 0 || leaf == i+1 {
				names = append(names, s.Leaves[i].Object)
			}
		}
		known := false
		for t := range of[class] {
			for _, l := range t.Leaves {
				known = known || slices.Contains(names, l.Object)
			}
			for _, name := range names {
				uses[t].used[name] += g.Accesses
			}
		}
		for t := range of[class] {
			uses[t].open = uses[t].open || !known
		}
	})
	order := slices.SortedFunc(maps.Keys(uses), func(x, y *front.Struct) int {
		return cmp.Or(cmp.Compare(uses[y].far, uses[x].far), cmp.Compare(x.Name, y.Name))
	})
	for _, t := range order {
		u := uses[t]
		share, much := d.matters(u.far, all)
		if !much || u.open {
			continue
		}
		hot, never := u.fields(t)
		if len(hot) == 0 || len(never) == 0 {
			continue
		}
		if bytes := usedBytes(t, u.used); 2*bytes <= lineBytes {
			d.answers = append(d.answers, doc.Find(unusedField, some(hot), some(never), int(bytes+0.5),
				share).About(t.Name))
		}
	}
}

// some returns the first names of a list.
func some(names []string) string {
	if n := len(names) - mostFields; n > 0 {
		names = append(names[:mostFields:mostFields], fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

// mostFields is how many people are told.
const mostFields = 3

// fields returns those with the most accesses, down to a tenth, and those that are not used.
func (u *fieldUse) fields(t *front.Struct) (hot, never []string) {
	for _, l := range t.Leaves {
		if l.Name != "" && u.used[l.Object] == 0 {
			never = append(never, l.Name)
		} else if l.Name != "" {
			hot = append(hot, l.Name)
		}
	}
	of := func(name string) uint64 {
		i := slices.IndexFunc(t.Leaves, func(l front.Leaf) bool { return l.Name == name })
		return u.used[t.Leaves[i].Object]
	}
	slices.SortStableFunc(hot, func(x, y string) int { return cmp.Compare(of(y), of(x)) })
	return slices.DeleteFunc(hot, func(x string) bool { return 10*of(x) < of(hot[0]) }), never
}

// usedBytes returns how many bytes are not those of fields that are never used, of each line that has
// used ones; objects lie in a row.
func usedBytes(t *front.Struct, used map[string]uint64) float64 {
	const isUsed, isNot = 1, 2
	kind := make([]uint8, t.Bytes)
	for _, l := range t.Leaves {
		for i := range l.Bytes {
			kind[l.Offset+i] = isUsed
			if l.Name != "" && used[l.Object] == 0 {
				kind[l.Offset+i] = isNot
			}
		}
	}
	lines, bytes := 0, 0
	for from := uint64(0); from == 0 || from%t.Bytes != 0; from += lineBytes {
		n, hit := lineBytes, false
		for i := range uint64(lineBytes) {
			k := kind[(from+i)%t.Bytes]
			hit = hit || k == isUsed
			if k == isNot {
				n--
			}
		}
		if hit {
			lines, bytes = lines+1, bytes+n
		}
	}
	return float64(bytes) / float64(max(1, lines))
}

// walks finds objects that are walked by their own pointers and are far at most steps.
func (d *Document) walks(a *analysis, groups []krd.GroupHistogram, all uint64) {
	type sum struct {
		steps, far uint64
		subject    string
	}
	walks := map[*front.Walk]*sum{}
	for i := range groups {
		s := &a.sites[a.reader.Groups[groups[i].Group].Site-1]
		if s.Walk == nil {
			continue
		}
		if walks[s.Walk] == nil {
			walks[s.Walk] = &sum{subject: at(s.Function, s.File, s.Walk.Line)}
		}
		w := walks[s.Walk]
		w.far += d.far(&groups[i])
		if s.Step {
			w.steps += groups[i].Accesses
		}
	}
	order := slices.SortedFunc(maps.Keys(walks), func(x, y *front.Walk) int {
		return cmp.Or(cmp.Compare(walks[y].far, walks[x].far),
			cmp.Compare(walks[x].subject, walks[y].subject))
	})
	for _, w := range order {
		s := walks[w]
		n := min(s.far, s.steps) // an object may have several lines
		if share, much := d.matters(n, all); much && float64(n) >= mostFar*float64(s.steps) {
			d.answers = append(d.answers, doc.Find(pointerWalk, w.Text, s.steps, 100*float64(n)/float64(s.steps),
				share, d.Levels[0].From).About(s.subject))
		}
	}
}

// scans finds loops that come to objects by the pointers of a slice, far at most of them, for fields that are
// at most half of the lines that they are in, a field counting as often as it stands there. An object smaller than a
// line may share it with the next.
func (d *Document) scans(a *analysis, groups []krd.GroupHistogram, all uint64) {
	type scan struct {
		function, file, pointer string
		loop                    int
		of                      *front.Struct
	}
	type sum struct {
		far    uint64
		fields map[int]uint64 // accesses by site
	}
	scans := map[scan]*sum{}
	for i := range groups {
		site := a.reader.Groups[groups[i].Group].Site - 1
		s := &a.sites[site]
		if s.Scan == "" || s.Walk != nil || s.Struct == nil || s.Struct.Bytes < lineBytes {
			continue
		}
		k := scan{s.Function, s.File, s.Scan, s.Loop, s.Struct}
		if scans[k] == nil {
			scans[k] = &sum{fields: map[int]uint64{}}
		}
		scans[k].far += d.far(&groups[i])
		scans[k].fields[site] += groups[i].Accesses
	}
	order := slices.SortedFunc(maps.Keys(scans), func(x, y scan) int {
		return cmp.Or(cmp.Compare(scans[y].far, scans[x].far), cmp.Compare(at(x.function, x.file, x.loop),
			at(y.function, y.file, y.loop)))
	})
	for _, k := range order {
		s := scans[k]
		hot := slices.SortedFunc(maps.Keys(s.fields), func(x, y int) int {
			return cmp.Or(cmp.Compare(s.fields[y], s.fields[x]), cmp.Compare(x, y))
		})
		objects, bytes, names := s.fields[hot[0]], uint64(0), []string{}
		for _, f := range hot {
			if 10*s.fields[f] >= objects {
				bytes += a.sites[f].Bytes
				if !slices.Contains(names, a.sites[f].Object) {
					names = append(names, a.sites[f].Object)
				}
			}
		}
		n := min(s.far, objects) // an object may have several lines
		if share, much := d.matters(n, all); much && float64(n) >= mostFar*float64(objects) && 2*bytes <= lineBytes {
			d.answers = append(d.answers, doc.Find(pointerScan, some(names), bytes, k.of.Bytes, objects,
				100*float64(n)/float64(objects), share, d.Levels[0].From).About(at(k.function, k.file, k.loop)))
		}
	}
}
