package krd

import "krdlab/krd/smith"

// CacheMisses are the misses that a model expects of one cache on each node, given the reuse
// distances: no measurement, and no simulation. An access to s bytes has s / LineBytes lines,
// rounded up. Accesses that coherence invalidated count as cold.
type CacheMisses struct {
	Cache  smith.Cache `json:"cache"`
	Source string      `json:"source"` // MissModel
	// "" of a fully associative cache, for which the prediction is exact
	Caveat           string `json:"caveat"`
	smith.Prediction        // the sum over the nodes
	// LineMissesPerCore is all lines expected to miss, cold ones included, by the number of
	// workers.
	LineMissesPerCore float64      `json:"line_misses_per_core"`
	Nodes             []NodeMisses `json:"nodes"`
}

// NodeMisses are the misses expected on one node.
type NodeMisses struct {
	Node int `json:"node"`
	smith.Prediction
	LineMissesPerCore float64 `json:"line_misses_per_core"`
}

// MissModel is a value of [CacheMisses].Source: expected from exact reuse distances by Smith's
// model (1978).
const MissModel = "distances"

// misses collects what the predictors of all nodes have added up.
func (a *analysis) misses() []CacheMisses {
	list := []CacheMisses{}
	for i, m := range a.models {
		c := CacheMisses{Cache: m.Cache(), Source: MissModel}
		if m.Cache().Ways != 0 {
			c.Caveat = smith.Caveat
		}
		sum := smith.NewPredictor(m)
		workers := 0
		for n, t := range a.tallies {
			sum.Merge(t.misses[i])
			p := t.misses[i].Prediction()
			c.Nodes = append(c.Nodes, NodeMisses{Node: a.nodes[n], Prediction: p,
				LineMissesPerCore: p.AllLineMisses() / float64(len(a.workers[n]))})
			workers += len(a.workers[n])
		}
		c.Prediction = sum.Prediction()
		c.LineMissesPerCore = c.AllLineMisses() / float64(workers)
		list = append(list, c)
	}
	return list
}
