package imports

import (
	"bytes"
	"strings"

	"krdlab/loi"
)

// parseDin reads lines of Dinero: a label (0 a read, 1 a write, 2 the fetch of an instruction) and a
// hexadecimal address. The rest of a line is a remark. Accesses have so many bytes each.
func parseDin(b *blocks, m *memory, bytes uint64) error {
	seen := false
	err := b.eachLine(func(line uint64, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		seen = true
		label, addr, ok := dinAccess(text)
		switch {
		case !ok:
			return fault(line, "", "%s is no line of Dinero, expected a label (0 read, 1 write, 2 fetch "+
				"of an instruction) and a hexadecimal address of 64 bits, such as \"0 7fff10\"",
				quoteShort(text))
		case addr+bytes-1 < addr:
			return fault(line, "", "%d bytes at address %#x, which end past 2^64", bytes, addr)
		}
		return m.access(line, [...]loi.Mode{loi.In, loi.Out, loi.In}[label], label == 2, addr, bytes)
	})
	if err == nil && !seen {
		return fault(0, "", "empty, expected lines of Dinero with a label and an address")
	}
	return err
}

// dinAccess cuts a line of Dinero.
func dinAccess(text []byte) (label, addr uint64, ok bool) {
	fields := bytes.Fields(text)
	if len(fields) < 2 || len(fields[0]) != 1 || fields[0][0]-'0' > 2 {
		return 0, 0, false
	}
	digits := bytes.TrimPrefix(bytes.ToLower(fields[1]), []byte("0x"))
	addr, n := hexNumber(digits)
	return uint64(fields[0][0] - '0'), addr, n > 0 && n == len(digits)
}

// looksLikeDin reports whether each whole line of the beginning of a file is one of Dinero.
func looksLikeDin(head string) bool {
	lines := strings.SplitAfter(strings.TrimSuffix(head, "\n")+"\n", "\n")
	for _, line := range lines[:max(1, len(lines)-2)] { // the last may be cut off
		if _, _, ok := dinAccess([]byte(line)); !ok {
			return false
		}
	}
	return true
}
