package approx

import (
	"fmt"
	"math/bits"

	"krdlab/krd/stack"
)

// ScaleTree computes byte-weighted stack distances with a guaranteed relative accuracy a: for the
// exact distance D it returns D' with |D' - D| <= (1-a) D, and exactly which accesses are cold (C.
// Ding and Y. Zhong, Predicting whole-program locality through reuse distance analysis, PLDI 2003).
//
// A node covers a range of time and holds the weight of the blocks last accessed in it. The
// distance of an access whose block was in a node is the weight of the later nodes, R, and between
// none and all of the rest of the node; half of the rest is taken. So a node may weigh up to 2
// (1-a) R. The weight behind a node never becomes less, since a block that is accessed again moves
// to the end of time, and the weight in a node never becomes more: a node that may be so large
// stays so. Nodes far back become large and few: their number is O(log(total weight) / (1-a)) after
// each compression, and at most 4 times that between two.
//
// Departures from the paper: the tree is not balanced by rotations but an array of nodes by time
// under a hierarchy of sums ([stack.Weights]), since nodes come at one end only and are merged all
// at once; weights are bytes, not counts.
//
// Memory: 16 bytes for the highest unit number and all below it, about 40 a node. One goroutine at
// a time.
type ScaleTree struct {
	inaccuracy float64 // 1-a

	units []treeUnit
	now   uint64 // time of the last access; the first is at 1

	// The nodes are [0, top), by time. Those below merged cover the times up to their end; the
	// later ones are one time each.
	nodes    []treeNode
	ends     []uint64 // of the merged nodes: the last time that each covers
	top      int
	mergedAt uint64 // time of the merge; node merged+i is time mergedAt+1+i
	weights  stack.Weights

	scratch []uint64
}

type treeUnit struct {
	time  uint64 // of the last access; 0: none
	bytes uint64
}

type treeNode struct {
	weight uint64
	units  uint32
}

const minNodes = 1 << 10

// NewScaleTree returns a tree without units. accuracy is the a of [ScaleTree], such as 0.999: above
// 0 and at most 1, where 1 is exact and merges nothing. Errors wrap [ErrOption].
func NewScaleTree(accuracy float64) (*ScaleTree, error) {
	if !(accuracy > 0 && accuracy <= 1) {
		return nil, fmt.Errorf("approx: %w: accuracy %v, expected above 0 and at most 1", ErrOption,
			accuracy)
	}
	t := &ScaleTree{inaccuracy: 1 - accuracy}
	t.merge()
	return t, nil
}

// Nodes returns the number of nodes, which the guarantee and the total weight bound, not the number
// of units.
func (t *ScaleTree) Nodes() int { return t.top }

// Access returns an approximation of the sum of the sizes of the distinct other units accessed
// since the last access to unit, or [stack.Cold] if there was none. Units are numbered by the
// caller, densely from 0. bytes is the unit's size, which counts at the first access only. The
// sizes of all units must add up to less than 1<<63. The same as [stack.Online.Access] but for
// exactness.
func (t *ScaleTree) Access(unit uint32, bytes uint64) uint64 {
	if int(unit) >= len(t.units) {
		t.units = append(t.units, make([]treeUnit, int(unit)+1-len(t.units))...)
	}
	u := &t.units[unit]
	dist := uint64(stack.Cold)
	if u.time == 0 {
		u.bytes = bytes
	} else {
		if u.time == t.now {
			return 0
		}
		bytes = u.bytes
		i := t.find(u.time)
		n := &t.nodes[i]
		n.weight -= bytes
		n.units--
		dist = t.weights.After(i) + n.weight/2
		t.weights.Add(i, -bytes)
	}
	if t.top == len(t.nodes) {
		t.merge()
	}
	t.now++
	u.time = t.now
	t.nodes[t.top] = treeNode{bytes, 1}
	t.weights.Add(t.top, bytes)
	t.top++
	return dist
}

// find returns the node that covers a time.
func (t *ScaleTree) find(time uint64) int {
	if time > t.mergedAt {
		return len(t.ends) + int(time-t.mergedAt-1)
	}
	// The first end that is not before time. Half of the rest is skipped or not by arithmetic: the
	// outcome is a coin toss to the processor, and a wrong guess costs more than a look.
	base, n := 0, len(t.ends)
	for n > 1 {
		half := n / 2
		_, before := bits.Sub64(t.ends[base+half-1], time, 0)
		base += half & -int(before)
		n -= half
	}
	return base
}

// merge joins neighbours, from the last to the first, as far as the accuracy allows, drops nodes
// without units, and makes room for three times as many nodes as are left.
func (t *ScaleTree) merge() {
	old := len(t.ends)
	endOf := func(i int) uint64 {
		if i < old {
			return t.ends[i]
		}
		return t.mergedAt + 1 + uint64(i-old)
	}
	var later, limit uint64 // weight after the node being made, and what it may weigh
	var cur treeNode
	var end uint64
	var nodes []treeNode // last first
	ends := t.scratch[:0]
	for i := t.top - 1; i >= 0; i-- {
		n := t.nodes[i]
		switch {
		case n.units == 0:
		case cur.units > 0 && cur.weight+n.weight <= limit:
			cur.weight += n.weight
			cur.units += n.units
		default:
			if cur.units > 0 {
				nodes, ends = append(nodes, cur), append(ends, end)
				later += cur.weight
			}
			limit = 2 * uint64(float64(later)*t.inaccuracy)
			cur, end = n, endOf(i)
		}
	}
	if cur.units > 0 {
		nodes, ends = append(nodes, cur), append(ends, end)
	}
	k := len(nodes)
	if n := max(minNodes, 4*k); n > len(t.nodes) {
		t.nodes = make([]treeNode, n)
	}
	t.scratch, t.ends = t.ends, ends
	sums := make([]uint64, len(t.nodes))
	clear(t.nodes)
	for i, n := range nodes {
		t.nodes[k-1-i] = n
		sums[k-1-i] = n.weight
	}
	for i, j := 0, k-1; i < j; i, j = i+1, j-1 {
		ends[i], ends[j] = ends[j], ends[i]
	}
	t.weights.Set(sums)
	t.top, t.mergedAt = k, t.now
}
