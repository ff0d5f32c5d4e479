package experiments

import (
	"strconv"
	"strings"
)

// ParseSchedulers reads the value of --sched: names separated by commas, or "all" for every scheduler but serial, which is always
// run for comparison. Names are checked by [Config.Validate].
func ParseSchedulers(s string) []string {
	if s == "all" {
		return SchedulerNames()[1:]
	}
	var names []string
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// parseDims reads n positive numbers joined by x, such as 32x32x64.
func parseDims(s string, n int) ([]int, bool) {
	parts := strings.Split(s, "x")
	if len(parts) != n {
		return nil, false
	}
	v := make([]int, n)
	for i, p := range parts {
		u, err := strconv.ParseUint(p, 10, 31)
		if err != nil || u == 0 {
			return nil, false
		}
		v[i] = int(u)
	}
	return v, true
}
