package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"krdlab/krd"
)

// A size is a flag's number of bytes: digits, and perhaps K, M, G or T, which are binary, with or without iB or B.
type size uint64

// Set reads s.
func (b *size) Set(s string) error {
	digits, unit := s, uint64(1)
	suffix := strings.TrimLeft(s, "0123456789")
	if suffix != "" {
		digits = strings.TrimSuffix(s, suffix)
		i := strings.Index("BKMGT", strings.ToUpper(suffix[:1]))
		rest := strings.ToUpper(suffix[1:])
		if i < 0 || rest != "" && (i == 0 || rest != "B" && rest != "IB") {
			return fmt.Errorf("%q is no size", s)
		}
		unit <<= 10 * i
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n == 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("%q is no size", s)
	}
	*b = size(n * unit)
	return nil
}

// String returns "" for no size, which is the default.
func (b *size) String() string {
	if *b == 0 {
		return ""
	}
	return krd.FormatBytes(uint64(*b))
}

// Type names the values for messages.
func (b *size) Type() string { return "size, such as 512M or 2G" }
