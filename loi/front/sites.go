package front

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/loi"
)

// A Site is a place in the source that makes events; the agent's calls name it by its number.
type Site struct {
	// Kind is the kind of access: "load", "store", "update" (read, then written), "string" (a byte
	// of one), "map" (an entry is looked up, stored, updated or deleted: see Mode), "range" (an
	// element is visited), "range-map", "append" (the slice before, and the one after),
	// "append-from", "copy-to", "copy-from", "convert" (a slice, to a string), "clear", "new",
	// "make", "make-map", "literal" or "literal-map".
	Kind     string
	Mode     loi.Mode // 0 for allocations without initial values
	File     string   // absolute path of the original
	Line     int
	Function string // "main.f", "(*main.Tree).Insert", "main.f.func1"
	Loop     int    // line of the innermost loop in the function, or 0
	Object   string // "main.Basket.ctr", "[]float64", "main.global", "map[string]int"
	// Bytes is the size of one datum as accessed; of an append, the appended datum. 0 where the
	// event itself has it (an Extent follows), and of appends of a whole slice.
	Bytes   uint64
	Leaves  []Leaf // what it is made of, if more than one
	Element uint64 // bytes of an element, where the event is of slices, arrays or strings
	// Items is how many elements an append appends, 0: those of a slice; how many a literal of an
	// array stores; or how many data each count of a LeftAlone is of, 0: one.
	Items int
	// Fields are the fields that a literal of a structure stores whose layout depends on a type
	// parameter.
	Fields []int
	// Across is how loops walk the accessed data from row to row: "a[i][j] with j outside"; "":
	// they do not.
	Across  string
	Instead string  // what would be walked so if the loops changed places: "b[j][i]"; "": nothing
	Struct  *Struct // the outermost that the datum is within, or is; nil: none
	// Walk is how loops or calls come to the object by pointers, nil: they do not. Step: it is that pointer.
	Walk *Walk
	Step bool
	// Scan is the pointer by which the innermost loop comes to the object, one an iteration, in the order of a slice
	// or array; "": there is none.
	Scan string
	// Unseen are the sites of a [SteadyLoop].
	Unseen []int
}

// Stores reports whether a literal stores a field or element.
func (s *Site) Stores(i int) bool { return i < s.Items || slices.Contains(s.Fields, i) }

// What describes the accesses of s: "load of main.tree.left".
func (s *Site) What() string {
	if s.Kind == LeftAlone {
		return s.Object
	}
	if words, ok := kindWords[s.Kind]; ok {
		return words + " " + s.Object
	}
	return s.Kind + " of " + s.Object
}

// kindWords are kinds for people, where they are not "load of" and the like.
var kindWords = map[string]string{"string": "byte of", "map": "entry of", "range": "visit of",
	"range-map": "visit of", "append": "append to", "append-from": "append from", "copy-to": "copy to",
	"copy-from": "copy from", "convert": "conversion of", "new": "initial values of", "literal": "initial values of"}

// everything, as Items, is all that a type has.
const everything = 1 << 30

// LeftAlone is the kind of a site whose accesses are counted only.
const LeftAlone = "left"

// SteadyLoop is the kind of what counts the iterations of a loop that a sample runs unseen: it is no
// access.
const SteadyLoop = "loop"

// Atomic is the kind of a site of an atomic operation: it is no access, but what an event of it names.
const Atomic = "atomic operation"

// A Leaf is a part of a datum that has no parts: a number, a pointer, the header of a string, of a
// slice or of an interface.
type Leaf struct {
	Offset, Bytes uint64
	Name          string // ".p.x", "[2].y"
	Object        string // as of a site that accesses it alone: "main.point.x"; "": it is the datum
}

// A Declared is a local variable and where it is declared, with line directives taken into account;
// column 0 is one that is not known.
type Declared struct {
	Package, Name string
	At            token.Position
}

// Left is something that is not observed.
type Left struct {
	Position  token.Position
	What, Why string
	Site      int // that counts its accesses, 0: they are not counted
	at        token.Pos
}

// LeftFile returns a file that is left alone.
func LeftFile(path, why string) Left {
	return Left{Position: token.Position{Filename: path}, What: wholeFile, Why: why}
}

