package krd

// PerCore is the histograms of each worker's accesses alone ([Options.Cores]), as the caches of its
// own core see them. Close are hits of the L2; near and far are those of an LLC that the core had
// for itself. Shared is 0.
type PerCore struct {
	Histogram        // the sum over the cores
	Cores     []Core `json:"cores"` // by worker

	tallies []*tally // of Cores
}

// A Core is the histogram of one worker.
type Core struct {
	Worker int `json:"worker"`
	Node   int `json:"node"`
	Histogram
}

// perCore puts the tallies of the cores together; nil if it was not asked for.
func (a *analysis) perCore() *PerCore {
	if a.cores == nil {
		return nil
	}
	p := &PerCore{tallies: a.cores}
	for w := range a.cores {
		p.Cores = append(p.Cores, Core{Worker: w, Node: a.trace.Header.Workers[w].Node})
	}
	p.count()
	return p
}

// only returns what of p is of one node.
func (p *PerCore) only(node int) *PerCore {
	out := &PerCore{Cores: []Core{}}
	for i := range p.Cores {
		if p.Cores[i].Node == node {
			out.Cores, out.tallies = append(out.Cores, p.Cores[i]), append(out.tallies, p.tallies[i])
		}
	}
	out.count()
	return out
}

// count renders the tallies and their sum.
func (p *PerCore) count() {
	var sum tally
	if len(p.tallies) > 0 {
		t := p.tallies[0]
		sum.l2, sum.llc, sum.coherence, sum.core = t.l2, t.llc, t.coherence, true
	}
	for _, t := range p.tallies {
		sum.merge(t)
	}
	bins := sum.used()
	p.Histogram = sum.histogram(bins)
	for i, t := range p.tallies {
		p.Cores[i].Histogram = t.histogram(bins)
	}
}

// Levels are the shares of all accesses that are served by the L2 of their core, by the LLC of
// their node, and by neither: far, cold or invalidated there. They add up to 1. LLC is the rest; it
// can be below 0, where an L2 keeps what the others of the node have driven out of a smaller LLC.
type Levels struct{ L2, LLC, Beyond float64 }

// LevelsOf returns the levels of a run from the histograms of its cores, summed, and those of its
// nodes; ok is false where a cache size is not known or nothing was accessed.
func LevelsOf(cores, nodes *Histogram) (l Levels, ok bool) {
	if cores == nil || nodes == nil || cores.Close == nil || nodes.Far == nil ||
		nodes.Close == nil || nodes.Accesses == 0 || cores.Accesses != nodes.Accesses {
		return l, false
	}
	all := float64(nodes.Accesses)
	l.L2, l.Beyond = float64(*cores.Close)/all, float64(*nodes.Far+nodes.Infinite())/all
	l.LLC = 1 - l.L2 - l.Beyond
	return l, true
}
