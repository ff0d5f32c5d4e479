package imports

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSorter compares runs on disk and in memory with a stable sort of all.
func TestSorter(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 100, 1005} {
		for _, spread := range []uint64{1, 5, 1 << 40} {
			rng := rand.New(rand.NewPCG(uint64(n), spread))
			dir := t.TempDir()
			s := newSorter(dir)
			s.runRows = 10
			var all []row
			for i := range n {
				all = append(all, row{time: rng.Uint64N(spread), pos: uint64(i),
					worker: uint32(rng.IntN(3)), block: rng.Uint64()})
			}
			for rest := all; len(rest) > 0; {
				k := 1 + rng.IntN(min(len(rest), 25))
				if err := s.add(rest[:k]); err != nil {
					t.Fatal(err)
				}
				rest = rest[k:]
			}
			var back uint64
			last := map[uint32]uint64{}
			for _, r := range all {
				if r.time < last[r.worker] {
					back++
				}
				last[r.worker] = r.time
			}
			var got []row
			if err := s.each(func(rows []row) error {
				got = append(got,
					rows...)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			want := slices.Clone(all)
			slices.SortStableFunc(want, func(a, b row) int { return cmp.Compare(a.time, b.time) })
			if !slices.Equal(got, want) {
				t.Errorf("%d rows, times below %d: not in order", n, spread)
			}
			if s.back != back {
				t.Errorf("%d rows came late, expected %d", s.back, back)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("a file with a name: %v", left)
			}
			s.close()
		}
	}
}

func TestSorterNoRoom(t *testing.T) {
	s := newSorter(t.TempDir() + "/none")
	s.runRows = 1
	err := s.add([]row{{}})
	if err == nil || !strings.HasPrefix(err.Error(), "room for sorting: ") {
		t.Errorf("%v, expected that there is no room", err)
	}
}

// TestKeyTable compares with a map.
func TestKeyTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, mask := range []uint64{0, 0xff, 0xffff, 0xffff << 32, ^uint64(0)} {
		var table keyTable
		want := map[uint64]uint64{}
		for range 20000 {
			key := rng.Uint64() & mask
			if _, ok := want[key]; ok != table.has(key) {
				t.Fatalf("key %#x: %v, expected %v", key, table.has(key), ok)
			}
			w := table.at(key)
			if *w != want[key] {
				t.Fatalf("key %#x has %d, expected %d", key, *w, want[key])
			}
			if *w == 0 {
				*w = 1 + rng.Uint64N(1<<62)
				want[key] = *w
				table.added()
			}
		}
		if table.used != len(want) || table.used*4 > len(table.slots)*3 {
			t.Errorf("mask %#x: %d keys in %d slots, expected %d", mask, table.used,
				len(table.slots), len(want))
		}
	}
}

// TestRegions shows that regions do not overlap, hold what they are for, and end somewhere.
func TestRegions(t *testing.T) {
	var end uint64
	for _, bytes := range []uint64{1, 1 << 28, 1<<28 + 1, 1 << 40, 3, 1 << 57, 1 << 32} {
		g, next, err := newRegion(end, bytes)
		if err != nil || g.offset() != end || g.offset()+g.bytes() != next ||
			g.bytes() < 16*bytes || g.bytes() < 1<<32 {
			t.Errorf("region of %d bytes from %d is %d of %d, then %d, %v", bytes, end, g.offset(),
				g.bytes(), next, err)
		}
		end = next
	}
	if _, _, err := newRegion(end, 1<<58); err == nil {
		t.Error("a region of 2^62 bytes after another, expected an error")
	}
	if _, _, err := newRegion(0, 1<<62); err == nil {
		t.Error("a region of 2^66 bytes, expected an error")
	}
	const most = "column \"bytes\": block 1 of object \"A\" has 4294967297 bytes here, which is " +
		"more than the 4294967296 that it may grow to"
	_, _, err := importText(t, header+"1,0,A,1,1,r\n2,0,A,1,4294967297,r\n", Options{Atoms: true})
	if err == nil || err.Error() != "stdin: line 3: "+most {
		t.Errorf("%v, expected %s", err, most)
	}
}

// TestManyNames reads as many objects and kernels as a trace can have, and one more.
func TestManyNames(t *testing.T) {
	for _, more := range []int{0, 1} {
		var b strings.Builder
		b.WriteString(header)
		for i := range maxObjects + more {
			fmt.Fprintf(&b, "%d,0,o%d,1,1,r\n", i, i)
		}
		_, err := importNull(t, []byte(b.String()), "csv", Options{})
		if want := `line 65538: column "object": object "o65536" is one too many, expected at most 65536`; more == 0 && err != nil || more == 1 && (err == nil || err.Error() != "stdin: "+want) {
			t.Errorf("%d objects: %v", maxObjects+more, err)
		}
		b.Reset()
		b.WriteString("time,worker,object,block,bytes,mode,kernel\n")
		for i := range maxKernels + more {
			fmt.Fprintf(&b, "%d,0,o,1,1,r,k%d\n", i, i)
		}
		_, err = importNull(t, []byte(b.String()), "csv", Options{})
		if want := `line 65537: column "kernel": kernel "k65535" is one too many, expected at most 65535`; more == 0 && err != nil || more == 1 && (err == nil || err.Error() != "stdin: "+want) {
			t.Errorf("%d kernels: %v", maxKernels+more, err)
		}
	}
}

// TestLongExecution reads more accesses at one time than an execution takes.
func TestLongExecution(t *testing.T) {
	text := header + strings.Repeat("1,0,A,1,1,r\n", 2*maxList+3)
	_, sum, err := importText(t, text, Options{})
	if err != nil || sum.Executions != 3 || sum.Accesses != 2*maxList+3 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestLimits shows that the limits known here are those of package loi.
func TestLimits(t *testing.T) {
	for _, text := range []string{
		header + "1,65535,A,18446744073709551615,4611686018427387904,r\n",
		spanHeader + "1,0,A,4611686018427387903,1,r,1,0\n",
		spanHeader + "1,0,A,0,4611686018427387904,r,1,0\n",
		spanHeader + "1,0,A,0,1,r,2147483647,2147483648\n",
	} {
		if _, _, err := importText(t, text, Options{}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestLackeyFile reads the first accesses of a real program, /bin/true under valgrind 3.19. The
// numbers are from an independent count.
func TestLackeyFile(t *testing.T) {
	b, err := os.ReadFile("testdata/true.lackey")
	if err != nil {
		t.Fatal(err)
	}
	got, sum, err := importText(t, string(b), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Format != "lackey" || sum.Accesses != 517 || sum.Executions != 517 || sum.Objects != 1 ||
		sum.LastTime != 517 {
		t.Errorf("%+v", sum)
	}
	blocks := map[string]bool{}
	for line := range strings.Lines(got) {
		f := strings.Fields(line)
		blocks[f[len(f)-1][:strings.Index(f[len(f)-1], ":")]] = true
	}
	if len(blocks) != 99 {
		t.Errorf("%d lines of memory, expected 99", len(blocks))
	}
	if want := "0 access 1-1 memory(keyed) 2147221529:64:out\n"; !strings.HasPrefix(got, want) {
		t.Errorf("begins with %.60q, expected %q", got, want)
	}
	_, sum, err = importText(t, string(b), Options{Instructions: true})
	if err != nil || sum.Executions != 517+1683 || sum.Objects != 2 {
		t.Errorf("with instructions: %+v, %v", sum, err)
	}
}
