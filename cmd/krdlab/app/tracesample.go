package app

import (
	"github.com/spf13/cobra"

	"krdlab/experiments/goprogram"
)

// sampleVar defines --sample, which records a part of the accesses.
func sampleVar(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "sample", false, "take a sample of the accesses, in bursts, and "+
		"estimate the distances: the program takes about twice its time")
	excludes(c, "sample", "out", "regions", "sync", "no-accesses")
}

// sampleFits returns an error where --sample has another unit than lines.
func sampleFits(c *cobra.Command, r *goprogram.Request) error {
	if r.Build.Sample && r.Unit != goprogram.Lines {
		return usageError("%s: --sample estimates the distances of lines; leave --%s %s out",
			c.CommandPath(), unitFlag, r.Unit)
	}
	return nil
}
