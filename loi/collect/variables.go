package collect

import (
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Variable is a variable of a package.
type Variable struct {
	Name           string // with its package: main.table
	Address, Bytes uint64
	// Rest records that it stands for all bytes in its range without another variable: the part of
	// a section of the executable beside variables with a name.
	Rest bool
}

// A Program holds the facts of an executable's file: its variables, and the names of its types by
// address.
type Program struct {
	Variables []Variable
	functions map[uint64]string // by address
	data      []section
	types     uint64 // names of types are told by their offset from here
	text      uint64
	lines     *gosym.Table // made when it is first asked for
	root      string       // of the standard library, known then; "" where paths are trimmed
	modules   []string     // that it is built of
}

type section struct {
	name  string
	addr  uint64
	bytes []byte
}

// Constants is the name of the variable that stands for all constants of a program, such as the
// bytes of its strings.
const Constants = "constants"

// Unnamed is that of the variables that have no name, such as the elements of a literal that a
// variable of a package begins with.
const Unnamed = "variables without a name"

// OpenProgram reads an executable (ELF) that Go has built for 64 bits, not as
// position-independent, with its symbols.
func OpenProgram(path string) (*Program, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("read the program %s: %w", path, err)
	}
	p := &Program{functions: make(map[uint64]string)}
	if info, err := buildinfo.ReadFile(path); err == nil {
		p.modules = append(p.modules, info.Main.Path)
		for _, m := range info.Deps {
			p.modules = append(p.modules, m.Path)
		}
	}
	for _, s := range symbols {
		if s.Name == "runtime.types" {
			p.types = s.Value
		}
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF {
			p.functions[s.Value] = s.Name
		}
		if s.Size == 0 || elf.ST_TYPE(s.Info) != elf.STT_OBJECT ||
			int(s.Section) >= len(f.Sections) {
			continue
		}
		if f.Sections[s.Section].Flags&elf.SHF_WRITE == 0 || strings.HasPrefix(s.Name, "runtime.") {
			continue
		}
		p.Variables = append(p.Variables, Variable{Name: s.Name, Address: s.Value, Bytes: s.Size})
	}
	for _, s := range f.Sections {
		if s.Name == ".text" {
			p.text = s.Addr
		}
		if s.Flags&elf.SHF_WRITE != 0 && s.Flags&elf.SHF_ALLOC != 0 && s.Size > 0 {
			p.Variables = append(p.Variables, Variable{Unnamed, s.Addr, s.Size, true})
		}
		if s.Flags&elf.SHF_ALLOC == 0 || s.Type != elf.SHT_PROGBITS ||
			s.Flags&elf.SHF_EXECINSTR != 0 {
			continue
		}
		if s.Name == ".rodata" && s.Size > 0 {
			p.Variables = append(p.Variables, Variable{Constants, s.Addr, s.Size, true})
		}
		b, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("read the program %s: section %s: %w", path, s.Name, err)
		}
		p.data = append(p.data, section{s.Name, s.Addr, b})
	}
	return p, nil
}

// Function returns the name of the function at an address, as the compiler has it; that of the
// program's own main for the runtime's.
func (p *Program) Function(addr uint64) string {
	if name := p.functions[addr]; name != "runtime.main" {
		return name
	}
	return "main.main"
}

// Loaded adds the functions of a library that stands so far from where its linker placed it.
func (p *Program) Loaded(library *Program, base uint64) {
	for at, name := range library.functions {
		p.functions[base+at] = name
	}
}

// Where names the function and the line of the source that did what the innermost of these calls
// did for it: "main.worker, main.go:7". Functions of the standard library are passed over, unless
// there are no others; the line is missing where such a one was inlined. "" if the program's file
// does not tell.
func (p *Program) Where(pcs []uint64) string {
	first := ""
	for _, pc := range pcs {
		line, f := p.line(pc)
		if f == nil {
			continue
		}
		where := f.Name
		if line != "" {
			where += ", " + line
		}
		if entry, _ := p.line(f.Entry + 1); entry != "" {
			return where
		}
		first = cmp.Or(first, where)
	}
	return first
}

// Line names the line of the source of the call that returns to a place in the code: "main.go:7". ""
// if that is the standard library's, or the program's file does not tell.
func (p *Program) Line(pc uint64) string {
	line, _ := p.line(pc)
	return line
}

// line returns Line and the function, nil if the program's file does not have it.
func (p *Program) line(pc uint64) (line string, f *gosym.Func) {
	if p.lines == nil {
		for _, s := range p.data {
			if s.name == ".gopclntab" {
				p.lines, _ = gosym.NewTable(nil, gosym.NewLineTable(s.bytes, p.text))
			}
		}
		if p.lines == nil {
			return "", nil
		}
		if main := p.lines.LookupFunc("runtime.morestack"); main != nil {
			file, _, _ := p.lines.PCToLine(main.Entry)
			p.root, _ = strings.CutSuffix(file, "runtime/asm_amd64.s")
		}
	}
	file, n, f := p.lines.PCToLine(pc - 1)
	if f == nil || p.standard(file) {
		return "", f
	}
	return filepath.Base(file) + ":" + strconv.Itoa(n), f
}

// standard reports whether a file is the standard library's. Where paths are trimmed (go build
// -trimpath) they begin with the import path of the package, and with a version behind that of the
// module; those of a package that is named by its files have none.
func (p *Program) standard(file string) bool {
	if p.root != "" {
		return strings.HasPrefix(file, p.root)
	}
	file = strings.TrimPrefix(file, "./")
	return strings.Contains(file, "/") && !slices.ContainsFunc(p.modules, func(m string) bool {
		rest, ok := strings.CutPrefix(file, m)
		return ok && m != "" && (strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "@"))
	})
}

// at returns the bytes from an address on, nil if the file has none there.
func (p *Program) at(addr uint64) []byte {
	for _, s := range p.data {
		if addr-s.addr < uint64(len(s.bytes)) {
			return s.bytes[addr-s.addr:]
		}
	}
	return nil
}

// TypeName returns the name of the type at an address, such as *main.node; "" if it has none in the
// file, as those that were made by reflection.
func (p *Program) TypeName(addr uint64) string {
	// internal/abi.Type: flags at 20, offset of the name at 40
	const flagsAt, nameAt, extraStar = 20, 40, 1 << 1
	t := p.at(addr)
	if len(t) < 48 || p.types == 0 {
		return ""
	}
	off := int32(binary.LittleEndian.Uint32(t[nameAt:]))
	n := p.at(p.types + uint64(off))
	if off < 0 || len(n) < 2 {
		return ""
	}
	length, k := binary.Uvarint(n[1:])
	if k <= 0 || uint64(len(n)) < uint64(1+k)+length {
		return ""
	}
	name := string(n[1+k : 1+k+int(length)])
	if t[flagsAt]&extraStar != 0 {
		name = strings.TrimPrefix(name, "*")
	}
	return name
}
