package regions

import (
	"cmp"
	"encoding/json"
	"fmt"

	"krdlab/krd"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/loops"
	"krdlab/krd/analysis/shadow"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// Units of work.
const (
	unitNS           = "ns"
	unitAccesses     = "accesses"
	unitInstructions = "instructions"
	unitKernels      = "kernels"
)

// A Document is the JSON form, and its own result.
type Document struct {
	SchemaVersion int    `json:"schema_version"`
	Unit          string `json:"unit"` // of work: ns, kernels, accesses or instructions
	// DatumBytes is the size of a datum, where footprints are in whole ones; null: data have their
	// own sizes.
	DatumBytes *uint64  `json:"datum_bytes"`
	Regions    []Region `json:"regions"` // outer ones first, those of one by work
	Program    Program  `json:"program"`
	// Plan is the loops to execute in parallel, the best first; null where critical paths are not known,
	// and of tasks, which are parallel.
	Plan []Planned `json:"plan"`
	// Struck are loops that were planned, and that other orders have shown to be none.
	Struck []Planned `json:"struck,omitempty"`
	Memory *Memory   `json:"memory"` // null: not asked for
	doc.Concluded

	opt   *Options
	paths []step // beside Regions
}

// step is the drawing of a region.
type step struct {
	depth int
	name  string
	own   uint64 // work in none of those within
	// Bytes that an instance touches: of data, or of whole lines where these alone are counted.
	mean *float64
	most *uint64
}

// A Region is a static region by the path of those around it: sums and means over its instances.
type Region struct {
	Path      []string `json:"path"` // outermost first, this one last
	Kind      string   `json:"kind"` // function, loop, iteration, task or kernel
	Instances uint64   `json:"instances"`
	// Iterations is how many a loop had, where they are known.
	Iterations uint64 `json:"iterations,omitempty"`
	Unended    uint64 `json:"unended,omitempty"` // of these, when the trace ended
	Work       uint64 `json:"work"`              // all that was done in it and in those within
	// Critical paths are known of tasks, and of a trace with operations.
	CriticalPath     *uint64  `json:"critical_path"`
	SelfParallelism  *float64 `json:"self_parallelism"`
	TotalParallelism *float64 `json:"total_parallelism"`
	// FootprintBytes are the bytes that an instance touched, on average; ReadBytes those of them
	// that were read, WrittenBytes those that were written.
	FootprintBytes    *float64 `json:"footprint_bytes"`
	FootprintBytesMax *uint64  `json:"footprint_bytes_max"`
	FootprintLines    *float64 `json:"footprint_lines"` // of 64 bytes
	ReadBytes         *float64 `json:"read_bytes"`
	WrittenBytes      *float64 `json:"written_bytes"`
	// FirstTouchShare is how much of it, or of the lines where these alone are counted, was touched the
	// first time within the outermost region around it.
	FirstTouchShare *float64 `json:"first_touch_share"`
	// Class is that of a loop; null: it has less than three iterations each time.
	Class   *string         `json:"class"`
	Removed []loops.Removal `json:"removed"` // what that takes for granted
	// Distance is the least, in iterations, of dependences carried and not removed; null: none.
	Distance *int64 `json:"distance"`
}

// A Program is all regions together.
type Program struct {
	Accesses uint64  `json:"accesses"`
	Outside  *uint64 `json:"outside"` // of them, in no region; null: not known
	// FootprintBytes are the bytes that all regions touched; null: not known.
	FootprintBytes *uint64 `json:"footprint_bytes"`
	// AgainBytes are the bytes that outermost regions touched after another had, such as that of
	// another goroutine, summed over them; likewise.
	AgainBytes *uint64 `json:"again_bytes"`
	// Threads are those that did something; 1 of tasks, which are taken in the order of one.
	Threads int `json:"threads"`
	// Races is how many blocks, or bytes of address spaces that all accesses take whole, two executions
	// of a task program race for; null: not known.
	Races *uint64 `json:"races"`
}

// Memory is the size of the shadow memory, in bytes.
type Memory struct {
	Validation string `json:"validation"`
	Compress   bool   `json:"compress"`
	PeakBytes  uint64 `json:"peak_bytes"` // of all threads at once
	shadow.Usage
}

// A shape names the counts of a tree.
type shape struct {
	has   [lanes]bool
	datum uint64 // bytes of one; 1: bytes are counted
	paths bool   // critical paths are known
	loops map[loi.RegionID]*loops.Verdict
}

// regions lists those of a tree.
func (t *tree) regions(h *loi.Header, s shape, d *Document) {
	d.Regions = []Region{}
	t.walk(name(h), func(n *node, path []string) {
		r := Region{Path: path, Kind: n.kind, Instances: n.instances, Unended: n.unended, Work: n.work}
		mean := func(lane int, unit uint64) *float64 {
			if !s.has[lane] {
				return nil
			}
			m := float64(n.touched[lane]) * float64(unit) / float64(n.instances)
			return &m
		}
		r.FootprintBytes, r.FootprintLines = mean(laneData, s.datum), mean(laneLines, 1)
		r.ReadBytes, r.WrittenBytes = mean(laneReads, s.datum), mean(laneWrites, s.datum)
		lane, unit := laneData, s.datum
		if !s.has[laneData] {
			lane, unit = laneLines, lineBytes
		}
		x := step{depth: len(path) - 1, name: path[len(path)-1], mean: mean(lane, unit)}
		if s.has[lane] {
			most := n.most * unit
			x.most = &most
			if s.has[laneData] {
				r.FootprintBytesMax = &most
			}
			if n.touched[lane] > 0 {
				share := float64(n.first) / float64(n.touched[lane])
				r.FirstTouchShare = &share
			}
		}
		if s.paths {
			p := &n.paths
			r.CriticalPath = &p.critical
			r.SelfParallelism = ratio(float64(n.work), p.serial)
			r.TotalParallelism = ratio(float64(n.work), float64(p.critical))
			if v := s.loops[loi.RegionID(n.number)]; v != nil && n.kind == loi.Loop.String() {
				r.Class, r.Removed = class(v, r.SelfParallelism), v.Removed
				if v.Distance > 0 {
					r.Distance = &v.Distance
				}
			}
		}
		x.own = n.work
		for f, c := range n.children {
			if n.kind == loi.Loop.String() && f.kind == loi.Iteration.String() {
				r.Iterations += t.nodes[c].instances
			}
			x.own -= min(x.own, t.nodes[c].work)
		}
		d.Regions = append(d.Regions, r)
		d.paths = append(d.paths, x)
	})
}

// ratio returns a / b, or nil if there is none.
func ratio(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	a /= b
	return &a
}

// document makes the result of a program.
func (p *program) document(in *analysis.Input, unit string) *Document {
	d := newDocument(p.opt, in, unit)
	s := shape{datum: p.opt.Datum, paths: p.hcpa != nil, loops: p.loops}
	none := p.opt.Count == countNone
	s.has[laneData] = p.data && p.opt.Count != countLines && !none
	s.has[laneReads] = s.has[laneData] && p.opt.Count == countAll
	s.has[laneWrites] = s.has[laneReads]
	s.has[laneLines] = p.lines && (p.opt.Count != countData || !p.data) && !none
	if p.sized {
		s.datum = 1
	} else if s.has[laneData] {
		d.DatumBytes = &p.opt.Datum
	}
	p.tree.regions(p.header, s, d)
	if s.paths && s.loops != nil {
		d.Plan = plan(d.Regions, p.opt)
		d.recommend()
	}
	d.Program = Program{Accesses: p.all, Outside: &p.outside, Threads: p.began}
	if !p.sized && p.lines && !none {
		bytes, again := p.seen.Len()*p.datum, p.crossed*p.datum
		d.Program.FootprintBytes, d.Program.AgainBytes = &bytes, &again
	}
	if p.opt.Memory {
		d.Memory = &Memory{p.opt.Validation, p.opt.Compress, p.memory.peak, p.memory.sum}
	}
	if p.began > 1 {
		threads := "workers"
		if p.header.Goroutines() {
			threads = "goroutines"
		}
		d.Find(severalThreads, p.began, threads)
	}
	if n := d.unended(); n > 0 {
		d.Find(regionsOpen, n)
	}
	return d
}

// unended counts instances that had not ended.
func (d *Document) unended() (n uint64) {
	for i := range d.Regions {
		n += d.Regions[i].Unended
	}
	return n
}

// document makes the result of tasks.
func (x *taskTree) document(in *analysis.Input) *Document {
	d := newDocument(x.opt, in, unitNS)
	s := shape{datum: 1, paths: x.run.Units != nil}
	for i := range s.has {
		s.has[i] = x.foot.lane[i].memory != nil
	}
	if x.opt.Work == workKernels {
		d.Unit = unitKernels
	} else {
		for i := range x.tree.nodes {
			n := &x.tree.nodes[i]
			p := &n.paths
			n.work, p.critical = nanoseconds(n.work, x.header.Clock.Hz), nanoseconds(p.critical,
				x.header.Clock.Hz)
			p.serial *= 1e9 / cmp.Or(x.header.Clock.Hz, 1e9)
		}
	}
	x.tree.regions(x.header, s, d)
	d.Program = Program{Accesses: x.run.All(), Outside: new(uint64), Threads: 1}
	if x.run.Units != nil {
		d.Program.Races = &x.run.Find().Units
	}
	if x.opt.Memory {
		u := x.foot.usage()
		d.Memory = &Memory{x.opt.Validation, x.opt.Compress, u.Total.Peak, u}
	}
	if x.header.Clock.Hz == 0 {
		d.Find(krd.NoClockRate)
	}
	return d
}

func nanoseconds(ticks uint64, hz float64) uint64 {
	if hz == 0 {
		return ticks
	}
	return uint64(float64(ticks)/hz*1e9 + 0.5)
}

// UnmarshalJSON implements [json.Unmarshaler]: the document can be viewed and drawn again, with the options
// that follow from what it has, and the defaults of others.
func (d *Document) UnmarshalJSON(text []byte) error {
	type plain Document
	if err := json.Unmarshal(text, (*plain)(d)); err != nil {
		return err
	}
	d.opt, d.paths = Analysis.New().(*Options), nil
	none := true
	var open []int // the regions around one
	for i := range d.Regions {
		r := &d.Regions[i]
		if len(r.Path) == 0 || len(r.Path) > len(open)+1 {
			return fmt.Errorf("region %d: a path of %d names, expected 1 to %d", i, len(r.Path), len(open)+1)
		}
		x := step{depth: len(r.Path) - 1, name: r.Path[len(r.Path)-1], own: r.Work, mean: r.FootprintBytes,
			most: r.FootprintBytesMax}
		if r.FootprintLines != nil && x.mean == nil {
			x.mean = new(*r.FootprintLines * lineBytes)
		}
		none = none && x.mean == nil
		open = append(open[:x.depth], i)
		if x.depth > 0 {
			around := &d.paths[open[x.depth-1]]
			around.own -= min(around.own, r.Work)
		}
		d.paths = append(d.paths, x)
	}
	if none {
		d.opt.Count = countNone
	}
	return nil
}

func newDocument(opt *Options, in *analysis.Input, unit string) *Document {
	d := &Document{SchemaVersion: 1, Unit: unit, opt: opt}
	d.Conclude(in.Warnings...)
	return d
}

// Document implements [analysis.Result].
func (d *Document) Document() any { return d }
