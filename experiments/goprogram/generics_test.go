package goprogram

import (
	"fmt"
	"strings"
	"testing"

	"krdlab/loi/front/corpus/built"
)

// The case ungeneric is the case generic with pair and int in the place of its type parameters.
func TestGenericsCountAsPlain(t *testing.T) {
	count := func(name string, stack bool) (string, map[string]uint64) {
		d, out, err := trace(t, Data, name, func(r *Request) { r.Build.Stack = stack })
		if err != nil {
			t.Fatal(err)
		}
		if d.Accounts.Unknown+d.Accounts.Lost != 0 {
			t.Errorf("%+v %+v", d.Accounts, d.Places)
		}
		n := map[string]uint64{"on the stack": d.Accounts.Stack, "left": d.Accounts.Left}
		for _, f := range d.Functions {
			n[f.Name] = f.Accesses
		}
		return out, n
	}
	for _, stack := range []bool{false, true} {
		out, with := count("generic", stack)
		same, without := count("ungeneric", stack)
		if out != same || len(with) < map[bool]int{false: 7, true: 13}[stack] ||
			fmt.Sprint(with) != fmt.Sprint(without) {
			t.Errorf("with type parameters %v, without %v\n%s%s", with, without, out, same)
		}
	}
}

// A program without observed accesses has the reason in its document.
func TestNothingObserved(t *testing.T) {
	for text, why := range map[string]string{
		"package main\n\nfunc main() { println(1) }\n": "no access to the heap in their sources: " +
			"example.org/p",
		"package main\n\nvar x int\n\nfunc main() {\n\tif len(f()) > 5 {\n\t\tx++\n\t}\n}\n\n" +
			"func f() string { return \"f\" }\n": "none of the 1 accesses in the sources",
		"package main\n\ntype t struct{ a int }\n\nfunc (x *t) set() { x.a++ }\n\nfunc main() {\n" +
			"\tx := &t{}\n\tx.set()\n}\n": "of 1 accesses that the rewritten packages made, but for " +
			"local variables by their names, 1 were to the stack",
	} {
		d, _, err := asked(t, Lines, func(r *Request) {
			r.Build.Dir = module(t, text)
			r.Built = built.Of(t, r.Build.Dir, r.Build)
		})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(d.Warnings, "; "); d.Accesses != 0 || !strings.Contains(said, why) {
			t.Errorf("%s\n%d accesses, %q, expected %q", text, d.Accesses, said, why)
		}
	}
}
