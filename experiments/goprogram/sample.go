package goprogram

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/doc"
	"krdlab/loi/collect"
	"krdlab/loi/front"
)

// A sampler takes a sample of a program's accesses for krd.Bursts.
type sampler struct {
	a       *analysis
	b       *krd.Bursts
	modes   map[uint64]*sampledMode // by goroutine
	change  uint64                  // the last that was seen of any
	burst   uint64                  // in which a burst was last
	bursts  int                     // that have begun
	phase   uint64
	on      bool
	touches []touch   // of a loop
	ends    []int     // of rows of them
	heads   [][2]int  // what of each is to come
	seen    []seen    // by group
	dropped []uint64  // accesses to the heap that did not come, by site
	unsure  []float64 // the standard errors of these
	rate    collect.Rate

	recorded, told atomic.Uint64 // accesses that came, and that Mode told of
}

// Taken implements [collect.Sampler].
func (s *sampler) Taken() (came, all uint64) {
	came = s.recorded.Load()
	return came, came + s.told.Load()
}

// A seen is the outcome of a group.
type seen struct {
	n      uint64 // accesses
	change uint64 // of the draw that saw it last
	draws  int    // that saw it
}

// sampledMode is how a goroutine goes on.
type sampledMode struct {
	mode          collect.Mode
	change, phase uint64 // in which it has begun so
	skip          uint64 // accesses that the burst does not have
	burst         int    // the last that it has begun, or joined
}

func newSampler(a *analysis, rate collect.Rate) *sampler {
	s := &sampler{a: a, b: new(krd.Bursts), modes: make(map[uint64]*sampledMode), rate: rate}
	a.reader.Sampled(s, rate)
	a.reader.Loops = a
	return s
}

func (s *sampler) of(goroutine uint64) *sampledMode {
	m := s.modes[goroutine]
	if m == nil {
		m = &sampledMode{}
		s.modes[goroutine] = m
	}
	return m
}

// counted counts accesses.
func (s *sampler) counted(n uint64) {
	s.a.count += n
	s.b.Count(n)
}

// Mode implements [collect.Sampler].
func (s *sampler) Mode(goroutine, change uint64, mode collect.Mode, small bool,
	dropped uint64) error {
	m := s.of(goroutine)
	if m.skip = 0; mode == collect.Inside {
		m.skip = dropped
		return nil
	}
	s.counted(dropped)
	s.told.Add(dropped)
	burst := mode == collect.Glimpse
	if change > s.change {
		s.change = change
		if mode == collect.Off || mode == collect.Glimpse {
			s.b.Pause()
			s.on = false
		} else {
			s.phase++
			s.b.Begin()
			s.on = true
		}
		if burst {
			s.begin(small)
		}
	} else if burst && change == s.change && m.mode != collect.Glimpse &&
		(s.burst != change || s.b.Room() == 0 || m.burst == s.bursts) {
		s.begin(small) // it has waited, or it is its own, or a long loop, or the tracer is late
	}
	if burst && change == s.change {
		s.burst, m.burst = change, s.bursts
	}
	m.mode = mode
	m.change, m.phase = change, s.phase
	return nil
}

// begin begins a burst.
func (s *sampler) begin(small bool) {
	s.b.Burst(small)
	s.bursts++
}

// watched reports that accesses of a goroutine are of the phase.
func (s *sampler) watched(m *sampledMode) bool {
	return s.on && m.mode == collect.Watch && m.phase == s.phase
}

// dense reports that they are of the burst.
func (s *sampler) dense(m *sampledMode) bool {
	return m.mode == collect.Glimpse && m.change == s.change
}

