package imports

import (
	"bytes"
	"cmp"
	"fmt"

	"krdlab/loi"
)

// maxLackey is the largest access that is believed: lackey itself goes up to 512 bytes.
const maxLackey = 1 << 16

// A memory takes the accesses of one worker to addresses. They become numbers of cache lines; an
// access that goes over the end of one touches each of its lines.
type memory struct {
	out          *outlet
	names        interner
	lineBytes    uint64
	instructions bool // fetches of them count, as accesses to an object of their own
	at           uint64
}

func newMemory(out *outlet, opt *Options) *memory {
	out.b.kernels = append(out.b.kernels, defaultKernel)
	return &memory{out: out, lineBytes: cmp.Or(opt.LineBytes, 64), instructions: opt.Instructions}
}

func (m *memory) access(line uint64, mode loi.Mode, code bool, addr, size uint64) error {
	name := "memory"
	if code {
		if name = "code"; !m.instructions {
			return nil
		}
	}
	o, fresh := m.names.number([]byte(name))
	if fresh {
		m.out.b.objects = append(m.out.b.objects, name)
	}
	m.at++
	for block, last := addr/m.lineBytes, (addr+size-1)/m.lineBytes; ; block++ {
		*m.out.next() = row{time: m.at, end: m.at, block: block, bytes: m.lineBytes, pos: line,
			object: o, mode: mode}
		if err := m.out.add(); err != nil {
			return err
		}
		if block == last {
			return nil
		}
	}
}

// parseLackey reads the output of valgrind --tool=lackey --trace-mem=yes: " L 1ffeffe7e,8" is a
// load of 8 bytes, S a store, M both, and "I" in the first column the fetch of an instruction.
// Lines between == or --, or **, and the same are valgrind's own, and skipped.
func parseLackey(b *blocks, m *memory) error {
	seen := false
	err := b.eachLine(func(line uint64, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		seen = true
		var mode loi.Mode
		code := false
		switch {
		case text[0] == '=' || text[0] == '-' || text[0] == '*':
			if valgrindLine(text) {
				return nil
			}
		case len(text) < 3 || text[2] != ' ':
		case text[0] == 'I' && text[1] == ' ':
			mode, code = loi.In, true
		case text[0] != ' ':
		case text[1] == 'L':
			mode = loi.In
		case text[1] == 'S':
			mode = loi.Out
		case text[1] == 'M':
			mode = loi.InOut
		}
		if mode == 0 {
			return fault(line, "", "%s is no line of lackey, expected one such as \" L "+
				"1ffeffe7e,8\"; valgrind's --log-file keeps the program's own output apart",
				quoteShort(text))
		}
		addr, size, err := lackeyAccess(text[3:])
		if err != nil {
			return fault(line, "", "%v", err)
		}
		return m.access(line, mode, code, addr, size)
	})
	if err == nil && !seen {
		return fault(0, "", `empty, expected lines of lackey such as " L 1ffeffe7e,8"`)
	}
	return err
}

// lackeyAccess reads "1ffeffe7e,8": a hexadecimal address and a decimal size in bytes.
func lackeyAccess(b []byte) (addr, size uint64, err error) {
	addr, i := hexNumber(b)
	if i < 0 {
		return 0, 0, fmt.Errorf("address %s is too large, expected one of 64 bits", quoteShort(b))
	}
	if i == 0 || i == len(b) || b[i] != ',' {
		return 0, 0, fmt.Errorf("%s is no address and size, expected a hexadecimal and a decimal "+
			"number with a comma between", quoteShort(b))
	}
	digits := b[i+1:]
	for _, c := range digits {
		if c-'0' > 9 || len(digits) > 19 {
			_, err := number(append([]byte{}, digits...))
			if err == nil {
				err = fmt.Errorf("%s is not a number, expected a whole one", quoteShort(digits))
			}
			return 0, 0, fmt.Errorf("size: %w", err)
		}
		size = size*10 + uint64(c-'0')
	}
	switch {
	case len(digits) == 0:
		return 0, 0, fmt.Errorf("size: nothing, expected a number")
	case size == 0:
		return 0, 0, fmt.Errorf("size: an access of 0 bytes, expected at least 1")
	case size > maxLackey:
		return 0, 0, fmt.Errorf("size: an access of %d bytes, expected at most %d", size, maxLackey)
	case addr+size-1 < addr:
		return 0, 0, fmt.Errorf("%d bytes at address %#x, which end past 2^64", size, addr)
	}
	return addr, size, nil
}

// hexNumber reads the hexadecimal digits at the beginning of b. n is how many there are, -1 where the
// number is too large.
func hexNumber(b []byte) (v uint64, n int) {
	for ; n < len(b); n++ {
		c, d := b[n], uint64(0)
		switch {
		case c-'0' <= 9:
			d = uint64(c - '0')
		case c|0x20-'a' <= 5:
			d = uint64(c|0x20-'a') + 10
		default:
			return v, n
		}
		if v>>60 != 0 {
			return 0, -1
		}
		v = v<<4 | d
	}
	return v, n
}

// valgrindLine reports whether a line begins with a process number between two marks, "==123==".
func valgrindLine(text []byte) bool {
	mark := text[:1]
	if len(text) < 5 || text[1] != mark[0] {
		return false
	}
	i := 2
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	return i > 2 && bytes.HasPrefix(text[i:], append(mark[:1:1], mark[0]))
}
