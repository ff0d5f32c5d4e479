package collect

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// A Mode selects the accesses that a goroutine records, as in package krdagent.
type Mode int

const (
	Off     Mode = iota // none
	Watch               // those to granules that Chosen chooses
	Glimpse             // all, and then none
	Inside              // no mode: of the burst that has begun so many accesses are yet to be left out
)

// A Sampler takes how goroutines record a sample.
type Sampler interface {
	// Mode takes note that a goroutine goes on in a mode, which may be that of a small burst.
	// change is the number of the tracer's change. dropped is the accesses since the last time that
	// have no event; or, for Inside, how many of the next ones are left out.
	Mode(goroutine, change uint64, mode Mode, small bool, dropped uint64) error
	// Taken returns how many accesses came, and how many are known of in all. Any goroutine may call it.
	Taken() (came, all uint64)
}

// A Rate sets how much a sample records; the zero value is the schedule as it is below.
type Rate struct {
	Share float64 // of the accesses, up to 1; 0: none is asked for
	// Overhead is how many times the CPU time that it takes with nothing recorded the program may
	// take, more than 1; 0: none is asked for. It comes before Share.
	Overhead float64
}

// granuleBytes are drawn together.
const granuleBytes = 256

// Chosen reports that the granule of an address is drawn in the phase that a change began: one of
// krd.ChosenOf (16) that are together, at random, so that of contiguous data always as many are.
// Package krdagent draws the same.
func Chosen(addr, change uint64) bool {
	h := (addr/(16*granuleBytes) + change*0xbf58476d1ce4e5b9) * 0x9e3779b97f4a7c15
	h ^= h >> 32
	return h*0xd6e8feb86659fd93>>60 == addr/granuleBytes%16
}

// mode takes how a goroutine goes on.
func (r *Reader) mode(t *thread, e event, at uint64) error {
	if r.Sample == nil {
		r.Odd++
		return nil
	}
	if err := r.turn(t, at); err != nil {
		return err
	}
	if err := r.flush(); err != nil {
		return err
	}
	return r.Sample.Mode(t.number, e.rest()/8, Mode(e.rest()%4), e.rest()&4 != 0, e[0])
}

// Sampled makes r read a sample: Sample is set.
func (r *Reader) Sampled(s Sampler, rate Rate) {
	r.Sample, r.rate, r.Real = s, rate, true
}

// Unseen returns the group of the accesses of a site, and of a leaf of it, that a sample only
// counts.
func (r *Reader) Unseen(site, leaf int) uint32 {
	return r.Number(Group{Site: site, Leaf: leaf, Class: int(r.class(Class{Name: unseen}))})
}

// unseen is the name of what a sample does not have.
const unseen = "what no draw has seen"

// Dropped returns how many accesses the sample does not have that no event has counted.
func (m *Memory) Dropped() uint64 {
	n := atomic.LoadUint64(&m.h.dropped)
	for i := range uint32(min(atomic.LoadUint64(&m.h.bufsUsed), maxBufs)) {
		if b := m.buf(i); atomic.LoadUint32(&b.state) != 0 {
			n += atomic.LoadUint64(&b.dropped)
		}
	}
	return n
}

// How a sample goes on, by the CPU time of the program, so that what it costs is bounded however
// slowly the program records, and a machine that is busy with others changes nothing. Phases in
// which it watches take onShare of the time elapsed each, at least firstPhase, and offShare follow
// in which nothing is recorded. In these are bursts of all accesses: small ones, and others as far
// apart as betweenShare of the time elapsed, and small ones as smallShare. Each waits for between
// half and one and a half of its time, at random: a program that repeats itself would otherwise be
// seen at the same places.
const (
	firstPhase    = time.Millisecond
	onShare       = 0.13
	offShare      = 0.4
	betweenSmall  = 300 * time.Microsecond
	smallShare    = 0.0005
	betweenBursts = time.Millisecond
	betweenShare  = 0.025
	// Each goroutine has bursts of its own, so many accesses apart, or this share of those that were
	// made, at random; one of 16 is large.
	leastApart = 1 << 13
	mostApart  = 1 << 31
	apartShare = 1. / 64
	// enough is from how many accesses on they become rarer: the tracer's are many then.
	enough = 32 << 20
	// leastWait is how long is waited at least: of many threads CPU time passes faster.
	leastWait = 200 * time.Microsecond
	// recordingShare is the part of its CPU time in which a program records, about: phases, and bursts
	// when they are as close as they get.
	recordingShare = 0.35
	// A rate multiplies onShare at the cost of offShare, and divides the time between bursts.
	leastPace, mostPace = 0.02, 3.85
)

