package app

import (
	"cmp"
	"testing"

	"github.com/spf13/cobra"

	"krdlab/experiments/goprogram"
)

func TestWhatSampleFits(t *testing.T) {
	for _, c := range []struct {
		args []string
		fits bool
	}{
		{[]string{"--sample"}, true}, {[]string{"--sample", "--unit", "line"}, true},
		{[]string{"--unit", "datum", "--regions"}, true}, {[]string{"--sample", "--unit", "datum"}, false},
		{[]string{"--sample", "--out", "x.loi"}, false}, {[]string{"--sample", "--regions"}, false},
		{[]string{"--sample", "--sync"}, false},
	} {
		var r goprogram.Request
		cmd := &cobra.Command{Use: "go"}
		programFlags(cmd, &r, unitFlag)
		cmd.Flags().String("out", "", "")
		sampleVar(cmd, &r.Build.Sample)
		if err := cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		if err := cmp.Or(sampleFits(cmd, &r), noExcludedFlag(cmd)); (err == nil) != c.fits {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}
