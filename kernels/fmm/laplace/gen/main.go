// Command gen writes the assembly of package laplace and its Go declarations into the working
// directory: p2p_amd64.s and .go, and likewise m2l and passes.
package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/mmcloughlin/avo/build"

	"krdlab/hw/asmgen"
)

func main() { asmgen.Main("laplace", files...) }

var files = []asmgen.File{
	{Asm: "p2p_amd64.s", Stubs: "p2p_amd64.go", Edit: alignTables, Emit: func(c *build.Context) {
		directSums(c, &avx512{Context: c})
		directSums(c, &avx2{Context: c})
	}},
	{Asm: "passes_amd64.s", Stubs: "passes_amd64.go", Edit: alignTables, Emit: func(c *build.Context) {
		for order := 3; order <= 6; order++ {
			for _, v := range []vectors{&avx512{Context: c}, &avx2{Context: c}} {
				p2m(c, v, order)
				l2p(c, v, order)
			}
		}
	}},
	{Asm: "m2l_amd64.s", Stubs: "m2l_amd64.go", Edit: alignTables, Emit: func(c *build.Context) {
		for order := 2; order <= maxOrder; order++ {
			for _, dipoles := range []bool{false, true} {
				if !dipoles && order != 5 { // zeros cost a tenth, and 5 is the default
					continue
				}
				for _, mutual := range []bool{false, true} {
					if order <= 5 {
						smallM2L(c, order, dipoles, mutual)
					} else {
						runsM2L(c, order, 16, dipoles, mutual)
					}
					runsM2L(c, order, 8, dipoles, mutual)
				}
			}
		}
	}},
}

var (
	datumLine = regexp.MustCompile(`^DATA (\w+)<>\+(\d+)\(SB\)/4, (\$0x[0-9a-f]+)$`)
	tableLine = regexp.MustCompile(`^GLOBL (\w+)<>\(SB\), RODATA\|NOPTR, \$64$`)
)

// alignTables puts the tables of 64 bytes of an assembly file where text is. The linker aligns
// read-only data to 32 bytes at most, so that by the luck of a program each load of a whole table
// would cross two cache lines; text may ask for more.
func alignTables(text []byte) ([]byte, error) {
	var out []string
	var words []string // of the table that is read
	var lines []string // the same as they came
	for line := range strings.SplitSeq(string(text), "\n") {
		if m := datumLine.FindStringSubmatch(line); m != nil {
			if m[2] != strconv.Itoa(4*len(words)) {
				return nil, fmt.Errorf("%q: found offset %s, expected %d", line, m[2], 4*len(words))
			}
			words, lines = append(words, "\tLONG "+m[3]), append(lines, line)
			continue
		}
		if m := tableLine.FindStringSubmatch(line); m != nil && len(words) == 16 {
			out = append(out, "TEXT "+m[1]+"<>(SB), NOSPLIT|NOFRAME, $0-0", "\tPCALIGN $64")
			out = append(out, words...)
		} else {
			out = append(append(out, lines...), line)
		}
		words, lines = nil, nil
	}
	return []byte(strings.Join(out, "\n")), nil
}
