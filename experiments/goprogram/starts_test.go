package goprogram

import (
	"fmt"
	"testing"

	"krdlab/krd"
	"krdlab/loi/collect"
	"krdlab/loi/front"
)

// Accesses are of the function that their goroutine began with, whoever makes them: of a go statement with
// arguments, of what a wait group runs, and of main. All together they are those of the lines and of the program.
func TestStarts(t *testing.T) {
	d, out, err := asked(t, Lines, func(r *Request) {
		r.Build.Dir, r.Waits, r.Build.Sync = module(t, `package main

import "sync"

func touch(x []int) {
	for i := range x {
		x[i]++
	}
}

func once(x []int, done chan bool) {
	x[0]++
	touch(x)
	done <- true
}

func twice(x []int) {
	touch(x)
	touch(x)
}

func main() {
	a := make([][]int, 3)
	for i := range a {
		a[i] = make([]int, 500)
	}
	done := make(chan bool)
	go once(a[0], done)
	<-done
	var g sync.WaitGroup
	g.Go(func() { twice(a[1]) })
	g.Wait()
	for range 4 {
		touch(a[2])
	}
}
`), true, true
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if d, err = Read(d.Dir); err != nil {
		t.Fatal(err)
	}
	lines, all := map[string]uint64{}, uint64(0)
	for _, l := range d.Lines {
		sum := uint64(0)
		for _, s := range l.Starts {
			sum += s.Accesses
			if l.Function == "main.touch" {
				lines[s.Name] += s.Accesses
			}
		}
		if sum != l.Accesses {
			t.Errorf("line %d has %d accesses by where goroutines began, of %d", l.Line, sum, l.Accesses)
		}
	}
	for _, s := range d.Starts {
		all += s.Accesses
		if s.Function != "main.touch" || s.FunctionAccesses != lines[s.Name] || s.Object != "[]int" {
			t.Errorf("%+v", s)
		}
	}
	if n := lines["main.once"]; n < 500 || all != d.Accesses || len(d.Starts) != 3 || lines["main.main"] != 4*n {
		t.Errorf("%v of main.touch, %d accesses of %d", lines, all, d.Accesses)
	}
	p, err := d.Profile()
	if err != nil {
		t.Fatal(err)
	}
	labels, sum := map[string]uint64{}, int64(0)
	for _, s := range p.Sample {
		sum += s.Value[0]
		if s.Location[0].Line[0].Function.Name == "main.touch" {
			labels[fmt.Sprint(s.Label["began_with"])] += uint64(s.Value[0])
		}
	}
	if sum != int64(all) || labels["[main.once]"] != lines["main.once"] || labels["[main.main]"] != lines["main.main"] {
		t.Errorf("the profile has %v, %d in all", labels, sum)
	}
}

// More functions than are told apart are one; groups of the stream come together again.
func TestManyStarts(t *testing.T) {
	a := &analysis{reader: &collect.Reader{Groups: []collect.Group{{}}}}
	for i := range 70 {
		a.sites = append(a.sites, front.Site{Function: fmt.Sprint("f", i)})
		a.reader.Groups = append(a.reader.Groups, collect.Group{Site: i + 1})
	}
	s := newStarts()
	var list []krd.GroupHistogram
	for i := range uint32(70) {
		n := s.start(a, uint64(i), i+1)
		if n != min(int(i), mostStarts-1) || s.start(a, uint64(i), 1) != n {
			t.Fatalf("goroutine %d began with function %d", i, n)
		}
		if g := s.group(n, 5); int(g) == len(list) {
			list = append(list, krd.GroupHistogram{Group: g, Accesses: 2, Cold: 1, Bins: []krd.Bin{{FromBytes: 64, Count: 1}}})
		}
	}
	all := s.merged(list)
	if len(list) != mostStarts || s.names[mostStarts-1] != otherStarts || len(all) != 1 || all[0].Group != 5 ||
		all[0].Accesses != 2*mostStarts || all[0].Cold != mostStarts || all[0].Bins[0].Count != mostStarts ||
		list[0].Bins[0].Count != 1 {
		t.Errorf("%d groups, %+v", len(list), all)
	}
}

// Accesses are of the calls that led to them: of both callers of a function, of a recursion as of one frame,
// of a function of another goroutine; the samples of the profile have the same stacks.
func TestCalls(t *testing.T) {
	d, out, err := asked(t, Lines, func(r *Request) {
		r.Build.Dir, r.Build.Regions = module(t, `package main

func touch(x []int, n int) {
	for i := range n {
		x[i]++
	}
}

func few(x []int) { touch(x, 100) }

func many(x []int) { touch(x, 1000) }

func down(x []int, n int) {
	touch(x, 1)
	if n > 0 {
		down(x, n-1)
	}
}

func main() {
	x := make([]int, 1000)
	few(x)
	many(x)
	down(x, 30)
	done := make(chan bool)
	go func() {
		few(x)
		done <- true
	}()
	<-done
}
`), true
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if d, err = Read(d.Dir); err != nil {
		t.Fatal(err)
	}
	got, all := map[string]uint64{}, uint64(0)
	for i := range d.Lines {
		l := &d.Lines[i]
		all += l.Accesses
		for _, c := range l.Calls {
			stack := ""
			for _, x := range d.callers(l, c.Call) {
				stack += " < " + x.Function
			}
			got[stack] += c.Accesses
		}
	}
	// an update is one access
	want := map[string]uint64{" < main.touch < main.few < main.main": 100, " < main.touch < main.many < main.main": 1000,
		" < main.touch < main.down < main.main": 31, " < main.touch < main.few < main.main.func1": 100}
	for stack, n := range want {
		if got[stack] != n {
			t.Errorf("%s: %d accesses, want %d", stack, got[stack], n)
		}
	}
	if len(got) != len(want) || all != 1231 {
		t.Errorf("%v, %d accesses", got, all)
	}
	p, err := d.Profile()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Sample {
		stack := ""
		for _, l := range s.Location {
			stack += " < " + l.Line[0].Function.Name
		}
		if want[stack] != uint64(s.Value[0]) {
			t.Errorf("the profile has %d of %s", s.Value[0], stack)
		}
	}
}
