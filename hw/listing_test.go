package hw

import (
	"encoding/xml"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/hw/hwtest"
)

// A listed is a CPU in hwloc's listing: the oracle of the snapshot tests.
type listed struct {
	pkg    int
	core   string           // identifies the core in the listing
	caches map[string]Cache // "L1", "L2", "L3"; CPUs are those listed below it
}

// object is one object of a listing.
type object struct {
	kind   string // Package, NUMANode, L3, L2, L1, Core, PU
	number int    // the kernel's
	name   string // unique
	cache  Cache
	up     *object
}

var (
	consoleLine = regexp.MustCompile(`^( *)(Package|L[123]d?Cache|Core|PU) L#(\d+)(?: \((.*))?`)
	attribute   = regexp.MustCompile(`(P#|size=|linesize=|ways=)(\d+)(KiB|MiB)?`)
)

// parseConsole reads the text form, whose nesting is its indentation.
func parseConsole(t *testing.T, text string) map[int]listed {
	t.Helper()
	type level struct {
		indent int
		obj    *object
	}
	var stack []level
	var pus []*object
	for line := range strings.Lines(text) {
		m := consoleLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		o := &object{kind: strings.TrimSuffix(strings.TrimSuffix(m[2], "Cache"), "d"), number: -1,
			name: m[2] + m[3]}
		for _, a := range attribute.FindAllStringSubmatch(m[4], -1) {
			n, _ := strconv.Atoi(a[2])
			switch a[1] {
			case "P#":
				o.number = n
			case "size=":
				o.cache.Bytes = Size(n << map[string]int{"KiB": 10, "MiB": 20}[a[3]])
			case "linesize=":
				o.cache.LineBytes = n
			case "ways=":
				o.cache.Ways = n
			}
		}
		for len(stack) > 0 && stack[len(stack)-1].indent >= len(m[1]) {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			o.up = stack[len(stack)-1].obj
		}
		stack = append(stack, level{len(m[1]), o})
		if o.kind == "PU" {
			pus = append(pus, o)
		}
	}
	return collect(t, pus)
}

type xmlObject struct {
	Type  string      `xml:"type,attr"`
	Index int         `xml:"os_index,attr"`
	Size  Size        `xml:"cache_size,attr"`
	Line  int         `xml:"cache_linesize,attr"`
	Ways  int         `xml:"cache_associativity,attr"`
	Below []xmlObject `xml:"object"`
}

// parseXML reads the XML form.
func parseXML(t *testing.T, text []byte) map[int]listed {
	t.Helper()
	var top struct {
		Machine xmlObject `xml:"object"`
	}
	if err := xml.Unmarshal(text, &top); err != nil {
		t.Fatal(err)
	}
	var pus []*object
	var walk func(x xmlObject, up *object)
	walk = func(x xmlObject, up *object) {
		o := &object{kind: strings.TrimSuffix(x.Type, "Cache"), number: x.Index, up: up,
			cache: Cache{Bytes: x.Size, LineBytes: x.Line, Ways: x.Ways}}
		o.name = o.kind + strconv.Itoa(len(pus)) // unique among objects that have PUs below them
		for _, b := range x.Below {
			walk(b, o)
		}
		if o.kind == "PU" {
			pus = append(pus, o)
		}
	}
	walk(top.Machine, nil)
	return collect(t, pus)
}

func collect(t *testing.T, pus []*object) map[int]listed {
	t.Helper()
	if len(pus) == 0 {
		t.Fatal("the listing has no PU")
	}
	out := map[int]listed{}
	below := map[string][]int{}
	for _, pu := range pus {
		for o := pu.up; o != nil; o = o.up {
			below[o.name] = append(below[o.name], pu.number)
		}
	}
	for _, pu := range pus {
		l := listed{pkg: -1, caches: map[string]Cache{}}
		for o := pu.up; o != nil; o = o.up {
			switch o.kind {
			case "Package":
				l.pkg = o.number
			case "Core":
				l.core = o.name
			case "L1", "L2", "L3":
				c := o.cache
				c.Level = int(o.kind[1] - '0')
				c.CPUs = slices.Sorted(slices.Values(below[o.name]))
				l.caches[o.kind] = c
			}
		}
		out[pu.number] = l
	}
	return out
}

func readListing(t *testing.T, name string) map[int]listed {
	t.Helper()
	b, isXML := hwtest.Listing(t, name)
	if isXML {
		return parseXML(t, b)
	}
	return parseConsole(t, string(b))
}
