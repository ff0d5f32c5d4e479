package experiments

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseBinding reads the value of --bind: "compact", "scatter" or a list of CPUs such as "0,2,4-7".
func ParseBinding(s string) (Binding, error) {
	if s == "compact" || s == "scatter" {
		return Binding{Mode: s}, nil
	}
	bad := func(why string) error {
		return &ConfigError{"bind", s, why + "; choose compact, scatter or a list of CPUs such as 0,2,4-7"}
	}
	b := Binding{Mode: "list"}
	for item := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(item, "-")
		lo, err := strconv.ParseUint(first, 10, 16)
		if err != nil {
			return Binding{}, bad(fmt.Sprintf("%q is not a CPU number", item))
		}
		hi := lo
		if isRange {
			if hi, err = strconv.ParseUint(last, 10, 16); err != nil || hi < lo {
				return Binding{}, bad(fmt.Sprintf("%q is not a range of CPU numbers", item))
			}
		}
		for cpu := lo; cpu <= hi; cpu++ {
			b.CPUs = append(b.CPUs, int(cpu))
		}
	}
	return b, nil
}

// ParseShape reads the value of --topology, NODESxCORES such as "4x6".
func ParseShape(s string) (Shape, error) {
	v, ok := parseDims(s, 2)
	if !ok {
		return Shape{}, &ConfigError{"topology", s, "write it as NODESxCORES, such as 4x6"}
	}
	return Shape{v[0], v[1]}, nil
}

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

// formatInts returns ascending runs as ranges: 0-3,8.
func formatInts(v []int) string {
	var b strings.Builder
	for i := 0; i < len(v); {
		j := i
		for j+1 < len(v) && v[j+1] == v[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(v[i]))
		if j > i {
			b.WriteString("-" + strconv.Itoa(v[j]))
		}
		i = j + 1
	}
	return b.String()
}
