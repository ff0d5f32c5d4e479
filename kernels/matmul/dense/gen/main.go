// Command gen writes the assembly of the leaf kernels of package dense, and their Go declarations,
// into the working directory: leaf_amd64.s and leaf_amd64.go.
//
// The kernel is the usual outer-product one (Goto, van de Geijn, "Anatomy of high-performance
// matrix multiplication", 2008): a micro-tile of C is kept in registers while the inner dimension
// runs; each step loads one row of B into two vectors and multiplies it by one broadcast element of
// A per row. AVX-512 takes micro-tiles of 8 rows x 32 columns, AVX2 6 x 16.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"krdlab/hw/asmgen"
)

func main() { asmgen.Main("dense", file) }

var file = asmgen.File{
	Asm: "leaf_amd64.s", Stubs: "leaf_amd64.go",
	Emit: func(c *build.Context) {
		wide, narrow := &avx512{Context: c}, &avx2{Context: c}
		for _, minus := range []bool{false, true} {
			leaf(c, wide, 8, minus)
			leaf(c, narrow, 6, minus)
		}
	},
}
