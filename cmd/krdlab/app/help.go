package app

import (
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
)

// helpColumns is how wide help is at most.
const helpColumns = 80

// helpWidth returns the width of help here.
func (a *app) helpWidth() int {
	if n := a.columns(); n > 0 {
		return min(n, helpColumns)
	}
	return helpColumns
}

// flagColumns returns the same for flags; 0 where there is no room beside their names, so that the
// page breaks their lines.
func (a *app) flagColumns() int {
	if n := a.helpWidth(); n >= helpColumns/2 {
		return n
	}
	return 0
}

// wrapHelp breaks the lines of the long help of c and of all below it anew.
func wrapHelp(c *cobra.Command, columns int) {
	c.Long = wrapped(c.Long, columns)
	for _, sub := range c.Commands() {
		wrapHelp(sub, columns)
	}
}

// wrapped breaks the lines of each paragraph anew. A line that begins with a blank is an entry of a
// list, a name and what it is, and is broken for itself.
func wrapped(text string, columns int) string {
	var lines []string
	open := false // the last line goes on
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || strings.HasPrefix(line, " ") {
			lines, open = append(lines, entry(line, columns)), false
			continue
		}
		for word := range strings.FieldsSeq(line) {
			if last := len(lines) - 1; open && len(lines[last])+1+len(word) <= columns {
				lines[last] += " " + word
			} else {
				lines, open = append(lines, word), true
			}
		}
	}
	return strings.Join(lines, "\n")
}

// entry breaks an entry of a list, below where its text begins.
func entry(line string, columns int) string {
	name := strings.TrimLeft(line, " ")
	if gap := strings.Index(name, "  "); gap >= 0 && len(line) > columns {
		text := strings.TrimLeft(name[gap:], " ")
		at := len(line) - len(text)
		return line[:at] + strings.ReplaceAll(wrapped(text, columns-at), "\n",
			"\n"+strings.Repeat(" ", at))
	}
	return line
}

// unusable lists the flags of every run that change nothing for k.
func unusable(k *kernel.Kernel) []string {
	var names []string
	if !k.TaskGrain {
		names = append(names, "trace-grain")
	}
	if !k.Work {
		names = append(names, "numa", "cache-model")
	}
	return names
}

// unusableNote is the annotation of a command that names the flags of its parent which it has no
// use for.
const unusableNote = "krdlab-unusable"

// takesFile is the annotation of a command with subcommands that may be asked of a file, too.
const takesFile = "krdlab-takes-file"

// help prints the help of c. args that name something which c does not have are an error, kept for
// [app.main], since a help function has none to return.
func (a *app) help(c *cobra.Command, print func(*cobra.Command, []string)) {
	args := c.Flags().Args()
	if c.HasSubCommands() && len(args) > 0 {
		file := strings.HasSuffix(args[0], ".toml")
		if _, err := os.Stat(args[0]); err == nil {
			file = true
		}
		if c.Annotations[takesFile] == "" || !file {
			a.helpErr = c.RunE(c, args)
			return
		}
	}
	defer hideUnusable(c)()
	// no wider than the terminal
	p := doc.NewPage(a.stdout, a.helpWidth())
	c.Root().SetOut(p)
	print(c, nil)
	c.Root().SetOut(a.stdout)
	if err := p.Close(); err != nil && a.helpErr == nil {
		a.helpErr = err
	}
}

// hideUnusable hides the flags of c's parents that c has no use for, until shown is called: they
// belong to other commands too.
func hideUnusable(c *cobra.Command) (shown func()) {
	set := func(hidden bool) {
		for _, name := range strings.Fields(c.Annotations[unusableNote]) {
			if f := c.InheritedFlags().Lookup(name); f != nil {
				f.Hidden = hidden
			}
		}
	}
	set(true)
	return func() { set(false) }
}

// A hintError is a flag's error about a value that is meant for another command.
type hintError string

func (h hintError) Error() string { return string(h) }

// cores is the number of workers of one run.
type cores int

// Set reads s.
func (n *cores) Set(s string) error {
	if one, err := strconv.ParseInt(s, 0, 0); err == nil {
		*n = cores(one)
		return nil
	}
	l := list{of: "whole numbers"}
	if err := l.Set(s); err != nil {
		return err
	}
	several, err := l.whole("cores")
	switch {
	case err == nil && len(several) > 1:
		return hintError("a run has one number of workers; for several type krdlab sweep KERNEL " +
			"--cores " + s)
	case err != nil:
		return err
	}
	*n = cores(min(several[0], 1<<31)) // a span of one
	return nil
}

// String returns 0 for all cores, which is the default.
func (n *cores) String() string { return strconv.Itoa(int(*n)) }

// Type names the value for messages.
func (n *cores) Type() string { return "whole number" }
