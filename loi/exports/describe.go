package exports

import (
	"strconv"
	"strings"

	"krdlab/loi"
)

// describe returns the known facts of t as a whole, for formats that have a place for them.
func describe(t *loi.Trace) []loi.KV {
	h := &t.Header
	list := []loi.KV{{Key: "substrate", Value: h.Substrate}, {Key: "clock", Value: h.Clock.Source},
		{Key: "grain", Value: h.Grain},
		{Key: "nodes", Value: nodes(h)}}
	add := func(set bool, key, value string) {
		if set {
			list = append(list, loi.KV{Key: key, Value: value})
		}
	}
	add(h.Clock.Hz > 0, "clock_hz", strconv.FormatFloat(h.Clock.Hz, 'f', -1, 64))
	add(h.L2Bytes > 0, "l2_bytes", strconv.FormatUint(h.L2Bytes, 10))
	add(h.LLCBytes > 0, "llc_bytes", strconv.FormatUint(h.LLCBytes, 10))
	add(h.L2Known != "", "l2_known", h.L2Known)
	add(h.LLCKnown != "", "llc_known", h.LLCKnown)
	add(h.Synthetic, "synthetic", "true")
	add(t.Recovered, "recovered", "true")
	var discarded, lost uint64
	for i := range h.Workers {
		discarded += t.Discarded()[i]
		lost += t.LostBytes()[i]
	}
	add(discarded > 0, "discarded_records", strconv.FormatUint(discarded, 10))
	add(lost > 0, "lost_bytes", strconv.FormatUint(lost, 10))
	for _, kv := range h.Notes() {
		add(true, "meta."+kv.Key, kv.Value)
	}
	return list
}

// nodes returns the workers of each node as the importer takes them: nodes in order, separated by
// commas, each a range of workers, or several joined with +. "0-2+6-8,3-5+9-11" are two nodes.
func nodes(h *loi.Header) string {
	sets := make([]string, h.Nodes)
	for i := 0; i < len(h.Workers); i++ {
		first, n := i, h.Workers[i].Node
		for i+1 < len(h.Workers) && h.Workers[i+1].Node == n {
			i++
		}
		if sets[n] != "" {
			sets[n] += "+"
		}
		sets[n] += strconv.Itoa(first)
		if i > first {
			sets[n] += "-" + strconv.Itoa(i)
		}
	}
	return strings.Join(sets, ",")
}
