package imports

import (
	"bytes"
	"fmt"

	"krdlab/loi"
)

// maxLackey is the largest access that is believed: lackey itself goes up to 512 bytes.
const maxLackey = 1 << 16

// parseLackey reads the output of valgrind --tool=lackey --trace-mem=yes: " L 1ffeffe7e,8" is a
// load of 8 bytes, S a store, M both, and "I" in the first column the fetch of an instruction.
// Lines between == or --, or **, and the same are valgrind's own, and skipped. Addresses become
// numbers of cache lines; an access that goes over the end of one touches each of its lines.
func parseLackey(b *blocks, out *outlet, lineBytes uint64, instructions bool) error {
	out.b.kernels = append(out.b.kernels, defaultKernel)
	var names interner
	object := func(name string) uint32 {
		n, fresh := names.number([]byte(name))
		if fresh {
			out.b.objects = append(out.b.objects, name)
		}
		return n
	}
	var at uint64
	seen := false
	err := b.eachLine(func(line uint64, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		seen = true
		var mode loi.Mode
		name := "memory"
		switch {
		case text[0] == '=' || text[0] == '-' || text[0] == '*':
			if valgrindLine(text) {
				return nil
			}
		case len(text) < 3 || text[2] != ' ':
		case text[0] == 'I' && text[1] == ' ':
			mode, name = loi.In, "code"
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
		if name == "code" && !instructions {
			return nil
		}
		at++
		o := object(name)
		for block, last := addr/lineBytes, (addr+size-1)/lineBytes; ; block++ {
			*out.next() = row{time: at, end: at, block: block, bytes: lineBytes, pos: line,
				object: o, mode: mode}
			if err := out.add(); err != nil {
				return err
			}
			if block == last {
				return nil
			}
		}
	})
	if err == nil && !seen {
		return fault(0, "", `empty, expected lines of lackey such as " L 1ffeffe7e,8"`)
	}
	return err
}

// lackeyAccess reads "1ffeffe7e,8": a hexadecimal address and a decimal size in bytes.
func lackeyAccess(b []byte) (addr, size uint64, err error) {
	i := 0
	for ; i < len(b); i++ {
		c, d := b[i], uint64(0)
		switch {
		case c-'0' <= 9:
			d = uint64(c - '0')
		case c|0x20-'a' <= 5:
			d = uint64(c|0x20-'a') + 10
		default:
			goto comma
		}
		if addr>>60 != 0 {
			return 0, 0, fmt.Errorf("address %s is too large, expected one of 64 bits",
				quoteShort(b))
		}
		addr = addr<<4 | d
	}
comma:
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

// valgrindLine tells whether a line begins with a process number between two marks, "==123==".
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
