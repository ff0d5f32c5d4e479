package app

import (
	"github.com/spf13/pflag"

	"krdlab/hw/units"
)

// A size is a flag's number of bytes, as [units.ParseBytes] reads it.
type size uint64

// Set reads s.
func (b *size) Set(s string) error {
	n, err := units.ParseBytes(s)
	if err != nil {
		return err
	}
	*b = size(n)
	return nil
}

// String returns "" for no size, which is the default.
func (b *size) String() string {
	if *b == 0 {
		return ""
	}
	return units.Bytes(uint64(*b))
}

// Type names the values for messages.
func (b *size) Type() string { return "size, such as 512M or 2G" }

// traceLimitVar defines the flag of how large a trace may become.
func traceLimitVar(p *pflag.FlagSet, to *uint64, then string) {
	p.Var((*size)(to), "trace-limit", "largest `SIZE` of a trace file, such as 512M; records that do "+
		"not fit are discarded and counted"+then)
}