// batch takes accesses.
func (s *sampler) batch(b *collect.Batch) {
	i := 0
	s.recorded.Add(uint64(len(b.Places)))
	for _, t := range b.Turns {
		m := s.of(t.Goroutine)
		watched, dense := s.watched(m), s.dense(m)
		s.counted(uint64(t.End - i))
		for _, g := range b.Groups[i:t.End] {
			s.came(g, 1)
		}
		if !watched && !dense {
			i = t.End
			continue
		}
		for ; i < t.End; i++ {
			line := b.Places[i] / lineBytes
			if dense && m.skip > 0 {
				m.skip--
			} else if dense {
				s.b.Dense(line, b.Groups[i])
			}
			if watched && collect.Chosen(b.Real[i]-b.Places[i]%lineBytes, m.change) {
				s.b.Watch(line, b.Groups[i], uint64(t.End-1-i))
			}
		}
	}
}

// came counts accesses that came one by one, or in a loop.
func (s *sampler) came(group uint32, n uint64) {
	for int(group) >= len(s.seen) {
		s.seen = append(s.seen, seen{})
	}
	x := &s.seen[group]
	if x.n += n; x.change != s.change {
		x.change = s.change
		x.draws++
	}
}

// settle takes how many accesses did not come, by site: of a loop that ran unseen it makes those of its
// sites.
func (s *sampler) settle(dropped []uint64) {
	sites := make([]collect.SiteSample, len(dropped))
	for group, x := range s.seen {
		if x.n > 0 {
			k := &sites[s.a.reader.Groups[group].Site]
			k.Recorded += x.n
			k.Draws = max(k.Draws, x.draws)
		}
	}
	for site, n := range dropped {
		if site == 0 || n == 0 {
			continue
		}
		loop := &s.a.sites[site-1]
		if loop.Kind != front.SteadyLoop {
			sites[site].Dropped = n
			continue
		}
		leaves := 0
		for _, of := range loop.Unseen {
			leaves += max(1, len(s.a.sites[of-1].Leaves))
		}
		for _, of := range loop.Unseen {
			sites[of].Looped += n / uint64(leaves) * uint64(max(1, len(s.a.sites[of-1].Leaves)))
		}
	}
	s.dropped, s.unsure = make([]uint64, len(sites)), make([]float64, len(sites))
	for site := range sites {
		if site == 0 {
			continue
		}
		x := &sites[site]
		n, unsure := s.a.reader.Heap(site, *x)
		s.a.count -= x.Looped - n
		if s.dropped[site], s.unsure[site] = x.Dropped+n, unsure; math.IsNaN(unsure) {
			s.unsure[site] = float64(n) / 2
		}
	}
}

// counts yields how many accesses there were of groups: those that no event told of are of groups of
// their own, in which what they accessed is not known.
// Their standard error is that of what of them is on the stack.
func (s *sampler) counts(yield func(group uint32, n uint64, unsure float64)) {
	for group, x := range s.seen {
		if x.n > 0 {
			yield(uint32(group), x.n, 0)
		}
	}
	for site, n := range s.dropped {
		if n == 0 {
			continue
		}
		leaves := len(s.a.sites[site-1].Leaves)
		if leaves == 0 {
			yield(s.a.reader.Unseen(site, 0), n, s.unsure[site])
		}
		for leaf := range leaves {
			yield(s.a.reader.Unseen(site, leaf+1), n/uint64(leaves), s.unsure[site]/float64(leaves))
		}
	}
}

// strata returns how many accesses there were of each function and loop, and which of these a group
// is of.
func (s *sampler) strata() (sizes []uint64, of func(group uint32) int) {
	type key struct {
		function string
		loop     int
	}
	numbers := map[key]int{}
	number := func(site int) int {
		x := &s.a.sites[site-1]
		k := key{x.Function, x.Loop}
		n, ok := numbers[k]
		if !ok {
			n = len(numbers)
			numbers[k] = n
			sizes = append(sizes, 0)
		}
		return n
	}
	of = func(group uint32) int { return number(s.a.reader.Groups[group].Site) }
	s.counts(func(group uint32, n uint64, _ float64) {
		h := of(group)
		sizes[h] += n
	})
	return sizes, of
}

