// Package knapsack fills a knapsack with the most value by branch and bound: of each item it tries
// both, to leave and to take it, and prunes where the items that remain cannot make up for the
// difference.
//
// It is the search of BOTS (bsc-pm/bots, omp-tasks/knapsack, commit 2607a69), after Cilk's, with
// its bound: the room that is left, filled with the next item at its value per weight. There a
// subtree is pruned against the best value that any task has found so far, so that the tree depends
// on the order in which tasks run. Here it is pruned against a value that is fixed beforehand, and
// the tree is the same under every scheduler: no speed-up is super-linear, and none is lost to bad
// luck.
//
// Items are drawn from the seed; BOTS reads files with items. Every execution reads all items,
// which are one block.
package knapsack

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
	"krdlab/kernels/search"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "knapsack",
	Summary: "the best filling of a knapsack by branch and bound: irregular, pruned, hardly any data",
	Work:    true,
	Size:    "items",
	Params: []kernel.Param{
		kernel.Int("items", 60, 1, 256, "how many items; each ten more take some 10 times as "+
			"long, from seed to seed 10 times more or less"),
		kernel.Word("dist", weak, []string{weak, strong}, "values of items: weak (near their "+
			"weight) or strong (their weight and a constant: many ties, little is pruned)"),
		kernel.Word("bound", optimum, []string{optimum, greedy}, "prune what cannot reach the "+
			"optimum (a search that was lucky at once), or the value of a greedy filling"),
		kernel.Int("cutoff", 10, 0, 20, "items whose decisions are a task each; those below are "+
			"searched serially, one kernel execution"),
	},
	Plan: func(p kernel.Params) (kernel.Plan, error) {
		return kernel.Plan{Resolved: p, Bytes: 4 * uint64(p.Int("items")*maxWeight), Args: 2}, nil
	},
	New: func(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
		k := draw(p.Int("items"), p.Word("dist"), env.Seed)
		best := k.best()
		if p.Word("bound") == optimum {
			k.bound = best
		}
		return &instance{search.New(k.problem(p.Int("cutoff")), env.Dry), best}, nil
	},
	Small: []kernel.Params{{"items": 1}, {"items": 12, "cutoff": 4, "dist": strong},
		{"items": 20, "cutoff": 6}, {"items": 10, "cutoff": 20, "bound": greedy}},
	Classes: []kernel.Class{
		{Name: "small", Params: kernel.Params{"items": 50}},
		{Name: "large", Params: kernel.Params{"items": 70}},
		{Name: "bots", Params: kernel.Params{"items": 36}},
	},
}

// The values of --dist and --bound.
const (
	weak    = "weak"
	strong  = "strong"
	greedy  = "greedy"
	optimum = "optimum"
)

const maxWeight = 1000

// visits are the operations of a hundred nodes: two bounds and the calls, and which of the two
// children are worth it, which is foretold half of the time. Estimated.
var visits = ops.Count{ops.Integer: 2500, ops.Branch: 50}

type instance struct {
	*search.Instance[node]
	best int64
}

func (in *instance) Check() kernel.Check {
	return in.Verdict(in.best, "against dynamic programming")
}

type item struct{ value, weight int32 }

// knapsack is a problem: items by value per weight, the best first.
type knapsack struct {
	items []item
	room  int32
	bound int64 // what leads below it is pruned
}

// draw makes a problem whose knapsack holds half of the items' weight, with the greedy bound.
func draw(n int, dist string, seed uint64) *knapsack {
	r := rand.New(rand.NewPCG(seed, 16))
	k := &knapsack{items: make([]item, n)}
	for i := range k.items {
		x := &k.items[i]
		x.weight = 1 + r.Int32N(maxWeight)
		if x.value = x.weight + maxWeight/10; dist == weak {
			x.value += r.Int32N(maxWeight/5+1) - maxWeight/10
		}
		k.room += x.weight
	}
	k.room /= 2
	slices.SortStableFunc(k.items, func(a, b item) int {
		return cmp.Compare(b.value*a.weight, a.value*b.weight)
	})
	room := k.room
	for _, x := range k.items {
		if x.weight <= room {
			room -= x.weight
			k.bound += int64(x.value)
		}
	}
	return k
}

// best returns the optimum by dynamic programming over the room. Cost: items x room.
func (k *knapsack) best() int64 {
	best := make([]int64, k.room+1)
	for _, x := range k.items {
		for room := k.room; room >= x.weight; room-- {
			best[room] = max(best[room], best[room-x.weight]+int64(x.value))
		}
	}
	return best[k.room]
}

// A node is the problem left when the first items are decided.
type node struct{ item, room, value int32 }

// children returns the nodes in which the next item is left and is taken, if they are worth it.
func (k *knapsack) children(s node) (leave, take node, left, taken bool) {
	x := k.items[s.item]
	leave, take = s, node{s.item + 1, s.room - x.weight, s.value + x.value}
	leave.item++
	return leave, take, k.worth(leave), take.room >= 0 && k.worth(take)
}

// worth reports that the bound can be reached from s: value + room x value/weight of the next item.
func (k *knapsack) worth(s node) bool {
	if int(s.item) == len(k.items) {
		return int64(s.value) >= k.bound
	}
	x := k.items[s.item]
	return (k.bound-int64(s.value))*int64(x.weight) <= int64(s.room)*int64(x.value)
}

// search returns the best value below s, -1 if none reaches the bound, and the nodes that it saw.
func (k *knapsack) search(s node) (best int64, visits uint64) {
	if int(s.item) == len(k.items) {
		return int64(s.value), 1
	}
	best, visits = -1, 1
	leave, take, left, taken := k.children(s)
	if left {
		b, v := k.search(leave)
		best, visits = max(best, b), visits+v
	}
	if taken {
		b, v := k.search(take)
		best, visits = max(best, b), visits+v
	}
	return best, visits
}

func (k *knapsack) problem(cutoff int) *search.Problem[node] {
	return &search.Problem[node]{
		Root:  node{room: k.room},
		Depth: min(cutoff, len(k.items)),
		Expand: func(s node, emit func(node)) {
			leave, take, left, taken := k.children(s)
			if left {
				emit(leave)
			}
			if taken {
				emit(take)
			}
		},
		Search: k.search,
		Merge:  func(a, b int64) int64 { return max(a, b) },
		None:   -1,
		Ops:    visits,
		Kernel: "fill", Result: "best", Reads: "items", ReadBytes: 8 * len(k.items),
	}
}
