package native

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/hw/failure"
	"krdlab/loi"
	"krdlab/loi/collect"
	"krdlab/loi/front"
)

// A Program was built by krdlab cc, c++ or fc, or a shared library was.
type Program struct {
	Path    string
	Sites   []front.Site
	Regions []front.Region // of functions
	Left    []front.Left
	Code    collect.Code
	Names   map[string]string // of variables, by those of the linker
	Bytes   uint64            // of memory that it takes

	sites, regions int // that there were before its own
}

// ErrProgram is wrapped by the error of a file that is no program to record.
var ErrProgram = failure.New(failure.Request, "no program that records")

// elsewhere is the number of the site of all code that is in no table, as c/krd.h has it.
const elsewhere = 1

// note is the name of the section by which a program with the runtime is known, version is its
// content's end.
const (
	note    = ".note.krdlab"
	version = 1
)

// Open reads a program: its sites, functions and lines. The error of a file that krdlab cc did not
// build, or that has no symbols or lines, wraps [ErrProgram] and has the command that rebuilds it.
func Open(path string) (*Program, error) {
	f, err := elf.Open(path)
	if _, unread := errors.AsType[*fs.PathError](err); unread {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w: it is no ELF file; name the program itself, built by krdlab cc, c++ or fc",
			path, ErrProgram)
	}
	defer f.Close()
	s := f.Section(note)
	if s == nil {
		return nil, fmt.Errorf("%s: %w: it was not built for it; rebuild it, as by %s", path, ErrProgram, rebuild(path, f))
	}
	b, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("%s: section %s: %w", path, note, err)
	}
	if len(b) < 4 || binary.LittleEndian.Uint32(b[len(b)-4:]) != version {
		return nil, fmt.Errorf("%s: %w: another version of krdlab has built it; rebuild it, as by %s", path, ErrProgram,
			rebuild(path, f))
	}
	p := &Program{Path: path, Sites: []front.Site{{Kind: front.LeftAlone, Mode: loi.Out, File: path, Bytes: 8,
		Function: "shared libraries", Object: "accesses of shared libraries"}}, Left: []front.Left{{What: "accesses of shared libraries",
		Why: "their code is in files of their own, whose lines are not read", Site: elsewhere}}}
	return p, p.read(f)
}

// OpenLibrary works like Open, for a shared library, whose sites and regions have numbers behind so many others.
func OpenLibrary(path string, sites, regions int) (*Program, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, ErrProgram, err)
	}
	defer f.Close()
	p := &Program{Path: path, sites: sites, regions: regions}
	return p, p.read(f)
}

// read reads what p is made of.
func (p *Program) read(f *elf.File) error {
	symbols, err := f.Symbols()
	if err != nil {
		return fmt.Errorf("%s: %w: it has no symbols (%v); link it without -s, and do not strip it", p.Path, ErrProgram, err)
	}
	for _, x := range f.Progs {
		if x.Type == elf.PT_LOAD {
			p.Bytes = max(p.Bytes, x.Vaddr+x.Memsz)
		}
	}
	calls, err := p.calls(f, symbols)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Path, err)
	}
	lines, err := newLines(f, symbols, calls)
	if err != nil {
		return fmt.Errorf("%s: %w: its lines cannot be read (%v); compile it with -g, which krdlab cc adds, and "+
			"do not strip it", p.Path, ErrProgram, err)
	}
	calls, lines.at = through(calls, lines.at)
	p.number(calls, lines)
	p.Names = lines.variables
	return nil
}

// rebuild returns a command that builds a program.
func rebuild(path string, f *elf.File) string {
	to := filepath.Base(path)
	needs, _ := f.ImportedLibraries()
	has := func(name string) bool {
		return slices.ContainsFunc(needs, func(n string) bool { return strings.HasPrefix(n, name) })
	}
	switch {
	case has("libgfortran"):
		return "make FC='krdlab fc', or krdlab fc -O2 -o " + to + " FILES"
	case has("libstdc++"), has("libc++"):
		return "make CXX='krdlab c++', or krdlab c++ -O2 -o " + to + " FILES"
	}
	return "make CC='krdlab cc', or krdlab cc -O2 -o " + to + " FILES"
}

// A call is a call of the runtime that makes events.
type call struct {
	pc   uint64 // where it returns to; of a function that begins, behind its first byte
	does *hook  // nil: it calls a function of the program, or is the beginning of one
	in   *code
	of   *code // that is called, or begins
}

