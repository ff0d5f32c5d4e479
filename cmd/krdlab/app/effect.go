package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"krdlab/experiments/run/request"
)

// needsNote annotates a flag that has an effect only with others: their names.
const needsNote = "krdlab-needs"

// needs notes that flags have an effect only with the flag with, for which example is the text to
// add; [noIdleFlag] refuses them without it.
func needs(flags *pflag.FlagSet, with, example string, names ...string) {
	for _, name := range names {
		if flags.Lookup(with) == nil {
			panic("there is no flag " + with)
		}
		if err := flags.SetAnnotation(name, needsNote, []string{with, example}); err != nil {
			panic(err) // the flag is not defined
		}
	}
}

// noIdleFlag returns an error for the first flag that is given without the one that it needs.
func noIdleFlag(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if with := f.Annotations[needsNote]; err == nil && with != nil && f.Value.String() != "false" &&
			!c.Flags().Changed(with[0]) {
			err = usageError("%s: --%s is for --%s; add %s", c.CommandPath(), f.Name, with[0], with[1])
		}
	})
	return err
}

// excludes marks a flag and each of names as excluding each other; [noExcludedFlag] refuses both.
func excludes(c *cobra.Command, flag string, names ...string) {
	for _, name := range names {
		c.MarkFlagsMutuallyExclusive(flag, name)
	}
}

// noExcludedFlag returns an error for flags of a group that are given and exclude each other.
func noExcludedFlag(c *cobra.Command) error {
	err := c.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	var given []string // of the first group with two that are
	groups := map[string][]string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		for _, g := range f.Annotations[exclusiveNote] {
			if groups[g] = append(groups[g], "--"+f.Name); len(groups[g]) > 1 && given == nil {
				given = groups[g]
			}
		}
	})
	if given == nil {
		return usageError("%s: %w", c.CommandPath(), err)
	}
	return usageError("%s: %s exclude each other; leave one out", c.CommandPath(), strings.Join(given, " and "))
}

// exclusiveNote is cobra's annotation of a group of flags that exclude each other.
const exclusiveNote = "cobra_annotation_mutually_exclusive"

// heeded are the flags of a run that not every request heeds, each with why a request does not;
// "" where it does.
var heeded = []struct {
	flag string
	not  func(*request.Request) string
}{
	{"warmup", func(r *request.Request) string { return simulated(r, "nothing is warmed up") }},
	{"bind", func(r *request.Request) string { return simulated(r, "its workers have a core each") }},
	{"cache-model", unsimulated},
	{"runtime-data", unsimulated},
	{"trace-limit", func(r *request.Request) string {
		if r.Trace.None() {
			return "--trace " + string(r.Trace) + " writes none"
		}
		return ""
	}},
}

func unsimulated(r *request.Request) string {
	if r.Machine == nil {
		return "no machine is simulated"
	}
	return ""
}

func simulated(r *request.Request, why string) string {
	if r.Machine == nil {
		return ""
	}
	return r.Machine.Name + " is simulated, and " + why
}

// sayIdle names the given flags that none of the requests heeds. They are no error: a script has the
// same flags on every computer.
func (a *app) sayIdle(flags *pflag.FlagSet, requests ...request.Request) {
	for _, h := range heeded {
		if f := flags.Lookup(h.flag); !f.Changed || f.Value.String() == "0" { // nothing is asked for
			continue
		}
		var whys []string
		for i := range requests {
			if why := h.not(&requests[i]); why != "" {
				whys = append(whys, why)
			}
		}
		if len(whys) > 0 && len(whys) == len(requests) {
			fmt.Fprintf(a.stderr, "--%s has no effect: %s\n", h.flag, strings.Join(slices.Compact(whys),
				"; "))
		}
	}
}
