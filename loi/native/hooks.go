package native

import (
	"strconv"
	"strings"

	"krdlab/loi"
	"krdlab/loi/front"
)

// A hook is a function of the runtime that makes events.
type hook struct {
	kind  hookKind
	sites []front.Site // that a call of it is, in the order of the runtime's numbers
}

type hookKind int

const (
	accesses hookKind = iota
	enters
	exits
	allocations
)

// word is the size of the elements that ranges are taken apart into, in bytes.
const word = 8

// ranges returns the sites of a range: one of words, one of what is left.
func ranges(kind string, mode loi.Mode) []front.Site {
	return []front.Site{{Kind: kind, Mode: mode, Bytes: word, Element: word}, {Kind: kind, Mode: mode}}
}

func allocates(what string) front.Site { return front.Site{Kind: "new", Object: what} }

// hooks are those whose names say nothing of their sites, by name.
var hooks = func() map[string]*hook {
	copies := append(ranges("copy-from", loi.In), ranges("copy-to", loi.Out)...)
	m := map[string]*hook{
		"__tsan_func_entry":  {kind: enters},
		"__tsan_func_exit":   {kind: exits},
		"__tsan_read_range":  {sites: ranges("load", loi.In)},
		"__tsan_write_range": {sites: ranges("store", loi.Out)},
		"__tsan_vptr_read":   {sites: []front.Site{{Kind: "load", Mode: loi.In, Bytes: word, Object: "virtual table"}}},
		"__tsan_vptr_update": {sites: []front.Site{{Kind: "store", Mode: loi.Out, Bytes: word, Object: "virtual table"}}},
	}
	for _, name := range []string{"memcpy", "memmove", "__memcpy_chk", "__memmove_chk", "__tsan_memcpy", "__tsan_memmove"} {
		m[name] = &hook{sites: copies}
	}
	for _, name := range []string{"memset", "__memset_chk", "__tsan_memset"} {
		m[name] = &hook{sites: ranges("store", loi.Out)}
	}
	for name, what := range map[string]string{"malloc": "malloc", "calloc": "calloc", "memalign": "memalign",
		"aligned_alloc": "aligned_alloc", "valloc": "valloc", "posix_memalign": "posix_memalign", "mmap": "mmap",
		"mmap64": "mmap", "_Znwm": "new", "_Znam": "new[]", "_ZnwmRKSt9nothrow_t": "new", "_ZnamRKSt9nothrow_t": "new[]",
		"_ZnwmSt11align_val_t": "new", "_ZnamSt11align_val_t": "new[]"} {
		m[name] = &hook{kind: allocations, sites: []front.Site{allocates(what)}}
	}
	for _, name := range []string{"realloc", "reallocarray"} {
		m[name] = &hook{sites: append([]front.Site{allocates("realloc")}, copies...)}
	}
	return m
}()

// hookOf returns the hook of a name, nil if it is none.
func hookOf(name string) *hook {
	if h := hooks[name]; h != nil {
		return h
	}
	rest, ok := strings.CutPrefix(name, "__tsan_")
	if !ok {
		return nil
	}
	if rest, atomic := strings.CutPrefix(rest, "atomic"); atomic {
		bits, what, _ := strings.Cut(rest, "_")
		n, err := strconv.Atoi(bits)
		if err != nil {
			return nil
		}
		switch what {
		case "load":
			return access("load", loi.In, n/8)
		case "store":
			return access("store", loi.Out, n/8)
		}
		return access("update", loi.InOut, n/8)
	}
	for _, prefix := range []string{"unaligned_", "volatile_"} {
		rest = strings.TrimPrefix(rest, prefix)
	}
	for _, x := range []struct {
		name, kind string
		mode       loi.Mode
	}{{"read_write", "update", loi.InOut}, {"read", "load", loi.In}, {"write", "store", loi.Out}} {
		if n, err := strconv.Atoi(strings.TrimPrefix(rest, x.name)); err == nil && strings.HasPrefix(rest, x.name) {
			return access(x.kind, x.mode, n)
		}
	}
	return nil
}

func access(kind string, mode loi.Mode, bytes int) *hook {
	return &hook{sites: []front.Site{{Kind: kind, Mode: mode, Bytes: uint64(bytes)}}}
}
