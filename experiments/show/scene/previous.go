package scene

// Previous returns for each access the number of the one that touched the same unit before it on its
// node; of an access to several units, that of the unit touched longest ago. It is -1 if the node
// touches the unit, or one of them, for the first time: those accesses are [Cold].
// Cost: a pass over the accesses; 4 bytes each, and 4 a unit and node.
func (r *Run) Previous() []int32 {
	const never = -1
	list, last := make([]int32, len(r.Items)), make([][]int32, r.Header.Nodes)
	for n := range last {
		last[n] = make([]int32, len(r.Bytes))
		for u := range last[n] {
			last[n][u] = never
		}
	}
	for k := range r.Start {
		on := last[r.Node(k)]
		for i := r.From[k]; i < r.From[k+1]; i++ {
			if item := r.Items[i]; int(item) < len(r.Bytes) { // [Run.Units] would allocate
				list[i], on[item] = on[item], int32(i)
				continue
			}
			before := int32(i)
			for _, u := range r.Units(r.Items[i]) {
				before = min(before, on[u])
				on[u] = int32(i)
			}
			list[i] = before
		}
	}
	return list
}
