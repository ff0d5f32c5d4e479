package app

import (
	"github.com/spf13/cobra"

	"krdlab/experiments/goprogram"
)

// sampleFits returns what --sample does not go with.
func sampleFits(c *cobra.Command, r *goprogram.Request) error {
	if !r.Build.Sample {
		return nil
	}
	if r.Unit != goprogram.Lines {
		return usageError("%s: --sample estimates the distances of lines; leave --%s %s out",
			c.CommandPath(), unitFlag, r.Unit)
	}
	return exclude(c, true, "--sample", "it records a part of the accesses", "out", "regions",
		"sync", "no-accesses")
}
