package app

import (
	"testing"

	"github.com/spf13/cobra"

	"krdlab/experiments/goprogram"
	"krdlab/loi/collect"
)

func TestWhatSampleFits(t *testing.T) {
	for _, c := range []struct {
		args []string
		fits bool
	}{
		{[]string{"--sample"}, true}, {[]string{"--sample", "--unit", "line"}, true},
		{[]string{"--unit", "datum", "--regions"}, true}, {[]string{"--sample", "--unit", "datum"}, false},
		{[]string{"--overhead", "1.5"}, true},
	} {
		var r goprogram.Request
		cmd := &cobra.Command{Use: "go"}
		programFlags(cmd, &r, unitFlag)
		sampleFlags(cmd, &r)
		if err := cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		if err := sampleFits(cmd, &r); (err == nil) != c.fits {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}

func TestSampleRates(t *testing.T) {
	for _, c := range []struct {
		args []string
		want collect.Rate
		ok   bool
	}{
		{[]string{"--sample"}, collect.Rate{}, true}, {[]string{"--sample=5%"}, collect.Rate{Share: 0.05}, true},
		{[]string{"--sample=100%", "--overhead", "1.5"}, collect.Rate{Share: 1, Overhead: 1.5}, true},
		{[]string{"--sample=5"}, collect.Rate{}, false}, {[]string{"--sample=0%"}, collect.Rate{}, false},
		{[]string{"--sample=101%"}, collect.Rate{}, false}, {[]string{"--sample=NaN%"}, collect.Rate{}, false},
		{[]string{"--sample="}, collect.Rate{}, false}, {[]string{"--overhead", "1"}, collect.Rate{}, false},
		{[]string{"--overhead", "NaN"}, collect.Rate{}, false}, {[]string{"--overhead", "Inf"}, collect.Rate{}, false},
	} {
		var r goprogram.Request
		cmd := &cobra.Command{Use: "go"}
		sampleFlags(cmd, &r)
		err := cmd.ParseFlags(c.args)
		if (err == nil) != c.ok || r.Build.Sample != c.ok || r.Rate != c.want {
			t.Errorf("%q: %+v, %v", c.args, r.Rate, err)
		}
	}
}
