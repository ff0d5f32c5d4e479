package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/request"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// withJSON defines --json of c, for [app.answer], and returns c.
func withJSON(c *cobra.Command) *cobra.Command {
	c.Flags().Bool("json", false, "print one JSON document")
	return c
}

// asJSON reports whether c has --json and it is given.
func asJSON(c *cobra.Command) bool {
	given, err := c.Flags().GetBool("json")
	return err == nil && given
}

// answer prints the result of c: with --json as one document, otherwise as text. text closes its
// page.
func (a *app) answer(c *cobra.Command, document any, text func(*doc.Page) error) error {
	if asJSON(c) {
		return writeJSON(a.stdout, document)
	}
	return text(a.page())
}

// required returns an error where --out of c is not given, or path cannot be a new file. kind and
// args are those of the example that the error has.
func required(c *cobra.Command, path, kind string, args ...string) error {
	if path == "" {
		return usageError("%s: --out is missing; type %s --out %s, a new file", c.CommandPath(),
			strings.Join(append([]string{c.CommandPath()}, args...), " "), kind)
	}
	return newFile("out", path)
}

// A choice is a flag whose value is one of a list.
type choice struct {
	to    *string
	there []string
}

// Set accepts "" too: [noEmptyFlag] refuses it.
func (v choice) Set(s string) error {
	if s != "" && !slices.Contains(v.there, s) {
		return hintError(request.Suggest(s, v.there, ""))
	}
	*v.to = s
	return nil
}

func (v choice) String() string {
	if v.to == nil {
		return ""
	}
	return *v.to
}

// Type returns the type of a flag with a text, so that the help quotes the default.
func (v choice) Type() string { return "string" }

// choiceVar defines a flag of c whose value is one of a list; preset is that of a command without it.
func choiceVar(c *cobra.Command, to *string, name, preset string, there []string, usage string) {
	*to = preset
	c.Flags().Var(choice{to, there}, name, usage)
	expects(c.Flags(), name, request.Suggest("", there, ""))
	complete(c, name, there...)
}

// complete names the values of a flag of c for the completion of shells.
func complete(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values,
		cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // c has no such flag
	}
}

// figureFlag defines --plot of c.
func figureFlag(c *cobra.Command, to *string, usage string) {
	c.Flags().StringVar(to, "plot", "", usage+" to this `FILE`: .svg, .png or .pdf")
	expects(c.Flags(), "plot", "expected a file that ends in .svg, .png or .pdf")
}

// figureFile returns an error where no figure can be drawn into path, so that it is known before the
// work. "" is no figure.
func figureFile(path string) error {
	if path == "" {
		return nil
	}
	if _, err := plot.FormatOf(path); err != nil {
		return usageError("--plot %w", err)
	}
	return derivable("plot", path)
}

// drawn draws a figure into path, unless that is "", and prints its name to stderr.
func (a *app) drawn(path string, figure *plot.Figure) error {
	if path == "" {
		return nil
	}
	return a.drawFile(path, study.Drawing{Figure: figure})
}
