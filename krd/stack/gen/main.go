// Command gen writes the assembly of package stack (passes, probes of the table, sums of weights),
// and its Go declarations, into the working directory: passes_amd64.s and passes_amd64.go.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"krdlab/hw/asmgen"
)

func main() { asmgen.Main("stack", file) }

var file = asmgen.File{
	Asm: "passes_amd64.s", Stubs: "passes_amd64.go",
	Emit: func(c *build.Context) {
		deal(c)
		finish(c)
		hashed(c)
		hits(c)
		addWeights(c)
	},
}
