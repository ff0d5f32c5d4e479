package goprogram

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/run/result"
	"krdlab/krd"
	observe "krdlab/krd/analysis"
	"krdlab/krd/analysis/dependences"
	"krdlab/krd/analysis/graph"
	"krdlab/krd/analysis/regions"
	"krdlab/krd/doc"
	"krdlab/loi/collect"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/native"
)

// A Document holds the analysis of a program's accesses: `krdlab trace go --json`, and krd.json in
// the run directory.
type Document struct {
	SchemaVersion int      `json:"schema_version"`
	Package       string   `json:"package"`
	Native        bool     `json:"native,omitempty"` // Package is the path of a program that Go did not build
	Args          []string `json:"args"`
	Dir           string   `json:"-"`
	Trace         *string  `json:"trace"` // the file that was written; null: none
	ExitCode      int      `json:"exit_code"`
	Signal        string   `json:"signal,omitempty"`  // that ended it
	Stopped       bool     `json:"stopped,omitempty"` // it was interrupted when its time was over
	TracedNs      int64    `json:"traced_ns"`         // from the program's start to its end

	// Replaced: the program's process became another program (exec), which was not traced.
	Replaced bool `json:"replaced"`
	// LeftRunning is how many processes of the program went on when it had ended, such as a daemon
	// that it became; they were not traced.
	LeftRunning int `json:"left_running"`

	// TraceRecords is how many records are in the trace, TraceDiscarded how many found no room there.
	TraceRecords   uint64 `json:"trace_records"`
	TraceDiscarded uint64 `json:"trace_discarded"`
	noRoom         string // why

	Unit           Unit             `json:"unit"`
	Stack          bool             `json:"stack"`         // what is on the stack is observed
	Accesses       uint64           `json:"accesses"`      // in the distances
	Accounts       collect.Accounts `json:"accounts"`      // what became of all accesses
	Places         []Place          `json:"places"`        // of those that are not simply analysed
	DistinctData   *uint64          `json:"distinct_data"` // null: a sample or a trace, as below
	DistinctBytes  *uint64          `json:"distinct_bytes"`
	Goroutines     uint64           `json:"goroutines"`      // that accessed something
	Atomics        uint64           `json:"atomics"`         // operations of package sync/atomic; 0 without Waits
	LostGoroutines uint64           `json:"lost_goroutines"` // could not: more than 2^20 at once
	LateEvents     uint64           `json:"late_events"`     // handed on after later ones
	OddEvents      uint64           `json:"odd_events"`      // that made no sense
	Packages       []string         `json:"packages"`        // rewritten
	Sites          int              `json:"sites"`
	Failed         []build.Failure  `json:"failed"`     // packages left as they are
	LeftFiles      []string         `json:"left_files"` // whole files and packages, and why
	KRD            *krd.Report      `json:"krd"`        // null: a trace, or nothing sampled
	Sampling       *Sampling        `json:"sampling"`   // null: all accesses were taken
	krd.Parts                       // empty: a trace was written
	// Calls are the functions that called each other, where that is recorded; Lines name them.
	Calls []Call `json:"calls,omitempty"`
	// Lines are the lines of the program that make accesses; none of a sample.
	Lines []SourceLine `json:"lines,omitempty"`
	// Starts are the accesses by where their goroutines began; none of a sample or of data.
	Starts []Start `json:"starts,omitempty"`
	// Levels are the caches of the machine; By is the one that the parts are sorted by.
	Levels []Level `json:"levels"`
	By     Level   `json:"sorted_by"`
	doc.Concluded

	Waits   *graph.Document `json:"waits,omitempty"` // what goroutines waited for; nil: not asked
	waits   observe.Result
	argv    []string      // of the command that made it, where it was read again
	answers []doc.Finding // to be concluded first

	// Footprint and Dependences are what further runs of the program were asked for, nil: nothing.
	Footprint   *regions.Document     `json:"-"`
	Dependences *dependences.Document `json:"-"`

	// Result is the result of the observer of a [Request], nil where there was none; ObserverNs is
	// the CPU time that it took, beside the program.
	Result     observe.Result `json:"-"`
	ObserverNs int64          `json:"-"`
}

