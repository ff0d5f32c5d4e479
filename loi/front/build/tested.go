package build

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Tested returns the import paths of the packages that patterns name, as go test takes them, and that have
// tests. of gives the folder and the tags. Errors: [ErrPackage].
func Tested(ctx context.Context, of Request, patterns []string) (paths []string, err error) {
	r := &run{Request: of, ctx: ctx}
	list, err := r.load(packages.NeedName|packages.NeedForTest, true, patterns...)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPackage, strings.Join(patterns, " "), err)
	}
	for _, p := range list {
		if path, isTest := strings.CutSuffix(p.ID, ".test"); isTest && p.Name == "main" {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%w: %s: no package of these has tests", ErrPackage, strings.Join(patterns, " "))
	}
	slices.Sort(paths)
	return paths, nil
}
