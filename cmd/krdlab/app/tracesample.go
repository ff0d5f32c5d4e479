package app

import (
	"github.com/spf13/cobra"

	"krdlab/experiments/gotrace"
)

// sampleFits returns what --sample does not go with.
func sampleFits(c *cobra.Command, r *gotrace.Request) error {
	if !r.Build.Sample {
		return nil
	}
	if r.Unit != gotrace.Lines {
		return usageError("%s: --sample estimates the distances of lines; leave --%s %s out",
			c.CommandPath(), unitFlag, r.Unit)
	}
	return exclude(c, true, "--sample", "it records a part of the accesses", "out", "regions",
		"sync", "no-accesses")
}
