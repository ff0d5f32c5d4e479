package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"krdlab/experiments/run/request"
	"krdlab/hw/units"
	"krdlab/krd/plot"
)

// manName is the command that writes a page for each other, with its flags.
const manName = "man"

// manCommand returns the command `krdlab man`.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   manName + " DIR",
		Short: "Write the manual pages, one for each command",
		Long: "Write the manual pages of krdlab and of all its commands into the folder DIR, which " +
			"is made if it is not there; pages that krdlab wrote before are written anew. Kernels " +
			"are sections of krdlab-run and krdlab-sweep.",
		Example: "  krdlab man ~/.local/share/man/man1\n  man krdlab-run",
		Args:    exactly("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			dir := args[0]
			if dir == "" {
				return usageError("krdlab man: the name of DIR is empty; type . for this folder")
			}
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			n, err := writePages(c.Root(), dir)
			if err != nil {
				return err
			}
			p := a.page()
			p.Line("%s: %s; %s is the first", dir, units.Count(n, "page"), pageOf(c.Root()))
			return p.Close()
		},
		ValidArgsFunction: folders,
	}
}

// writePages writes the pages of c and of all below it, and returns how many there are.
func writePages(c *cobra.Command, dir string) (n int, err error) {
	if err := rederive(filepath.Join(dir, pageOf(c)), func(w io.Writer) error {
		defer hideUnusable(c)()
		_, err := io.WriteString(w, manPage(c))
		return err
	}); err != nil {
		return 0, err
	}
	n = 1
	for _, sub := range c.Commands() {
		if !hasPage(sub) || ofKernel(sub) {
			continue
		}
		more, err := writePages(sub, dir)
		if n += more; err != nil {
			return n, err
		}
	}
	return n, nil
}

func hasPage(c *cobra.Command) bool {
	return c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand()
}

// ofKernel reports that c is a command of a kernel, which is a section of its parent's page.
func ofKernel(c *cobra.Command) bool {
	_, err := request.FindKernel(c.Name())
	return err == nil
}

// manPage returns the page of c, in the man macros of roff.
func manPage(c *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".nh\n.TH %q 1 \"\" krdlab krdlab\n", strings.ToUpper(name))
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, ".SH %s\n%s\n", title, text)
		}
	}
	section("NAME", roff(name)+` \- `+roff(c.Short))
	usage := c.UseLine()
	if c.HasAvailableSubCommands() && usage == c.CommandPath() {
		usage += " COMMAND"
	}
	section("SYNOPSIS", ".B "+roff(usage))
	section("DESCRIPTION", asLaidOut(c.Long))
	section("OPTIONS", manFlags(c.LocalFlags()))
	section("FURTHER OPTIONS", manFlags(c.InheritedFlags()))
	kernels, common := kernelFlagSets(c)
	section("OPTIONS WITH A KERNEL", manFlags(common))
	for _, k := range kernels {
		text := asLaidOut(k.command.Long) + "\n" + manFlags(k.own)
		if not := strings.Fields(k.command.Annotations[unusableNote]); len(not) > 0 {
			text += "\n.PP\n" + roff("It has no --"+strings.Join(not, ", --")+".")
		}
		section("KERNEL "+strings.ToUpper(k.command.Name()), text)
	}
	section("EXAMPLES", asLaidOut(c.Example))
	var others []string
	if c.HasParent() {
		others = append(others, c.Parent().CommandPath())
	}
	for _, sub := range c.Commands() {
		if hasPage(sub) && !ofKernel(sub) {
			others = append(others, sub.CommandPath())
		}
	}
	for i, other := range others {
		others[i] = `\fB` + roff(strings.ReplaceAll(other, " ", "-")) + `\fP(1)`
	}
	section("SEE ALSO", strings.Join(others, ",\n"))
	fmt.Fprintf(&b, ".\\\" %s\n", plot.Mark)
	return b.String()
}

// A kernelSection is a command of a kernel, and flags that not all of these have.
type kernelSection struct {
	command *cobra.Command
	own     *pflag.FlagSet
}

// kernelFlagSets returns the commands of kernels below c, and the flags that all have.
func kernelFlagSets(c *cobra.Command) (list []kernelSection, common *pflag.FlagSet) {
	type flag struct{ name, usage, value string }
	times := map[flag]int{}
	of := func(f *pflag.Flag) flag { return flag{f.Name, f.Usage, f.DefValue} }
	for _, sub := range c.Commands() {
		if hasPage(sub) && ofKernel(sub) {
			list = append(list, kernelSection{sub, sub.LocalNonPersistentFlags()})
			list[len(list)-1].own.VisitAll(func(f *pflag.Flag) { times[of(f)]++ })
		}
	}
	common = unsorted()
	for i := range list {
		all := list[i].own
		all.SortFlags = false
		list[i].own = unsorted()
		all.VisitAll(func(f *pflag.Flag) {
			if times[of(f)] < len(list) {
				list[i].own.AddFlag(f)
			} else if i == 0 {
				common.AddFlag(f)
			}
		})
	}
	return list, common
}

func unsorted() *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.SortFlags = false
	return flags
}

// manFlags returns a paragraph for each flag that is not hidden.
func manFlags(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		b.WriteString(".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(&b, `\fB\-%s\fP, `, f.Shorthand)
		}
		fmt.Fprintf(&b, "\\fB%s\\fP", roff("--"+f.Name))
		if value != "" {
			fmt.Fprintf(&b, ` \fI%s\fP`, roff(value))
		}
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" && f.DefValue != "[]" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(&b, "\n%s\n", roff(usage))
	})
	return strings.TrimSuffix(b.String(), "\n")
}

// asLaidOut returns text with its own line breaks, which are those of help.
func asLaidOut(text string) string {
	if text == "" {
		return ""
	}
	return ".nf\n" + roff(text) + "\n.fi"
}

// roff escapes text so that roff reads it literally.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").
		Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}

// pageOf returns the file of the page of c.
func pageOf(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1" }
