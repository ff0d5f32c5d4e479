package app

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"krdlab/kernels"
	"krdlab/kernels/kernel"
)

// A helped command has its help, and the code that asking for it ended with.
type helped struct {
	command *cobra.Command
	help    string
	code    int
}

// allHelp has the help of each command, which several tests look at.
var allHelp = sync.OnceValue(func() (all []helped) {
	var walk func(path []string, c *cobra.Command)
	walk = func(path []string, c *cobra.Command) {
		var out bytes.Buffer
		code := newApp(&out, io.Discard).main(append(append([]string{"krdlab"}, path...), "--help"))
		all = append(all, helped{c, out.String(), code})
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				walk(append(path[:len(path):len(path)], sub.Name()), sub)
			}
		}
	}
	walk(nil, newApp(io.Discard, io.Discard).root())
	return all
})

// everyCommand calls see for each command with its help.
func everyCommand(t *testing.T, see func(c *cobra.Command, help string)) {
	t.Helper()
	for _, x := range allHelp() {
		if x.code != exitOK {
			t.Errorf("%s --help: exit code %d", x.command.CommandPath(), x.code)
		}
		see(x.command, x.help)
	}
	if n := len(allHelp()); n < 30 {
		t.Errorf("only %d commands were seen", n)
	}
}

// Help fits into its columns.
func TestHelpColumns(t *testing.T) {
	everyCommand(t, func(c *cobra.Command, help string) {
		for line := range strings.SplitSeq(help, "\n") {
			if n := utf8.RuneCountInString(line); n > helpColumns {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), n, line)
			}
		}
	})
}

// Help shows the flags of a kernel's run that do something for it, and no others.
func TestHelpOfKernels(t *testing.T) {
	seen := map[string]bool{}
	everyCommand(t, func(c *cobra.Command, help string) {
		i := slices.IndexFunc(kernels.Table, func(k *kernel.Kernel) bool {
			return k.Name == c.Name()
		})
		if i < 0 {
			return
		}
		seen[c.Name()] = true
		without := unusable(kernels.Table[i])
		for _, name := range []string{"trace-grain", "numa", "cache-model", "cores", "sched"} {
			shown := strings.Contains(help, "--"+name+" ")
			if hidden := contains(without, name); shown == hidden {
				t.Errorf("%s: --%s: shown %v", c.CommandPath(), name, shown)
			}
		}
	})
	if len(seen) != len(kernels.Table) {
		t.Errorf("%d of %d kernels have a command", len(seen), len(kernels.Table))
	}
}

func contains(list []string, s string) bool {
	return strings.Contains(" "+strings.Join(list, " ")+" ", " "+s+" ")
}

// Each flag and each command has a line of help, and no flag's help is that of another program's.
func TestHelpSaysSomething(t *testing.T) {
	everyCommand(t, func(c *cobra.Command, help string) {
		if c.Short == "" {
			t.Errorf("%s has no help", c.CommandPath())
		}
		for _, f := range []string{"Global Flags", "[command]"} {
			if strings.Contains(help, f) {
				t.Errorf("%s: %q in its help", c.CommandPath(), f)
			}
		}
	})
}

// Commands that can end with 5 or 6 say so.
func TestHelpOfExitCodes(t *testing.T) {
	seen := 0
	everyCommand(t, func(c *cobra.Command, help string) {
		cells, reads := readers[strings.TrimPrefix(c.CommandPath(), "krdlab ")]
		if !reads {
			return
		}
		seen++
		help = strings.Join(strings.Fields(help), " ")
		if !strings.Contains(help, "; 5 the content") || strings.Contains(help, "; 6 done") != cells {
			t.Errorf("%s: exit codes: %s", c.CommandPath(), help)
		}
	})
	if seen != len(readers) {
		t.Errorf("%d of %d commands were seen", seen, len(readers))
	}
}

func TestWrapped(t *testing.T) {
	if got, want := wrapped("  id  one two three\n", 12), "  id  one\n      two\n      three\n"; got !=
		want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := wrapped("aa bb cc\ndd\n\n  stays as it is\nee ff\n", 5),
		"aa bb\ncc dd\n\n  stays as it is\nee ff\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
