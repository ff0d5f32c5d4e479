package imports

import (
	"strconv"
	"strings"
)

// MaxWorkers is the largest number of workers that a trace can have; workers are numbered from 0.
const MaxWorkers = 1 << 16

// parseNodes reads a list of sets of workers, "0-5,6-11": the i-th set is node i. The parts of a
// set that is not one range are joined with "+", "0-2+6-8,3-5+9-11". The result is the node of each
// worker; the sets must be disjoint and leave no worker out up to the largest one. An empty text
// gives nil: every worker is on node 0.
func parseNodes(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var node []int
	for n, set := range strings.Split(text, ",") {
		for _, part := range strings.Split(set, "+") {
			first, last, ok := strings.Cut(part, "-")
			if !ok {
				last = first
			}
			a, err1 := strconv.ParseUint(first, 10, 32)
			b, err2 := strconv.ParseUint(last, 10, 32)
			switch {
			case err1 != nil || err2 != nil:
				return nil, optionError("Nodes",
					"%q in %q is no range of workers, expected one such as 0-5", part, text)
			case a > b:
				return nil, optionError("Nodes", "the range %s goes down", part)
			case b >= MaxWorkers:
				return nil, optionError("Nodes", "worker %d, expected at most %d", b, MaxWorkers-1)
			}
			for uint64(len(node)) <= b {
				node = append(node, -1)
			}
			for w := a; w <= b; w++ {
				if node[w] >= 0 {
					return nil, optionError("Nodes", "worker %d is named twice in %q", w, text)
				}
				node[w] = n
			}
		}
	}
	for w, n := range node {
		if n < 0 {
			return nil, optionError("Nodes", "worker %d is in no set of %q, expected each worker "+
				"up to %d in one", w, text, len(node)-1)
		}
	}
	return node, nil
}