// LeftPackages returns packages that are left alone.
func LeftPackages(paths []string, why string) Left {
	return Left{What: wholePackages + strings.Join(paths, ", "), Why: why}
}

// Whole reports that it is a file, a package or packages.
func (l *Left) Whole() bool {
	return l.What == wholeFile || strings.HasPrefix(l.What, wholePackage) ||
		strings.HasPrefix(l.What, wholePackages)
}

// String returns one line.
func (l *Left) String() string {
	what := l.What
	if what == wholeFile {
		what += " " + filepath.Base(l.Position.Filename)
	}
	return what + ": " + l.Why
}

const (
	wholeFile     = "file"
	wholePackage  = "package "
	wholePackages = "packages "
)

// MostLeaves bounds Site.Leaves: a datum of more leaves is one datum.
const MostLeaves = 256

// leaves takes t apart; nil if it is one leaf or more than MostLeaves.
func leaves(sizes types.Sizes, t types.Type) []Leaf {
	all := appendLeaves(sizes, nil, t, Leaf{})
	if len(all) < 2 || len(all) > MostLeaves {
		return nil
	}
	return all
}

// appendLeaves appends those of t, which is a part as given.
func appendLeaves(sizes types.Sizes, all []Leaf, t types.Type, part Leaf) []Leaf {
	if len(all) > MostLeaves {
		return all
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i)
		}
		owner := typeString(t)
		if _, named := types.Unalias(t).(*types.Named); !named && part.Object != "" {
			owner = part.Object
		}
		for i, offset := range sizes.Offsetsof(fields) {
			if f := fields[i]; f.Name() != "_" {
				all = appendLeaves(sizes, all, f.Type(), Leaf{Offset: part.Offset + uint64(offset),
					Name: part.Name + "." + f.Name(), Object: owner + "." + f.Name()})
			}
		}
		return all
	case *types.Array:
		each := sizes.Sizeof(u.Elem())
		for i := int64(0); i < u.Len() && each > 0 && len(all) <= MostLeaves; i++ {
			all = appendLeaves(sizes, all, u.Elem(), Leaf{Offset: part.Offset + uint64(i*each),
				Name: fmt.Sprintf("%s[%d]", part.Name, i), Object: typeString(t)})
		}
		return all
	}
	if part.Bytes = uint64(sizes.Sizeof(t)); part.Bytes > 0 {
		all = append(all, part)
	}
	return all
}

// parametric reports that the size of t depends on a type parameter.
func parametric(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Array:
		return parametric(t.Elem())
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			if mentions(t.TypeArgs().At(i)) {
				return true
			}
		}
		// A type declared in a generic function may use its parameters without arguments.
		return t.Obj().Parent() != nil && t.Obj().Pkg() != nil &&
			t.Obj().Parent() != t.Obj().Pkg().Scope() && parametric(t.Underlying())
	case *types.Struct:
		for i := range t.NumFields() {
			if parametric(t.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

// mentions reports that a type parameter occurs in t, at any depth that a type argument can have.
func mentions(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			if mentions(t.TypeArgs().At(i)) {
				return true
			}
		}
		return false
	case interface{ Elem() types.Type }: // pointer, slice, array, channel, map
		if m, ok := t.(*types.Map); ok && mentions(m.Key()) {
			return true
		}
		return mentions(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if mentions(t.Field(i).Type()) {
				return true
			}
		}
		return false
	case *types.Basic:
		return false
	}
	return true // functions, interfaces: their sizes are known, but it is not worth the care
}

// core returns the type that all types of t's type set have below them, nil if there is none.
func core(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	var found types.Type
	i, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for j := range i.NumEmbeddeds() {
		u, ok := i.EmbeddedType(j).(*types.Union)
		var terms []types.Type
		if !ok {
			terms = []types.Type{i.EmbeddedType(j)}
		} else {
			for k := range u.Len() {
				terms = append(terms, u.Term(k).Type())
			}
		}
		for _, term := range terms {
			if _, ok := term.Underlying().(*types.Interface); ok {
				return nil // constraints within constraints: nothing here needs them
			}
			if found != nil && !types.Identical(found, term.Underlying()) {
				return nil
			}
			found = term.Underlying()
		}
	}
	return found
}
