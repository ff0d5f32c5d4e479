package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"krdlab/hw/units"
	"krdlab/krd/krdplot"
)

// manCommand is `krdlab man`.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages, one for each command",
		Long: "Write the manual pages of krdlab and of all its commands into the folder DIR, which " +
			"is made if it is not there; pages that krdlab wrote before are written anew.",
		Example: "  krdlab man ~/.local/share/man/man1\n  man krdlab-run-matmul",
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
			p.Line("%s: %s, of which %s is the first", dir, units.Count(n, "page"), pageOf(c.Root()))
			return p.Close()
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string,
			cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
}

// writePages writes the pages of c and of all below it, and returns how many there are.
func writePages(c *cobra.Command, dir string) (n int, err error) {
	if err := rederive(filepath.Join(dir, pageOf(c)), func(w io.Writer) error {
		c.DisableAutoGenTag = true
		header := &doc.GenManHeader{Title: strings.ToUpper(strings.ReplaceAll(c.CommandPath(), " ",
			"-")), Section: "1", Source: "krdlab", Manual: "krdlab"}
		defer hideUnusable(c)()
		if err := doc.GenMan(c, header, w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\n.\\\" %s\n", krdplot.Mark)
		return err
	}); err != nil {
		return 0, err
	}
	n = 1
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		more, err := writePages(sub, dir)
		if n += more; err != nil {
			return n, err
		}
	}
	return n, nil
}

// pageOf is the file of the page of c.
func pageOf(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1" }
