package goprogram

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"krdlab/loi"
	"krdlab/loi/front"
)

// TestTooManyFunctions asks for as many functions and operations as a trace can have, and for more.
func TestTooManyFunctions(t *testing.T) {
	for _, c := range []struct {
		functions, operations int
		names                 string // of functions
		want                  string // in the error; "": there is none
	}{{0, 0, "f%d", ""}, {3, 9, "f%d", ""}, {loi.MaxRegions, 70_000, "f%d", ""},
		{loi.MaxRegions + 1, 70_000, "f%d", "65536 functions"},
		{loi.MaxRegions + 1, 70_000, "same", "65536 functions"}, // of several packages
		{2, loi.MaxOperations + 1, "f%d", "1048577 operations"}} {
		regions := make([]front.Region, c.functions)
		list := make([]front.Operation, c.operations)
		for i := range list {
			list[i].Self, list[i].Function = 1+i%c.functions, c.names
			if strings.Contains(c.names, "%") {
				list[i].Function = fmt.Sprintf(c.names, i%c.functions)
			}
		}
		err := fit(list, regions)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrTooLarge) ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d functions, %d operations: %v", c.functions, c.operations, err)
		}
	}
}
