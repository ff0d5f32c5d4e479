package shadow

import (
	"cmp"
	"fmt"
	"reflect"
	"unsafe"
)

// A Validation is how it is known which tags are valid (section 3 of the paper).
type Validation uint8

// The validations.
const (
	Baseline Validation = iota // a version for each tag
	Slim                       // SlimTV: a version for each address
	Bulk                       // BulkTV: a version for each table of addresses
)

// String returns "baseline", "slim" or "bulk".
func (v Validation) String() string { return [...]string{"baseline", "slim", "bulk"}[v] }

// VectorOptions are how vectors are kept. The zero value is the paper's baseline: a version for
// each tag, and nothing of what saves time or memory. Hierarchical critical path analysis in the
// paper (5.2, 6.2) has Bulk, a cache of 1 MiB and Compress.
type VectorOptions struct {
	Validation Validation // of the storage; the cache always has a version for each line

	Datum      int // bytes of addresses that share a vector, a power of two; 0: 8
	TableBytes int // bytes of addresses that a tag table covers, a power of two; 0: 4096

	// Cache is how many bytes of addresses the cache covers, a power of two; 0: there is no cache.
	Cache int

	// Compress compresses level tables that were not used recently, beyond Uncompressed bytes of
	// addresses (0: 4 MiB). Tags have no pointers then.
	Compress     bool
	Uncompressed int
}

// Vectors keeps a vector of tags for each address, one for each region that is open: the tag of
// level i belongs to the region that is open there, and is the zero value in a region that did not
// write it. A cache of recent vectors ([VectorOptions].Cache) stands before a storage that groups
// tags by level (section 4 of the paper).
//
// Vectors and their Levels are one goroutine's. Nothing runs beside it: the paper has freed tables
// scrubbed asynchronously; here a table is cleared where it is used next, which brings it into the
// cache of the core that writes it.
type Vectors[T comparable] struct {
	levels  *Levels
	cache   *vcache[T] // nil: none
	storage vstorage[T]
	vector  []T // what Load returned, without a cache
}

// NewVectors makes vectors for the regions of l, which it keeps. An error is a size that is no
// power of two, or tags that cannot be compressed.
func NewVectors[T comparable](l *Levels, opt VectorOptions) (*Vectors[T], error) {
	opt.Datum, opt.TableBytes = cmp.Or(opt.Datum, 8), cmp.Or(opt.TableBytes, 4<<10)
	opt.Uncompressed = cmp.Or(opt.Uncompressed, 4<<20)
	for _, x := range []struct {
		of            string
		size, atLeast int
	}{{"datum", opt.Datum, 1}, {"tag table", opt.TableBytes, opt.Datum},
		{"cache", cmp.Or(opt.Cache, opt.Datum), opt.Datum}} {
		if x.size < x.atLeast || x.size&(x.size-1) != 0 {
			return nil, fmt.Errorf("shadow: a %s of %d bytes: want a power of two, at least %d",
				x.of, x.size, x.atLeast)
		}
	}
	if tag := reflect.TypeFor[T](); opt.Compress && (hasPointers(tag) || tag.Size() == 0) {
		return nil, fmt.Errorf("shadow: tags of %v cannot be compressed", tag)
	}
	v := &Vectors[T]{levels: l}
	v.storage.init(l, opt)
	if opt.Cache > 0 {
		v.cache = newVCache(&v.storage, opt.Cache/opt.Datum)
	}
	return v, nil
}

// hasPointers reports whether a value of a type may hold what the garbage collector must see.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() > reflect.Complex128
}

// Load returns the vector of an address, one tag for each region that is open, outermost first. It
// is valid until the next call, and is not to be written.
func (v *Vectors[T]) Load(addr uint64) []T {
	if v.cache != nil {
		return v.cache.load(addr)
	}
	depth := v.levels.Depth()
	if depth > cap(v.vector) {
		v.vector = make([]T, 2*depth)
	}
	out := v.vector[:depth]
	v.storage.read(addr, out)
	return out
}

// Store writes the vector of an address: tags has one for each region that is open, and may be the
// slice that Load returned.
func (v *Vectors[T]) Store(addr uint64, tags []T) {
	tags = tags[:v.levels.Depth()]
	if v.cache != nil {
		v.cache.store(addr, tags)
	} else {
		v.storage.write(addr, tags, v.levels.Innermost())
	}
}

// Forget is told that addresses, from one up to another, are not used again: what is kept of them may
// go. Tables that are of other addresses too stay.
func (v *Vectors[T]) Forget(from, to uint64) {
	if v.cache != nil {
		v.cache.forget(from, to)
	}
	v.storage.forget(from, to)
}

// Usage returns what the vectors took so far.
func (v *Vectors[T]) Usage() Usage {
	u := v.storage.usage
	if v.cache != nil {
		u.Hits, u.Misses = v.cache.hits, v.cache.misses
		u.Evictions = v.cache.evictions
	}
	return u
}

// sizeOf returns the bytes of a value of type T.
func sizeOf[T any]() int {
	var x T
	return int(unsafe.Sizeof(x))
}
