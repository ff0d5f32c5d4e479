package calibrate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/loi/front/corpus"
)

// bodies have what a random function does of a slice a of numbers and a list l of cells of its own;
// N becomes a number of iterations, and S an odd stride.
var bodies = []string{
	"for i := range N { s += a[i*S%len(a)] }",
	"for i := range N { a[i*S%len(a)] += i }",
	"for i := range N { s += a[random(i)%len(a)] }",
	"for i := range N { if i&7 == 0 { a[i%len(a)] = a[i*S%len(a)] } else { s += a[i&7%len(a)] } }",
	"for range 1 + N/len(a) { for i := range a { a[i] ^= s } }",
	"for range 1 + N/len(a) { for i := len(a) - 1; i > 0; i-- { a[i] += a[i-1] } }",
	"for range 1 + N/len(a) { copy(a, a[len(a)/2:]); s += a[0] }",
	"c := l; for range N { c.value++; c = c.next }; s += c.value",
	"c := l; for i := range N { s += c.value + a[i%len(a)]; c = c.next }",
	"m := map[int]int{}; for i := range N/8 { m[i*S%len(a)]++ }; s += len(m)",
	"for i := range N/4 { b := make([]int, 4+i&7); for k := range b { b[k] = a[(i+k)%len(a)] }; s += b[0] }",
}

const prelude = `package main

import (
	"flag"
	"strconv"
)

type cell struct {
	next  *cell
	value int
}

func cells(n int) *cell {
	all := make([]cell, n)
	for i := range all {
		all[i].next = &all[(i+i%7*31+1)%n]
	}
	return &all[0]
}

func random(x int) int {
	z := uint64(x) * 0x9e3779b97f4a7c15
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int(z >> 33)
}

func main() {
	flag.Parse()
	n, _ := strconv.Atoi(flag.Arg(0))
	println(programs[n]())
}

`

// randomPrograms returns the source of programs whose functions have random bodies and data, and are
// called in a random order, some more often than others.
func randomPrograms(n int) string {
	var b, table strings.Builder
	b.WriteString(prelude)
	for p := range n {
		r := rand.New(rand.NewPCG(uint64(p), 78))
		fmt.Fprintf(&table, "\tp%d,\n", p)
		var data, calls strings.Builder
		functions := 2 + r.IntN(5)
		for f := range functions {
			iterations, stride, size := 1<<(6+r.IntN(12)), 1+2*r.IntN(40), 1<<(3+r.IntN(15))
			body := strings.NewReplacer("N", fmt.Sprint(iterations), "S", fmt.Sprint(stride)).Replace(
				bodies[r.IntN(len(bodies))])
			fmt.Fprintf(&b, "func p%df%d(a []int, l *cell) (s int) {\n\t%s\n\treturn s\n}\n\n", p, f, body)
			fmt.Fprintf(&data, "\ta%d, l%d := make([]int, n*%d), cells(n*%d)\n", f, f, size, 4<<r.IntN(14))
			// of all functions about as many accesses, or by chance some times more
			fmt.Fprintf(&calls, "\t\tfor range %d {\n\t\t\ts += p%df%d(a%d, l%d)\n\t\t}\n",
				1+(1<<(17+r.IntN(3)))/max(iterations, size), p, f, f, f)
		}
		fmt.Fprintf(&b, "func p%d() (s int) {\n\tn := 1 + flag.NArg()/9\n%s\tfor range %d {\n%s\t}\n"+
			"\treturn s\n}\n\n", p, &data, 40+r.IntN(60), &calls)
	}
	return b.String() + "var programs = []func() int{\n" + table.String() + "}\n"
}

// Nearly each function with more than 2 % of the accesses of a random program has a histogram in a
// sample, and each has as many accesses as in the exact run.
func TestRandomPrograms(t *testing.T) {
	long.Only(t, "programs of which enough is seen take a second each")
	const n = 200
	dir := corpus.Lay(t, "calibrated", map[string][]byte{"go.mod": []byte("module p\n\ngo 1.26\n"),
		"main.go": []byte(randomPrograms(n))})
	compared, without := 0, 0
	for i := range n {
		if i%20 == 0 {
			t.Logf("%d programs: %d of %d functions have no distances", i, without, compared)
		}
		p := &program{name: fmt.Sprint("random ", i), dir: dir}
		exact, sample := p.trace(t, fmt.Sprint(i), false), p.trace(t, fmt.Sprint(i), true)
		got := map[string]part{}
		for _, f := range sample.Functions {
			got[f.Name] = f
		}
		if sample.Accesses != exact.Accesses {
			t.Errorf("%s: %d accesses, expected %d", p.name, sample.Accesses, exact.Accesses)
		}
		for _, want := range exact.Functions {
			f := got[want.Name]
			if f.Accesses != want.Accesses {
				t.Errorf("%s: %s has %.0f accesses, expected %.0f", p.name, want.Name, f.Accesses,
					want.Accesses)
			}
			if want.Accesses < 0.02*float64(exact.Accesses) || len(want.Bins) == 0 {
				continue
			}
			if compared++; len(f.Bins) == 0 {
				without++
				t.Logf("%s: %s has %.1f %% of %.1f M accesses and no distances, of %d phases", p.name,
					want.Name, 100*want.Accesses/float64(exact.Accesses), float64(exact.Accesses)/1e6,
					sample.Sampling.Phases)
			}
		}
	}
	// 1 to 2 % are n/a: those that few large bursts saw, or some which differ
	if 30*without > compared {
		t.Errorf("%d of %d functions with more than 2 %% of the accesses have no distances", without, compared)
	}
	if compared < n {
		t.Errorf("%d functions of %d programs were compared", compared, n)
	}
}
