package collect

import "krdlab/loi/front"

// Accounts records what became of the accesses of a program: each is counted once, an access to a
// datum of several leaves as so many.
type Accounts struct {
	Analysed uint64 `json:"analysed"`
	Unknown  uint64 `json:"unknown"` // analysed by address: nobody told of what was allocated there
	Stack    uint64 `json:"stack"`   // on the stack of their goroutine, and not observed
	Left     uint64 `json:"left"`    // at places that are left alone
	Lost     uint64 `json:"lost"`    // events of goroutines for which there was no room, or of no sense
}

// All returns the number of accesses.
func (a *Accounts) All() uint64 { return a.Analysed + a.Unknown + a.Stack + a.Left + a.Lost }

// A SiteAccount is the part of a site in what was not analysed.
type SiteAccount struct{ Unknown, Stack, Left uint64 }

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

// Sites returns the part of each site that has one, by its number.
func (r *Reader) Sites() []SiteAccount { return r.account }

// Accounts sums up; analysed is how many accesses the sink was given.
func (r *Reader) Accounts(analysed, lost uint64) Accounts {
	a := Accounts{Lost: lost + r.Odd}
	for _, s := range r.account {
		a.Unknown += s.Unknown
		a.Stack += s.Stack
		a.Left += s.Left
	}
	a.Analysed = analysed - a.Unknown
	return a
}