// calls returns those in the program's code, by address, and sets p.Code.
func (p *Program) calls(f *elf.File, symbols []elf.Symbol) (calls []call, err error) {
	targets := map[uint64]*hook{}
	functions := newCodes(symbols)
	for _, s := range symbols {
		if h := hookOf(s.Name); h != nil && s.Section != elf.SHN_UNDEF {
			targets[s.Value] = h
		}
	}
	slots, err := newSlots(f)
	if err != nil {
		return nil, err
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR == 0 || s.Type != elf.SHT_PROGBITS || s.Size == 0 {
			continue
		}
		if p.Code.Bytes == 0 {
			p.Code.At = s.Addr
		}
		begin, end := min(p.Code.At, s.Addr), max(p.Code.At+p.Code.Bytes, s.Addr+s.Size+1)
		p.Code.At, p.Code.Bytes = begin, end-begin
		b, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", s.Name, err)
		}
		// A call is 0xe8 and a distance of 32 bits from the next instruction, or 0xff, 0x15 and that of a slot
		// which has the address. Other bytes that look so would have to name a function of the runtime by chance.
		for i := 0; i+5 <= len(b); i++ {
			at, length := i+1, uint64(5)
			if b[i] == 0xff && b[i+1] == 0x15 {
				at, length = i+2, 6
			} else if b[i] != 0xe8 {
				continue
			}
			if at+4 > len(b) {
				break
			}
			next := s.Addr + uint64(i) + length
			to := next + uint64(int64(int32(binary.LittleEndian.Uint32(b[at:]))))
			name := slots.names[to]
			if length == 5 {
				name = slots.stubs[to]
			}
			does := targets[to]
			if name != "" {
				does, to = hookOf(name), slots.own[name]
			}
			if does != nil {
				calls = append(calls, call{pc: next, does: does, in: functions.around(next - 1)})
			} else if f := functions.at(to); f != nil {
				calls = append(calls, call{pc: next, in: functions.around(next - 1), of: f})
			}
		}
	}
	calls = allocating(calls)
	slices.SortFunc(calls, func(a, b call) int { return int(int64(a.pc - b.pc)) })
	return calls, nil
}

// StackType is the type that the runtime gives to stacks of threads, ThreadType that of what a thread has
// of its own, as c/krd.h has them.
const (
	StackType  = 1
	ThreadType = 2
)

// Tasks is where groups of tasks have their addresses, as c/tasks.c has them.
var Tasks = collect.Variable{Name: "tasks", Address: 1 << 57, Bytes: 1 << 56, Rest: true}

// exitSite marks a call of __tsan_func_exit, as c/krd.h has it.
const exitSite = ^uint32(0)

// fromHeader marks the site of an allocation that a function from a header of the system makes, as c/krd.h
// has it: the runtime looks for its callers.
const fromHeader = 1 << 31

// number makes sites and regions of calls, and the table.
func (p *Program) number(calls []call, lines *lines) {
	p.Code.Sites = make(map[uint64]uint32, len(calls))
	for i, c := range calls {
		at := lines.at[i]
		switch c.does.kind {
		case enters:
			p.Regions = append(p.Regions, front.Region{Kind: loi.Function,
				Function: cmp.Or(at.outer, "code without a name"), File: at.file, Line: at.begins})
			p.Code.Sites[c.pc] = uint32(p.regions + len(p.Regions))
			continue
		case exits:
			p.Code.Sites[c.pc] = exitSite
			continue
		}
		p.Code.Sites[c.pc] = uint32(p.sites + len(p.Sites) + 1)
		if c.does.kind == allocations && system(at.own().file) {
			p.Code.Sites[c.pc] |= fromHeader
		}
		for _, s := range c.does.sites {
			at := &at
			if c.does.kind == allocations {
				at = at.own()
			}
			s.File, s.Line = cmp.Or(at.file, p.Path), cmp.Or(at.line, at.begins)
			s.Function = cmp.Or(at.function, "code without a name")
			if s.Object == "" {
				s.Object = "memory"
			}
			p.Sites = append(p.Sites, s)
		}
	}
}

// Executable returns the path of the program that a command starts, as a shell finds it.
func Executable(name string) (string, error) {
	if !strings.Contains(name, "/") {
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			path := filepath.Join(dir, name)
			if s, err := os.Stat(path); err == nil && s.Mode().IsRegular() && s.Mode()&0o111 != 0 {
				return path, nil
			}
		}
		return "", fmt.Errorf("%s: %w: there is none of this name in PATH; type ./%s for that of this folder", name,
			ErrProgram, name)
	}
	return name, nil
}
