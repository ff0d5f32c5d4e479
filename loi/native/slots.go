package native

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

// slots are the words of a file into which the loader puts addresses of functions by their names.
type slots struct {
	names map[uint64]string // by where they are
	stubs map[uint64]string // by where code jumps to what one has
	own   map[string]uint64 // where the file has a function of the name itself
}

func newSlots(f *elf.File) (*slots, error) {
	l := &slots{map[uint64]string{}, map[uint64]string{}, map[string]uint64{}}
	symbols, err := f.DynamicSymbols()
	if errors.Is(err, elf.ErrNoSymbols) {
		return l, nil
	} else if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			l.own[s.Name] = s.Value
		}
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		b, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", s.Name, err)
		}
		for ; len(b) >= 24; b = b[24:] { // of an entry: where, symbol and type, addend
			at, info := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
			n, kind := elf.R_SYM64(info), elf.R_X86_64(elf.R_TYPE64(info))
			if (kind == elf.R_X86_64_JMP_SLOT || kind == elf.R_X86_64_GLOB_DAT) && n > 0 && int(n) <= len(symbols) {
				l.names[at] = symbols[n-1].Name
			}
		}
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		b, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", s.Name, err)
		}
		for i := 0; i+6 <= len(b); i++ { // jmp *slot; endbr64 and a prefix may stand before
			if b[i] != 0xff || b[i+1] != 0x25 {
				continue
			}
			at := s.Addr + uint64(i)
			name := l.names[at+6+uint64(int64(int32(binary.LittleEndian.Uint32(b[i+2:]))))]
			if name == "" {
				continue
			}
			if i > 0 && b[i-1] == 0xf2 {
				at--
			}
			if n := at - s.Addr; n >= 4 && binary.LittleEndian.Uint32(b[n-4:]) == 0xfa1e0ff3 {
				at -= 4
			}
			l.stubs[at] = name
		}
	}
	return l, nil
}