// loop takes a loop.
func (s *sampler) loop(l *collect.Loop) {
	m, n := s.of(l.Goroutine), l.Times*uint64(len(l.Accesses))
	s.counted(n)
	s.recorded.Add(n)
	for j := range l.Accesses {
		s.came(l.Accesses[j].Group, l.Times)
	}
	if s.dense(m) {
		skip := min(m.skip, n)
		m.skip -= skip
		for i := skip / uint64(len(l.Accesses)); i < l.Times && s.b.Room() > 0; i++ {
			for j := range l.Accesses {
				a := &l.Accesses[j]
				s.b.Dense((a.Place+i*uint64(a.Step))/lineBytes, a.Group)
			}
		}
	}
	if s.watched(m) {
		s.watchLoop(l, m.change)
	}
}

// watchLoop takes what a loop accesses of lines that are drawn, each once for each access.
func (s *sampler) watchLoop(l *collect.Loop, change uint64) {
	s.touches, s.ends = s.touches[:0], s.ends[:0]
	for j := range l.Accesses {
		s.touch(&l.Accesses[j], l.Times, uint32(j), change)
	}
	from := 0 // each row of touches is ascending: merge them
	s.heads = s.heads[:0]
	for _, end := range s.ends {
		if from < end {
			s.heads = append(s.heads, [2]int{from, end})
		}
		from = end
	}
	for len(s.heads) > 0 {
		best := 0
		for h := 1; h < len(s.heads); h++ {
			if s.touches[s.heads[h][0]].before(&s.touches[s.heads[best][0]]) {
				best = h
			}
		}
		h := &s.heads[best]
		x := &s.touches[h[0]]
		s.b.Watch(x.line, l.Accesses[x.access].Group,
			(l.Times-x.iteration)*uint64(len(l.Accesses))-uint64(x.access)-1)
		if h[0]++; h[0] == h[1] {
			s.heads = slices.Delete(s.heads, best, best+1)
		}
	}
}

// A touch is the first access of a row to a line that is chosen.
type touch struct {
	iteration uint64
	line      uint64
	access    uint32
}

// before reports that x comes before y in their loop.
func (x *touch) before(y *touch) bool {
	return x.iteration < y.iteration || x.iteration == y.iteration && x.access < y.access
}

// touch gathers the touches of an access of a loop of some iterations.
func (s *sampler) touch(a *collect.Strided, times uint64, access uint32, change uint64) {
	step := uint64(max(a.Step, -a.Step))
	for i := uint64(0); i < times; {
		place := a.Place + i*uint64(a.Step)
		in := place % lineBytes
		if collect.Chosen(a.Real+i*uint64(a.Step)-in, change) {
			s.touches = append(s.touches, touch{i, place / lineBytes, access})
		}
		switch {
		case a.Step > 0:
			i += (lineBytes-1-in)/step + 1
		case a.Step < 0:
			i += in/step + 1
		default:
			i = times
		}
	}
	s.ends = append(s.ends, len(s.touches))
}

// Sampling is how a document's distances were estimated.
type Sampling struct {
	Phases int          `json:"phases"` // in which accesses were seen, and enough to count
	Bursts int          `json:"bursts"` // of all accesses, likewise
	Cold   *SampledBin  `json:"cold"`   // cold, or beyond what any phase saw; null: nothing was seen
	Bins   []SampledBin `json:"bins"`
	// Recorded are the accesses that were recorded of the program, and RecordedShare their share of
	// accesses; null: there were none. The requested share is null if none was.
	Recorded      uint64   `json:"recorded"`
	RecordedShare *float64 `json:"recorded_share"`
	AskedShare    *float64 `json:"asked_share"`
	AskedOverhead *float64 `json:"asked_overhead"`
}

// A SampledBin is an estimated bin.
type SampledBin struct {
	FromBytes uint64  `json:"from_bytes"`
	ToBytes   uint64  `json:"to_bytes"` // 0: no end
	Count     float64 `json:"count"`
	// Error is the standard error; the true count is within two of them in about 95 of 100 cases.
	// It is null if too little was seen to tell.
	Error *float64 `json:"error"`
	share [2]float64
}

