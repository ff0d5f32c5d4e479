package app

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/hw/units"
	"krdlab/krd/smith"
)

const cachesFlag = "caches"

// cachesVar defines the flag that describes caches which the operating system does not tell.
func cachesVar(p *pflag.FlagSet, text *string) {
	p.StringVar(text, cachesFlag, "", "the caches of this computer, `L1D,L2,LLC`, where the system "+
		"does not tell them or tells others: 48KiB:12,1MiB:16,32MiB:16")
	expects(p, cachesFlag, "expected SIZE:WAYS[:LINE] of L1D, L2 and LLC, such as "+
		"48KiB:12,1MiB:16,32MiB:16")
}

// withCaches is t with the caches of the flag; t itself where there is none.
func withCaches(t *hw.Topology, text string) (*hw.Topology, error) {
	if text == "" {
		return t, nil
	}
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return nil, usageError("--%s %s: %s; expected three, L1D,L2,LLC, such as "+
			"48KiB:12,1MiB:16,32MiB:16", cachesFlag, text, units.Count(len(parts), "cache"))
	}
	var told [3]hw.Cache
	for i, part := range parts {
		c, err := smith.Parse(part)
		if err != nil {
			return nil, usageError("--%s %s: %w", cachesFlag, text, err)
		}
		told[i] = hw.Cache{Level: i + 1, Bytes: hw.Size(c.Bytes), Ways: int(c.Ways),
			LineBytes: int(c.LineBytes)}
	}
	out := *t
	out.CPUs = slices.Clone(t.CPUs)
	for i := range out.CPUs {
		cpu := &out.CPUs[i]
		for k, at := range []*hw.Cache{&cpu.L1d, &cpu.L2, &cpu.LLC} {
			shared := at.CPUs
			*at = told[k]
			at.CPUs = shared
		}
	}
	return &out, nil
}

// sayCaches notes in the sources of m that its caches are those of the flag.
func sayCaches(m *machine.Machine, text string) {
	if text == "" {
		return
	}
	for _, path := range []string{"l1", "l2", "llc"} {
		m.Sources[path] = "told: --" + cachesFlag + " " + text
	}
}
