package hw

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxCPU bounds the CPU numbers that are believed: 8192 is the largest NR_CPUS of a Linux kernel.
const maxCPU = 8191

// ParseCPUList reads a list like "0-3,8" (the form of sysfs and of taskset), keeping its order. An
// empty list is no CPUs. Numbers above 8191, descending ranges and repeated CPUs are errors.
func ParseCPUList(s string) ([]int, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil, nil
	}
	var cpus []int
	seen := map[int]bool{}
	for part := range strings.SplitSeq(s, ",") {
		lo, hi, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			hi = lo
		}
		first, err1 := parseCPU(lo)
		last, err2 := parseCPU(hi)
		if err1 != nil || err2 != nil || last < first {
			return nil,
				fmt.Errorf("CPU list %q: %q is neither a CPU (0 to %d) nor a range like 0-3", s,
					part, maxCPU)
		}
		for cpu := first; cpu <= last; cpu++ {
			if seen[cpu] {
				return nil, fmt.Errorf("CPU list %q: CPU %d appears twice", s, cpu)
			}
			seen[cpu] = true
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

func parseCPU(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n > maxCPU {
		return 0, fmt.Errorf("%q is not a CPU number", s)
	}
	return int(n), nil
}

// FormatCPUList inverts ParseCPUList for ascending CPUs; "none" for no CPUs.
func FormatCPUList(cpus []int) string {
	if len(cpus) == 0 {
		return "none"
	}
	var b strings.Builder
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(cpus[i]))
		if j > i {
			fmt.Fprintf(&b, "-%d", cpus[j])
		}
		i = j + 1
	}
	return b.String()
}

// parseCPUMask reads the other form of sysfs, hexadecimal words of 32 bits with the highest first:
// "0000,0000003f".
func parseCPUMask(s string) ([]int, error) {
	words := strings.Split(strings.TrimSpace(s), ",")
	slices.Reverse(words)
	var cpus []int
	for i, word := range words {
		bits, err := strconv.ParseUint(word, 16, 32)
		if err != nil {
			return nil, fmt.Errorf("CPU mask %q: %q is not a word of hexadecimal digits", s, word)
		}
		for b := range 32 {
			if cpu := i*32 + b; bits>>b&1 != 0 {
				if cpu > maxCPU {
					return nil, fmt.Errorf("CPU mask %q: CPU %d is above %d", s, cpu, maxCPU)
				}
				cpus = append(cpus, cpu)
			}
		}
	}
	return cpus, nil
}

// intersect returns the elements common to two ascending lists.
func intersect(a, b []int) []int {
	var both []int
	for _, x := range a {
		if _, ok := slices.BinarySearch(b, x); ok {
			both = append(both, x)
		}
	}
	return both
}
