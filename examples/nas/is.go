package main

import "fmt"

// isClass is a size of IS: numbers of keys and of their values, and the keys that are tested.
type isClass struct {
	keys, values int
	tests        [5]isTest
}

// isTest is a key. As many keys are less as rank, before the first step, and grow more in each.
type isTest struct{ index, rank, grow int }

var isClasses = [...]isClass{
	{1 << 16, 1 << 11, [...]isTest{{48427, 0, 1}, {17148, 18, 1}, {23627, 346, 1},
		{62548, 64917, -1}, {4431, 65463, -1}}},
	{1 << 20, 1 << 16, [...]isTest{{357773, 1247, 1}, {934767, 11696, 1}, {875723, 1039987, -1},
		{898999, 1043896, -1}, {404505, 1048018, -1}}},
	{1 << 23, 1 << 19, [...]isTest{{2112377, 103, 1}, {662041, 17522, 1}, {5336171, 123927, 1},
		{3642833, 8288933, -1}, {4250760, 8388265, -1}}},
}

const isSteps = 10

// runIS ranks integer keys (integer sort), after two of them change in each step, and sorts them in
// the end. It compares the ranks of five keys in each step, and the number of keys out of order.
func runIS(class, steps int) (string, []float64, []float64) {
	c := isClasses[class]
	keys, ranks := makeKeys(c.keys, c.values), make([]int32, c.values)
	var got, want []float64
	for step := 1; step <= steps; step++ {
		keys[step], keys[step+isSteps] = int32(step), int32(c.values-step)
		rankKeys(ranks, keys)
		for _, t := range c.tests {
			got = append(got, float64(below(ranks, keys[t.index])))
			want = append(want, float64(t.rank+t.grow*step))
		}
	}
	sorted := sortKeys(keys, ranks)
	return fmt.Sprintf("%d keys of %d values, median %d", c.keys, c.values, sorted[c.keys/2]),
		append(got, float64(disorder(sorted))), append(want, 0)
}

// makeKeys returns n keys, each the mean of four random numbers, from 0 to values-1.
func makeKeys(n, values int) []int32 {
	r, keys := newRandom(), make([]int32, n)
	for i := range keys {
		sum := r.next() + r.next() + r.next() + r.next()
		keys[i] = int32(sum * float64(values/4))
	}
	return keys
}

// rankKeys sets ranks[v] to the number of keys up to v.
func rankKeys(ranks, keys []int32) {
	countKeys(ranks, keys)
	accumulate(ranks)
}

// countKeys sets count[v] to the number of keys that are v.
func countKeys(count, keys []int32) {
	clear(count)
	for _, k := range keys {
		count[k]++
	}
}

// accumulate replaces each number by the sum of those up to it.
func accumulate(count []int32) {
	for v := 1; v < len(count); v++ {
		count[v] += count[v-1]
	}
}

// below returns how many keys are less than k.
func below(ranks []int32, k int32) int32 {
	if k == 0 {
		return 0
	}
	return ranks[k-1]
}

// sortKeys returns the keys in order. It changes the ranks.
func sortKeys(keys, ranks []int32) []int32 {
	sorted := make([]int32, len(keys))
	for _, k := range keys {
		ranks[k]--
		sorted[ranks[k]] = k
	}
	return sorted
}

// disorder counts the keys that are less than the one before.
func disorder(keys []int32) int {
	n := 0
	for i := 1; i < len(keys); i++ {
		if keys[i] < keys[i-1] {
			n++
		}
	}
	return n
}
