// Command gen writes the assembly of package stack (passes, probes of the table, sums of weights),
// and its Go declarations, into the working directory: passes_amd64.s and passes_amd64.go.
package main

import (
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	asm, stubs, err := generate()
	if err == nil {
		err = os.WriteFile("passes_amd64.s", asm, 0o644)
	}
	if err == nil {
		err = os.WriteFile("passes_amd64.go", stubs, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generate returns the assembly and the declarations, the same bytes each time.
func generate() (asm, stubs []byte, err error) {
	c := build.NewContext()
	c.Constraint(buildtags.Term("amd64"))
	deal(c)
	finish(c)
	hashed(c)
	hits(c)
	addWeights(c)
	file, err := c.Result()
	if err != nil {
		return nil, nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, nil, err
	}
	cfg := printer.Config{Argv: []string{"go", "run", "./gen"}, Pkg: "stack"}
	if asm, err = printer.NewGoAsm(cfg).Print(file); err != nil {
		return nil, nil, err
	}
	stubs, err = printer.NewStubs(cfg).Print(file)
	return asm, stubs, err
}
