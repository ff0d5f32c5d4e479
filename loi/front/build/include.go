package build

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"krdlab/loi/front"
)

// Standard begins the patterns that name packages of the standard library.
const Standard = "std:"

// An imported lists the parts of a program, without its test files: packages by import path, of the
// main module (own), of other modules (foreign), and of the standard library.
type imported struct {
	own, foreign, standard map[string]*packages.Package
}

// importedBy sorts the packages that are loaded; program, if it is not nil, is the package that the
// go command makes for tests.
func importedBy(list []*packages.Package, program *packages.Package) *imported {
	in := &imported{map[string]*packages.Package{}, map[string]*packages.Package{},
		map[string]*packages.Package{}}
	packages.Visit(list, nil, func(p *packages.Package) {
		if p == program || !slices.ContainsFunc(p.GoFiles, func(f string) bool {
			return !strings.HasSuffix(f, "_test.go")
		}) {
			return
		}
		switch {
		case p.PkgPath == ofFile || p.Module != nil && p.Module.Main:
			in.own[p.PkgPath] = p
		case p.Module != nil:
			in.foreign[p.PkgPath] = p
		default:
			in.standard[p.PkgPath] = p
		}
	})
	return in
}

// pick returns the packages that are to be rewritten, sorted, and those that a pattern names and
// that cannot be. Patterns of Include that match packages of the main module choose among these;
// without one, all of them are taken. Packages of other modules and of the standard library are
// taken if a pattern matches. Its errors wrap ErrPackage: a pattern without dots at its end names a
// package that cannot be rewritten, one matches nothing, or nothing is left.
func (r *run) pick(in *imported) (names []string, left []front.Left, err error) {
	var own, others, standard []string
	for _, p := range r.Include {
		if of, ok := strings.CutPrefix(p, Standard); ok {
			if !anyMatch([]string{of}, in.standard) {
				return nil, nil, unmatched(p, "of the standard library", Standard, in.standard)
			}
			standard = append(standard, of)
			continue
		}
		mine := anyMatch([]string{p}, in.own)
		if !mine && !anyMatch([]string{p}, in.foreign) {
			some := maps.Clone(in.foreign)
			maps.Copy(some, in.own)
			return nil, nil, unmatched(p, "of this or another module", "", some)
		}
		if mine {
			own = append(own, p)
		}
		others = append(others, p)
	}
	for path := range in.own {
		if (own == nil || taken(own, path)) && !taken(r.Exclude, path) {
			names = append(names, path)
		}
	}
	for path := range in.foreign {
		if taken(others, path) && !taken(r.Exclude, path) {
			names = append(names, path)
		}
	}
	if standard != nil {
		some, apart, err := r.pickStandard(in, standard)
		if err != nil {
			return nil, nil, err
		}
		names, left = append(names, some...), apart
	}
	if len(names) == 0 && !r.Plain {
		if len(left) > 0 {
			return nil, nil, nothingLeft(&left[0])
		}
		return nil, nil, fmt.Errorf("%w: no package of the main module is left to be rewritten",
			ErrPackage)
	}
	slices.Sort(names)
	return names, left, nil
}

// pickStandard returns the packages of the standard library that patterns name. Those that cannot
// be rewritten are left, by reason, but for one that a pattern names in full: that is an error.
func (r *run) pickStandard(in *imported, patterns []string) (names []string, left []front.Left,
	err error) {
	below, err := r.belowAgent()
	if err != nil {
		return nil, nil, err
	}
	apart := map[string][]string{} // by reason
	for path := range in.standard {
		if !taken(patterns, path) || r.excludes(Standard+path) {
			continue
		}
		switch why := standsBelow(path, below); {
		case why == "":
			names = append(names, path)
		case slices.Contains(patterns, path):
			return nil, nil, fmt.Errorf("%w: %s%s cannot be observed: %s", ErrPackage, Standard, path,
				why)
		default:
			apart[why] = append(apart[why], path)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(apart)) {
		slices.Sort(apart[why])
		left = append(left, front.LeftPackages(apart[why], why))
	}
	return names, left, nil
}

// excludes reports that a pattern of Exclude for the standard library matches a path, which begins
// with Standard as the pattern does.
func (r *run) excludes(path string) bool {
	return slices.ContainsFunc(r.Exclude, func(p string) bool {
		return strings.HasPrefix(p, Standard) && matches(p, path)
	})
}

// belowAgent returns what the runtime and the agent import, themselves too, by import path. The
// agent cannot be called by these: it would be imported in a circle, or call itself.
func (r *run) belowAgent() (map[string]bool, error) {
	out, _, err := r.command("list", "-deps", "runtime", "sync/atomic", "unsafe")
	if err != nil {
		return nil, err
	}
	below := map[string]bool{}
	for path := range strings.FieldsSeq(out) {
		below[path] = true
	}
	return below, nil
}

// standsBelow returns why a package of the standard library is not rewritten, "" if it is.
func standsBelow(path string, below map[string]bool) string {
	switch {
	case below[path]:
		return "the runtime and the recording are made of it"
	case strings.HasPrefix(path, "runtime/"):
		return "it belongs to the runtime"
	case slices.Contains(strings.Split(path, "/"), "internal"):
		return "it is internal to the standard library"
	}
	return calledByRuntime[path]
}

// calledByRuntime are packages with functions that run where nothing can be recorded, and why.
var calledByRuntime = map[string]string{
	"sync":    "the garbage collector calls it while all goroutines stand still",
	"syscall": "it runs between fork and exec, in the memory of both processes",
	"time":    "the scheduler calls it, for timers",
}

// matches reports whether an import path matches a pattern: it equals the pattern, or begins with
// it if that ends in "...".
func matches(pattern, path string) bool {
	if begin, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(path+"/", begin) || strings.HasPrefix(path, begin)
	}
	return pattern == path
}

// taken reports that one of the patterns matches a path.
func taken(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, path) })
}

func anyMatch(patterns []string, in map[string]*packages.Package) bool {
	for path := range in {
		if taken(patterns, path) {
			return true
		}
	}
	return false
}

// mostNamed is how many import paths an error names.
const mostNamed = 6

// unmatched returns the error of a pattern that matches none of the packages of a kind. Those that
// have most in common with the pattern are named first.
func unmatched(pattern, kind, prefix string, some map[string]*packages.Package) error {
	found := "it has none"
	if len(some) > 0 {
		all := slices.SortedFunc(maps.Keys(some), func(a, b string) int {
			return cmp.Or(common(prefix+b, pattern)-common(prefix+a, pattern), strings.Compare(a, b))
		})
		if at := slices.Index(all, ofFile); at >= 0 {
			all = slices.Delete(all, at, at+1)
		}
		more := ""
		if n := len(all) - mostNamed; n > 0 {
			all, more = all[:mostNamed], fmt.Sprintf(" and %d more", n)
		}
		if len(all) > 0 {
			found = "there are " + prefix + strings.Join(all, ", "+prefix) + more
		}
	}
	return fmt.Errorf("%w: %q matches no package %s that the program imports: %s", ErrPackage,
		pattern, kind, found)
}

// common returns the length of the common prefix of two strings.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