// end makes the estimate the result.
func (s *sampler) end(d *Document) error {
	d.Sampling = &Sampling{Bins: []SampledBin{}, Recorded: s.recorded.Load(),
		AskedShare: orNone(s.rate.Share), AskedOverhead: orNone(s.rate.Overhead)}
	if s.a.count > 0 {
		d.Sampling.RecordedShare = new(float64(d.Sampling.Recorded) / float64(s.a.count))
	}
	sizes, of := s.strata()
	rows := s.rows()
	parts := make([]krd.BurstPart, len(rows))
	for i := range rows {
		parts[i] = rows[i].BurstPart
	}
	e := s.b.Estimate(sizes, of, parts...)
	if e == nil {
		return nil
	}
	s.counts(func(group uint32, n uint64, _ float64) {
		if e.Unseen[of(group)] > 0 {
			e.Cold(group, float64(n))
		}
	})
	caches := &s.a.caches
	report, groups, err := e.Report(krd.StreamOptions{L2Bytes: uint64(caches.L2Bytes),
		LLCBytes: uint64(caches.LLCBytes), L2Known: string(caches.CachesKnown.L2),
		LLCKnown: string(caches.CachesKnown.LLC), Goroutines: true})
	if err != nil {
		return err
	}
	report.Unit, report.ProgramName = string(d.Unit), programName(d.Native, d.Package)
	d.KRD = report
	d.sampledParts(s.a, groups, rows, e.Rows)
	d.Sampling.Phases, d.Sampling.Bursts = e.Phases, e.Bursts
	all := max(1, float64(s.a.count))
	for k, n := range e.Bins {
		b := SampledBin{Count: math.Round(n), share: [2]float64{n / all, e.Errors[k] / all}}
		if x := math.Round(e.Errors[k]); !math.IsNaN(x) {
			b.Error = &x
		}
		if k == len(e.Bins)-1 {
			d.Sampling.Cold = &b
		} else if n > 0 || e.Errors[k] > leastError*all {
			b.FromBytes, b.ToBytes = 1<<k>>1, 1<<k
			d.Sampling.Bins = append(d.Sampling.Bins, b)
		}
	}
	return nil
}

// orNone returns x, nil for 0.
func orNone(x float64) *float64 {
	if x == 0 {
		return nil
	}
	return &x
}

// leastError is from which share of the accesses on the error of an empty bin is a reason to list
// it.
const leastError = 5e-3

// view adds the estimates and their errors.
func (s *Sampling) view(v *doc.Doc) {
	if s.Cold == nil {
		return // there is a warning
	}
	asked := ""
	if s.AskedShare != nil {
		asked = fmt.Sprintf(" (--sample=%g%%)", 100**s.AskedShare)
	}
	if s.AskedOverhead != nil { // it comes first
		asked = fmt.Sprintf(" (--overhead %g)", *s.AskedOverhead)
	}
	v.Say("estimated from %s and %s; recorded: %s of the accesses%s; +-: two standard errors",
		units.Count(s.Phases, "phase"), units.Count(s.Bursts, "burst"),
		doc.Percent(*s.RecordedShare, 1), asked)
	t := doc.NewTable(1, "distance, estimated", "share", "+-")
	row := func(name string, b *SampledBin) {
		off := units.NotAvailable
		if b.Error != nil {
			off = fmt.Sprintf("%.2f %%", 200*b.share[1])
		}
		t.Row(name, fmt.Sprintf("%.2f %%", 100*b.share[0]), off)
	}
	for i := range s.Bins {
		row("from "+units.Bytes(s.Bins[i].FromBytes), &s.Bins[i])
	}
	row("cold, or beyond what a phase saw", s.Cold)
	v.Add(t)
}

// doubts returns what is not as good as it could be.
func (s *Sampling) doubts() []doc.Finding {
	switch {
	case s == nil:
	case s.Bursts == 0:
		return []doc.Finding{doc.Find(noAccessSampled)}
	case s.Phases == 0:
		return []doc.Finding{doc.Find(noLongPhase)}
	case s.Phases < fewPhases:
		return []doc.Finding{doc.Find(fewSamples, s.Phases)}
	}
	return nil
}

// fewPhases is how many phases say little.
const fewPhases = 5