// A pace is by how much a rate changes the schedule.
type pace struct {
	rate      Rate
	by        float64
	came, all uint64 // when the phase before began
}

func newPace(r Rate) pace {
	p := pace{rate: r, by: 1}
	switch {
	case r.Overhead > 0:
		p.by = clamped((1 - 1/r.Overhead) / recordingShare)
	case r.Share > 0:
		p.by = clamped(r.Share / recordingShare)
	}
	return p
}

func clamped(by float64) float64 { return min(max(by, leastPace), mostPace) }

// next sets the pace so that by the end of the next phase, and of the time after it, a share has
// come: the events since the last phase are taken to be in proportion to the pace.
func (p *pace) next(came, all uint64) {
	since := float64(all - min(all, p.all))
	if p.rate.Overhead == 0 && p.rate.Share > 0 && since > 0 {
		grow := 1 + onShare + offShare
		lacks := p.rate.Share*float64(all)*grow - float64(came)
		got := float64(came-min(came, p.came)) / since / p.by // of a pace of 1
		p.by = clamped(lacks / (float64(all) * (grow - 1)) / max(got, 1e-9))
	}
	p.came, p.all = came, all
}

// sampledChunks is how many chunks a program has that records a sample: events not read yet when it
// ends are waited for.
const sampledChunks = 32

// NewSampledMemory makes the memory for a program that records a sample.
func NewSampledMemory(sites int, stack bool) (*Memory, error) {
	m, err := newMemory(sites, 0, stack, false, sampledChunks, 0)
	if err == nil {
		m.h.apart = leastApart
	}
	return m, err
}

// sampledPause is how long the reader of a sample sleeps at most: a phase waits for it.
const sampledPause = 100 * time.Microsecond

// sample changes the mode of the program of r until the function that it returns is called. elapsed
// returns the program's CPU time.
func (m *Memory) sample(r *Reader, elapsed func() time.Duration) (stop func()) {
	done, ended := make(chan bool), make(chan bool)
	var change uint64
	// set goes on in a mode until a time, and reports that it came.
	set := func(mode Mode, small bool, end time.Duration) bool {
		change++
		word := change<<3 | uint64(mode)
		if small {
			word |= 4
		}
		atomic.StoreUint64(&m.h.mode, word)
		began, last := time.Now(), time.Duration(math.MaxInt64)
		if mode == Watch && r.rate.Overhead > 0 { // the program may wait for what it records to be read
			last = end - elapsed()
		}
		for {
			left := min(end-elapsed(), last-time.Since(began))
			if left <= 0 {
				return true
			}
			select {
			case <-done:
				return false
			case <-time.After(max(left, leastWait)):
			}
		}
	}
	var soon time.Duration
	// spread sets how far apart the bursts of goroutines themselves are.
	spread := func(now time.Duration, pace float64) {
		if now < soon {
			return
		}
		soon = now + max(now/10, betweenSmall)
		_, told := r.Sample.Taken()
		all := float64(told + m.Dropped())
		atomic.StoreUint64(&m.h.apart, uint64(min(max(all*max(1, all/enough)*apartShare/pace, leastApart),
			mostApart)))
	}
	about := func(d time.Duration) time.Duration { return d/2 + rand.N(d) }
	var next time.Duration // when a burst is due that is not small
	go func() {
		defer close(ended)
		p := newPace(r.rate)
		share := func(x float64, of time.Duration) time.Duration { return time.Duration(x * float64(of)) }
		for {
			on, now := onShare*p.by, elapsed()
			if !set(Watch, false, now+max(firstPhase, share(on, now))) {
				return
			}
			now = elapsed()
			spread(now, p.by)
			for end := now + share(onShare+offShare-on, now); now < end; now = elapsed() {
				small := now < next
				if !small {
					next = now + about(share(1/p.by, max(betweenBursts, share(betweenShare, now))))
				}
				spread(now, p.by)
				apart := share(1/p.by, max(betweenSmall, share(smallShare, now)))
				if !set(Glimpse, small, min(end, now+about(apart))) {
					return
				}
			}
			came, all := r.Sample.Taken()
			p.next(came, all+m.Dropped())
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
