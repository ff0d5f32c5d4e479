package native

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// A place is where a call stands in the source.
type place struct {
	function string // the innermost, which may be inlined
	outer    string // in whose code it is
	file     string
	line     int
	begins   int    // line of outer
	caller   *place // of the code in it that is inlined from a header of the system: where that is called
}

// system reports whether a file comes with the compiler or the system, as headers of the C++ library do.
func system(file string) bool {
	return strings.HasPrefix(file, "/usr/include/") || strings.HasPrefix(file, "/usr/lib") ||
		strings.Contains(file, "/include/c++/") || strings.HasSuffix(file, "/krdlab/"+oneTBB)
}

// own returns where code is, or where it is called that comes inlined from a header of the system.
func (p *place) own() *place {
	if system(p.file) && p.caller != nil {
		return p.caller
	}
	return p
}

// lines has the place of each call, by its index.
type lines struct {
	at    []place
	calls []call
	d     *dwarf.Data
	names map[dwarf.Offset]naming

	variables map[string]string // by the linker's names, where these are others
}

// A naming is what the entry of a function has of its name.
type naming struct {
	name, within string
	of           dwarf.Offset // the entry that it is an instance or the definition of; 0: none
	line         int
}

// newLines finds the places of calls, which are in the order of their addresses. It reads each unit of
// the debugging information once.
func newLines(f *elf.File, symbols []elf.Symbol, calls []call) (*lines, error) {
	d, err := f.DWARF()
	if err != nil {
		return nil, err
	}
	l := &lines{at: make([]place, len(calls)), calls: calls, d: d, names: map[dwarf.Offset]naming{},
		variables: map[string]string{}}
	l.symbols(symbols)
	units := 0
	r := d.Reader()
	for {
		unit, err := r.Next()
		if err != nil {
			return nil, err
		}
		if unit == nil {
			break
		}
		units++
		if err := l.named(r, unit, ""); err != nil {
			return nil, err
		}
	}
	if units == 0 {
		return nil, errors.New("there are none")
	}
	for r := d.Reader(); ; {
		unit, err := r.Next()
		if err != nil {
			return nil, err
		}
		if unit == nil {
			return l, nil
		}
		ranges, err := d.Ranges(unit)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(ranges, func(x [2]uint64) bool { i, j := l.within(x); return i < j }) {
			r.SkipChildren()
			continue
		}
		if err := l.table(unit); err != nil {
			return nil, err
		}
		if err := l.functions(r, unit); err != nil {
			return nil, err
		}
	}
}

// symbols sets the functions of all calls by the linker's names, for code without debugging information.
func (l *lines) symbols(list []elf.Symbol) {
	for _, s := range list {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 {
			continue
		}
		from, to := l.within([2]uint64{s.Value, s.Value + s.Size})
		for i := from; i < to; i++ {
			l.at[i].function, l.at[i].outer = s.Name, s.Name
		}
	}
}

// within returns which calls are in a range of code.
func (l *lines) within(x [2]uint64) (from, to int) {
	find := func(pc uint64) int {
		i, _ := slices.BinarySearchFunc(l.calls, pc, func(c call, pc uint64) int {
			return int(int64(c.pc - 1 - pc)) // the call's own bytes are before where it returns to
		})
		return i
	}
	return find(x[0]), find(x[1])
}

// named notes the names of the functions in an entry, whose own name is a prefix of theirs if it is a
// namespace, a class or a module.
func (l *lines) named(r *dwarf.Reader, in *dwarf.Entry, within string) error {
	if !in.Children {
		return nil
	}
	for {
		e, err := r.Next()
		if err != nil {
			return err
		}
		if e == nil || e.Tag == 0 {
			return nil
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		inner := within
		switch e.Tag {
		case dwarf.TagSubprogram:
			n := naming{name: name, within: within}
			n.of = origin(e)
			if line, ok := e.Val(dwarf.AttrDeclLine).(int64); ok {
				n.line = int(line)
			}
			l.names[e.Offset] = n
		case dwarf.TagNamespace, dwarf.TagClassType, dwarf.TagStructType, dwarf.TagUnionType, dwarf.TagModule:
			if name != "" {
				inner += name + "::"
			}
		case dwarf.TagVariable, dwarf.TagMember:
			if linked, ok := e.Val(dwarf.AttrLinkageName).(string); ok && name != "" {
				l.variables[linked] = within + name
			}
			continue
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
		default:
			if e.Children {
				r.SkipChildren()
			}
			continue
		}
		if err := l.named(r, e, inner); err != nil {
			return err
		}
	}
}

func origin(e *dwarf.Entry) dwarf.Offset {
	for _, a := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		if o, ok := e.Val(a).(dwarf.Offset); ok {
			return o
		}
	}
	return 0
}

