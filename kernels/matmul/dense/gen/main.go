// Command gen writes the assembly of the leaf kernels of package dense, and their Go declarations,
// into the working directory: leaf_amd64.s and leaf_amd64.go.
//
// The kernel is the usual outer-product one (Goto, van de Geijn, "Anatomy of high-performance
// matrix multiplication", 2008): a micro-tile of C is kept in registers while the inner dimension
// runs; each step loads one row of B into two vectors and multiplies it by one broadcast element of
// A per row. AVX-512 takes micro-tiles of 8 rows x 32 columns, AVX2 6 x 16.
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
		err = os.WriteFile("leaf_amd64.s", asm, 0o644)
	}
	if err == nil {
		err = os.WriteFile("leaf_amd64.go", stubs, 0o644)
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
	wide, narrow := &avx512{Context: c}, &avx2{Context: c}
	for _, minus := range []bool{false, true} {
		leaf(c, wide, 8, minus)
		leaf(c, narrow, 6, minus)
	}
	file, err := c.Result()
	if err != nil {
		return nil, nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, nil, err
	}
	cfg := printer.Config{Argv: []string{"go", "run", "./gen"}, Pkg: "dense"}
	if asm, err = printer.NewGoAsm(cfg).Print(file); err != nil {
		return nil, nil, err
	}
	stubs, err = printer.NewStubs(cfg).Print(file)
	return asm, stubs, err
}