// A Place is accesses of the program that are not observed, or whose data is unknown.
type Place struct {
	At       string  `json:"at"`   // file and line
	What     string  `json:"what"` // load of main.tree.left
	Account  string  `json:"account"`
	Why      string  `json:"why,omitempty"` // it is left alone
	Accesses *uint64 `json:"accesses"`      // null: they are not counted
	// Estimated: of a sample; the accesses of all accounts of the place are counted.
	Estimated bool `json:"estimated,omitempty"`
}

// The accounts of places, by the names of [collect.Accounts].
const (
	unknownAccount = "unknown"
	stackAccount   = "stack"
	leftAccount    = "left"
	unseenAccount  = "unseen"
)

// account lists the places of accesses that are not simply analysed, those with the most first, and
// at the end those that are not counted.
func (d *Document) account(a *analysis) {
	add := func(site int, account, why string, n uint64, estimated bool) {
		s := &a.sites[site]
		d.Places = append(d.Places, Place{fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line),
			s.What(), account, why, &n, estimated})
	}
	why := make(map[int]string)
	var uncounted []Place
	for _, l := range a.left {
		if l.Site > 0 {
			why[l.Site] = l.Why
		} else if !l.Whole() {
			uncounted = append(uncounted, Place{fmt.Sprintf("%s:%d",
				filepath.Base(l.Position.Filename), l.Position.Line), l.What, leftAccount, l.Why, nil, false})
		}
	}
	for i, s := range a.reader.Sites() {
		if s.Unknown > 0 {
			add(i-1, unknownAccount, "", s.Unknown, s.Estimated)
		}
		if s.Stack > 0 {
			add(i-1, stackAccount, "", s.Stack, s.Estimated)
		}
		if s.Unseen > 0 {
			add(i-1, unseenAccount, "", s.Unseen, false)
		}
		if w := why[i]; s.Left > 0 || w != "" {
			add(i-1, leftAccount, w, s.Left, false)
		}
	}
	slices.SortStableFunc(d.Places, func(a, b Place) int {
		return cmp.Compare(*b.Accesses, *a.Accesses)
	})
	d.Places = append(d.Places, uncounted...)
}

// places returns those of an account that accesses were made at; no account: that are not counted.
func (d *Document) places(account string) (some []Place) {
	for _, p := range d.Places {
		if account == "" && p.Accesses == nil ||
			p.Account == account && p.Accesses != nil && *p.Accesses > 0 {
			some = append(some, p)
		}
	}
	return some
}

// A Part is that of [krd.Parts].
type Part = krd.Part

func newDocument(r *Request, b *build.Program) *Document {
	d := &Document{SchemaVersion: result.SchemaVersion, Package: r.Build.Path, Native: r.Native != nil, Args: r.Args,
		Unit: r.Unit, Packages: b.Packages, Failed: b.Failed,
		Stack: b.Stack, Places: []Place{}, LeftFiles: []string{}, Levels: levelsOf(&r.Caches, r.Build.Sample)}
	if d.Args == nil {
		d.Args = []string{}
	}
	if d.Failed == nil {
		d.Failed = []build.Failure{}
	}
	for i := range b.Sites {
		if k := b.Sites[i].Kind; k != front.SteadyLoop && k != front.Atomic {
			d.Sites++
		}
	}
	for _, l := range b.Left {
		if l.Whole() {
			d.LeftFiles = append(d.LeftFiles, l.String())
		}
	}
	if r.Trace != "" {
		d.Trace = &r.Trace
	}
	return d
}

// parts sums up groups by what they have in common, by table.
func (a *analysis) parts(groups []krd.GroupHistogram) *[tables]sums {
	var t [tables]sums
	for _, g := range groups {
		for i, name := range a.rows(g.Group) {
			if name != "" {
				t[i].add(name, &g)
			}
		}
	}
	return &t
}

