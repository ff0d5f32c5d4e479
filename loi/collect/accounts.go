package collect

import (
	"math"

	"krdlab/loi/front"
)

// Accounts records what became of the accesses of a program: each is counted once, an access to a
// datum of several leaves as so many.
type Accounts struct {
	Analysed uint64 `json:"analysed"`
	Unknown  uint64 `json:"unknown"` // analysed by address: nobody told of what was allocated there
	Stack    uint64 `json:"stack"`   // on the stack of their goroutine, and not observed
	Left     uint64 `json:"left"`    // at places that are left alone
	Lost     uint64 `json:"lost"`    // events of goroutines for which there was no room, or of no sense
	// Unseen are those of a sample that may be on the stack: their places were seen in no draw. The
	// distances have them.
	Unseen uint64 `json:"unseen"`
	// Estimated: of a sample, the others on the stack or unknown. The sum of all is exact.
	Estimated bool `json:"estimated"`
}

// All returns the number of accesses.
func (a *Accounts) All() uint64 { return a.Analysed + a.Unknown + a.Stack + a.Left + a.Lost + a.Unseen }

// A SiteAccount is the part of a site in what was not analysed.
type SiteAccount struct {
	Unknown, Stack, Left, Unseen uint64
	Estimated                    bool // what is unknown and on the stack
}

// weight returns how many accesses one event of a site is.
func (r *Reader) weight(site uint64) uint64 {
	s := &r.sites[site-1]
	n := uint64(max(1, len(s.Leaves)))
	switch {
	case s.Kind == front.LeftAlone:
		return n * uint64(max(1, s.Items))
	case s.Mode == 0:
		return 0 // an allocation of zeros
	}
	return n
}

// Count takes the counts of what was no event, by site.
func (r *Reader) Count(counts []uint64) {
	for i := range r.sites {
		site := uint64(i + 1)
		n := counts[site] * r.weight(site)
		if r.sites[i].Kind == front.LeftAlone {
			r.account[site].Left += n
		} else {
			r.account[site].Stack += n
		}
	}
}

// A SiteSample counts the accesses of a site when a sample is recorded.
type SiteSample struct {
	Recorded uint64 // as they came
	Dropped  uint64 // to the heap, and nothing else is known
	Looped   uint64 // in loops that ran unseen
	Draws    int    // which saw it on the heap
}

// Heap returns how many of the accesses in loops that ran unseen are taken as of the heap, and the
// standard error: as many as of those that were seen. It books the others on the account of the
// stack, and what may be of unknown origin. Error is NaN if none was seen: then all are.
// Sites that draws saw are taken to be of the heap or of the stack alone if all they saw was. Of others
// the loops of a draw are taken to be alike.
func (r *Reader) Heap(site int, s SiteSample) (n uint64, err float64) {
	a := &r.account[site]
	heap, leaves := s.Recorded+s.Dropped, uint64(max(1, len(r.sites[site-1].Leaves)))
	n = s.Looped
	switch seen := heap + a.Stack; {
	case s.Looped == 0:
	case seen == 0:
		a.Unseen = n
		err = math.NaN()
	case a.Stack > 0:
		p := float64(heap) / float64(seen)
		n = uint64(math.Round(p*float64(n/leaves))) * leaves
		a.Stack += s.Looped - n
		a.Estimated = true
		err = float64(s.Looped) * p * math.Sqrt((1-p)/float64(max(1, s.Draws)))
	}
	if all := heap + n; a.Unknown > 0 && all > s.Recorded {
		a.Unknown = uint64(math.Round(float64(a.Unknown) / float64(s.Recorded) * float64(all)))
		a.Estimated = true
	}
	return n, err
}

// Sites returns the part of each site that has one, by its number.
func (r *Reader) Sites() []SiteAccount { return r.account }

// Accounts sums up; analysed is how many accesses the sink was given.
func (r *Reader) Accounts(analysed, lost uint64) Accounts {
	a := Accounts{Lost: lost + r.Odd}
	for _, s := range r.account {
		a.Unknown += s.Unknown
		a.Stack += s.Stack
		a.Left += s.Left
		a.Unseen += s.Unseen
		a.Estimated = a.Estimated || s.Estimated
	}
	a.Analysed = analysed - a.Unknown - a.Unseen
	return a
}
