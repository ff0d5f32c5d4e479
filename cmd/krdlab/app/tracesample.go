package app

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/goprogram"
)

// sampleFlags defines the flags of a sample.
func sampleFlags(c *cobra.Command, r *goprogram.Request) {
	f := c.Flags()
	f.Var(&sampleRate{r}, "sample", "take a sample of the accesses, in bursts, and estimate the "+
		"distances: the program takes 1.5 to 13 times its time, often 6; or record about a `SHARE` of them, "+
		"as in --sample=5%")
	f.Lookup("sample").NoOptDefVal = someRate
	f.Var(&overhead{r}, "overhead", "take a sample, and let recording lengthen the program's CPU time to "+
		"so many `TIMES` what it takes with nothing recorded; it comes before a share")
}

// someRate is the value of --sample without one.
const someRate = "some"

// A sampleRate is the value of --sample.
type sampleRate struct{ r *goprogram.Request }

// Set reads s, a share in percent.
func (x *sampleRate) Set(s string) error {
	if s == someRate {
		x.r.Build.Sample, x.r.Rate.Share = true, 0
		return nil
	}
	n, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(n, 64)
	if err != nil || !percent || !(v > 0 && v <= 100) {
		return fmt.Errorf("expected a share of the accesses above 0%% and up to 100%%, such as 5%%")
	}
	x.r.Build.Sample, x.r.Rate.Share = true, v/100
	return nil
}

// String returns "" for no sample, which is the default, and someRate for one of no share.
func (x *sampleRate) String() string {
	switch {
	case x.r == nil || !x.r.Build.Sample:
		return ""
	case x.r.Rate.Share == 0:
		return someRate
	}
	return fmt.Sprintf("%g%%", 100*x.r.Rate.Share)
}

// Type names the values for messages.
func (x *sampleRate) Type() string { return "share above 0% and up to 100%, such as 5%" }

// An overhead is the value of --overhead.
type overhead struct{ r *goprogram.Request }

// Set reads s, a factor.
func (x *overhead) Set(s string) error {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 1) || math.IsInf(v, 0) {
		return fmt.Errorf("expected a number above 1, such as 1.5: the program's time, times so many")
	}
	x.r.Build.Sample, x.r.Rate.Overhead = true, v
	return nil
}

// String returns "" for none, which is the default.
func (x *overhead) String() string {
	if x.r == nil || x.r.Rate.Overhead == 0 {
		return ""
	}
	return fmt.Sprint(x.r.Rate.Overhead)
}

// Type names the values for messages.
func (x *overhead) Type() string { return "number above 1, such as 1.5" }

// sampleFits returns what --sample and --overhead do not go with.
func sampleFits(c *cobra.Command, r *goprogram.Request) error {
	if !r.Build.Sample {
		return nil
	}
	flag := "--sample"
	if !c.Flags().Changed("sample") {
		flag = "--overhead"
	}
	if r.Unit != goprogram.Lines {
		return usageError("%s: %s estimates the distances of lines; leave --%s %s out",
			c.CommandPath(), flag, unitFlag, r.Unit)
	}
	return nil
}
