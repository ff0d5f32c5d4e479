// Package constructs runs cases that together use what Go has. Rewritten it must print what it prints
// as it is.
package constructs

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
)

var cases = map[string]func(){
	"control": control, "generics": generics, "order": order, "ranges": ranges, "maps": maps,
	"methods": methods, "values": values, "shadows": shadows, "closures": closures,
	"concurrent": concurrent, "recovered": recovered, "unsafe": unsafely, "globals": globals,
	"atomics": atomics, "atomicOrder": atomicOrder, "waits": waits, "leaving": leaving,
	"strings": texts, "appends": appends, "iterators": iterators, "assignments": assignments,
	"panic-index": func() { fmt.Println(slice[len(os.Args)+5]) },
	"panic-nil":   func() { var p *node; fmt.Println(p.next.value) },
	"panic-store": func() { var p *node; p.value = side("value") },
	"panic-map":   func() { var m map[string][]int; m["a"] = append(m["a"], 1) },
	"panic-divide": func() {
		n := &node{}
		n.value = 7 / n.value
	},
	"panic-custom":  func() { defer fmt.Println("deferred"); panic(fmt.Errorf("custom %d", 7)) },
	"panic-convert": func() { var x any = "text"; slice[0] = x.(int) },
	"panic-hash":    func() { m := map[any]int{}; m[[]int{1}]++ },
	"panic-slice":   func() { n := 9; fmt.Println(slice[n:]) },
	"panic-string":  func() { s, n := "abc", 5; fmt.Println(s[n]) },
	"panic-array":   func() { n := 4; table[n%8] = 3 },
	"panic-again": func() {
		defer func() { panic(fmt.Sprint("again: ", recover())) }()
		table[len(slice)+9]++
	},
	"exit": func() { defer fmt.Println("never"); table[1]++; os.Exit(table[1] + 2) },
	"goexit": func() {
		done := make(chan int)
		go func() { defer close(done); table[0] = 5; var p *node; p.value++ }()
		<-done
		select {}
	},
}

var (
	slice = []int{3, 1, 2}
	table [4]int
)

type node struct {
	value int
	next  *node
	left  *node
	kids  []*node
}

// side has an effect that can be seen.
func side(name string) int {
	fmt.Print("<", name, ">")
	return len(name)
}

// Main runs the cases that its arguments name, one after the other. Where the argument is list, it
// prints the arguments of each process that runs cases, one a line: a case that does not end normally
// has a process of its own.
func Main() {
	if flag.Arg(1) != "list" {
		for _, name := range flag.Args()[1:] {
			cases[name]()
		}
		return
	}
	var together, alone []string
	for name := range cases {
		switch {
		case strings.HasPrefix(name, "panic-"), name == "exit", name == "goexit", name == "atomics":
			alone = append(alone, name)
		default:
			together = append(together, name)
		}
	}
	sort.Strings(together)
	sort.Strings(alone)
	for _, line := range append(alone, strings.Join(together, " ")) {
		fmt.Println(line)
	}
}