// name returns that of a function, with those that it is in, and its line.
func (l *lines) name(at dwarf.Offset) (name string, line int) {
	for range 8 { // an instance, its abstract one, the declaration in a class
		n, ok := l.names[at]
		if !ok {
			break
		}
		if line == 0 {
			line = n.line
		}
		if n.name != "" && (n.of == 0 || n.within != "") {
			return n.within + n.name, line
		}
		if n.name != "" {
			name = n.name
		}
		if n.of == 0 {
			break
		}
		at = n.of
	}
	return name, line
}

// mostName is how long the name of a function is at most that stands with the arguments of its templates.
const mostName = 80

// short returns a name, where it is long without the arguments of templates.
func short(name string) string {
	if len(name) <= mostName {
		return name
	}
	var b strings.Builder
	depth := 0
	for i, r := range name {
		switch {
		case r == '<' && !strings.HasSuffix(name[:i], "operator") && !strings.HasSuffix(name[:i], "operator<"):
			depth++
		case r == '>' && depth > 0 && !strings.HasSuffix(name[:i], "-"):
			if depth--; depth == 0 {
				b.WriteString("<...>")
			}
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// table sets the files and lines of the calls of a unit.
func (l *lines) table(unit *dwarf.Entry) error {
	t, err := l.d.LineReader(unit)
	if err != nil || t == nil {
		return err
	}
	dir, _ := unit.Val(dwarf.AttrCompDir).(string)
	var e, before dwarf.LineEntry
	for known := false; ; {
		if err := t.Next(&e); err != nil {
			return nil // io.EOF, or a table that ends too early: what it has is there
		}
		if known && before.File != nil && e.Address > before.Address {
			from, to := l.within([2]uint64{before.Address, e.Address})
			for i := from; i < to; i++ {
				file := before.File.Name
				if !filepath.IsAbs(file) {
					file = filepath.Join(dir, file)
				}
				l.at[i].file, l.at[i].line = file, before.Line
			}
		}
		known, before = !e.EndSequence, e
	}
}

// functions sets the functions of the calls of a unit: an inner one comes after the one around it.
func (l *lines) functions(r *dwarf.Reader, unit *dwarf.Entry) error {
	if !unit.Children {
		return nil
	}
	var files []*dwarf.LineFile
	dir, _ := unit.Val(dwarf.AttrCompDir).(string)
	if t, err := l.d.LineReader(unit); err == nil && t != nil {
		files = t.Files()
	}
	for depth := 1; depth > 0; {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			depth--
			continue
		}
		if e.Children {
			depth++
		}
		if e.Tag != dwarf.TagSubprogram && e.Tag != dwarf.TagInlinedSubroutine {
			continue
		}
		ranges, err := l.d.Ranges(e)
		if err != nil {
			return err
		}
		of := e.Offset
		if e.Tag == dwarf.TagInlinedSubroutine {
			of = origin(e)
		}
		for _, x := range ranges {
			from, to := l.within(x)
			if from == to {
				continue
			}
			name, line := l.name(of)
			name = short(name)
			file, at := calledAt(e, files, dir)
			for i := from; i < to; i++ {
				if file != "" && !system(file) {
					l.at[i].caller = &place{function: l.at[i].function, file: file, line: at}
				}
				l.at[i].function = name
				if e.Tag == dwarf.TagSubprogram {
					l.at[i].outer, l.at[i].begins = name, line
				}
			}
		}
	}
	return nil
}

// calledAt returns where inlined code is called; no file: that is not known.
func calledAt(e *dwarf.Entry, files []*dwarf.LineFile, dir string) (file string, line int) {
	n, is := e.Val(dwarf.AttrCallFile).(int64)
	if at, told := e.Val(dwarf.AttrCallLine).(int64); is && told && n >= 0 && n < int64(len(files)) && files[n] != nil {
		if file, line = files[n].Name, int(at); !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
	}
	return file, line
}
