package goroutines

import (
	"testing"

	"krdlab/krd/analysis/interleave/engine"
	"krdlab/loi"
)

// TestWithoutRaces checks which accesses of two goroutines remain, by their letters; those of "x" conflict.
func TestWithoutRaces(t *testing.T) {
	for _, c := range []struct {
		did    string
		writes bool // the first access of x
		left   string
	}{
		{"0go 0x 0a 0sleep 1x 1b 1sleep 1c", true, "xax"},                // the second reads
		{"0go 0a 0x 0b 0send 0c 1x 1d 1receive 1e", false, "axbcxde"},    // both read
		{"0go 0x 0a 0send 1receive 1x 1b", true, "xaxb"},                 // they are ordered
		{"0go 1x 1a 1sleep 0x 0b 0send 0c 1d 1receive 1e", true, "xaxd"}, // what is received depends
		{"0go 0lock 0x 0unlock 0a 1lock 1x 1unlock 1b", true, "xaxb"},    // a lock orders them
	} {
		p := read(t, traceOf(t, 1, c.did))
		names := letters(p, c.did)
		for i := range p.modes {
			p.modes[i] = loi.In
		}
		for i, u := range p.units {
			if names[u] == 'x' && c.writes && p.turns[0].by == goroutineOf(p, i) {
				p.modes[i] = loi.Out
			}
		}
		q, ok := p.WithoutRaces(engine.NewAccount(0))
		if !ok {
			t.Fatal("not enough memory")
		}
		got, next := "", map[int32]int{}
		for _, x := range q.turns {
			for range x.n {
				got += string(names[q.units[q.from[q.first[x.by]]+next[x.by]]])
				next[x.by]++
			}
		}
		if got != c.left || q.LeftOut != len(p.units)-len(c.left) {
			t.Errorf("%s: %s remain and %d are left out, expected %s", c.did, got, q.LeftOut, c.left)
		}
		repeats(t, q)
	}
}

// letters returns what each unit is called in a row.
func letters(p *Program, did string) map[uint32]rune {
	names, n := map[uint32]rune{}, uint32(0)
	seen := map[byte]bool{}
	for i := 0; i+1 < len(did); i++ {
		if (did[i] == '0' || did[i] == '1') && (i+2 == len(did) || did[i+2] == ' ') && !seen[did[i+1]] {
			seen[did[i+1]] = true
			names[n] = rune(did[i+1])
			n++
		}
	}
	return names
}

// goroutineOf returns the goroutine of an access.
func goroutineOf(p *Program, access int) int32 {
	for i := range p.of {
		if access < p.from[i+1] {
			return p.of[i]
		}
	}
	return -1
}