// The tables of parts.
const (
	byFunction = iota
	byLoop
	byObject
	byAllocation
	tables
)

// rows returns the names of the parts that a group is of, by table; "": of none.
func (a *analysis) rows(group uint32) (names [tables]string) {
	k := a.reader.Groups[group]
	s := &a.sites[k.Site-1]
	names[byFunction] = s.Function
	if s.Loop != 0 {
		names[byLoop] = fmt.Sprintf("%s, loop at %s:%d", s.Function, filepath.Base(s.File), s.Loop)
	}
	names[byObject], names[byAllocation] = s.Object, a.className(k.Class)
	if a.native { // an instruction has no variable of the source
		names[byObject] = ""
	}
	if k.Leaf > 0 {
		names[byObject] = s.Leaves[k.Leaf-1].Object
	}
	return names
}

func (d *Document) tables(t *[tables]sums) {
	d.By = d.differing(t)
	d.Functions, d.Loops = t[byFunction].list(d.By.From), t[byLoop].list(d.By.From)
	d.Objects, d.Allocations = t[byObject].list(d.By.From), t[byAllocation].list(d.By.From)
}

// made returns where a site made an object.
func made(s *front.Site) string {
	verb := "made"
	if s.Kind == "variable" {
		verb = "declared"
	}
	return fmt.Sprintf("%s at %s:%d", verb, filepath.Base(s.File), s.Line)
}

// className returns what objects of a class are.
func (a *analysis) className(class int) string {
	c := a.reader.Classes[class]
	if c.Site != 0 {
		s := &a.sites[c.Site-1]
		return s.Object + ", " + made(s)
	}
	if c.Name != "" {
		return c.Name
	}
	switch {
	case a.native && c.Type == native.StackType:
		return "stack of a thread"
	case a.native && c.Type == native.ThreadType:
		return "a thread and its thread-local variables"
	case a.native:
		return "memory that a library allocated"
	}
	name := a.program.TypeName(c.Type)
	switch {
	case name == "" && c.Type == 0:
		name = "bytes without pointers"
	case name == "":
		name = "a type without a name"
	}
	if line := a.program.Line(c.At); line != "" {
		return name + ", made at " + line
	}
	return name + ", made where nothing was rewritten"
}

// sums are parts by name.
type sums map[string]*Part

func (s *sums) add(name string, g *krd.GroupHistogram) {
	addTo(s.part(name), g)
}

// addTo adds the accesses of a group to a part.
func addTo(p *Part, g *krd.GroupHistogram) {
	p.Accesses += g.Accesses
	*p.Cold += g.Cold
	p.Bytes += g.Bytes
	p.Bins = addBins(p.Bins, g.Bins)
}

// addBins adds bins to others, both ascending.
func addBins(bins, more []krd.Bin) []krd.Bin {
	for _, b := range more {
		i, ok := slices.BinarySearchFunc(bins, b, func(a, b krd.Bin) int {
			return cmp.Compare(a.FromBytes, b.FromBytes)
		})
		if ok {
			bins[i].Count += b.Count
		} else {
			bins = slices.Insert(bins, i, b)
		}
	}
	return bins
}

func (s *sums) part(name string) *Part {
	if *s == nil {
		*s = make(sums)
	}
	p := (*s)[name]
	if p == nil {
		p = &Part{Name: name, Bins: []krd.Bin{}, Cold: new(uint64)}
		(*s)[name] = p
	}
	return p
}

// list returns the parts, those first with the most accesses that are cold or from a distance on;
// parts where that is not known count as if all were.
func (s sums) list(from uint64) []Part {
	list := make([]Part, 0, len(s))
	for _, p := range s {
		list = append(list, *p)
	}
	far := func(p *Part) uint64 {
		if p.Cold == nil {
			return p.Accesses
		}
		return p.From(from) + *p.Cold
	}
	slices.SortFunc(list, func(a, b Part) int {
		return cmp.Or(cmp.Compare(far(&b), far(&a)), cmp.Compare(b.Accesses, a.Accesses), strings.Compare(a.Name, b.Name))
	})
	return list
}
