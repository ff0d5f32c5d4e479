package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// browserVariable is a list of commands, separated by colons; the first that works shows a page. In
// each %s stands for the address of the page, %c for a colon and %% for a percent sign; one without
// %s is given the address as its last argument. A & at its end is allowed and means nothing: no
// browser is waited for.
const browserVariable = "BROWSER"

// promptFailure is how long a browser has to fail: one that still runs then shows the page.
const promptFailure = time.Second

// errNoDisplay is why no browser is tried.
var errNoDisplay = errors.New("$" + browserVariable + " is not set, and there is no display, " +
	"or no program that opens pages")

// openPage opens a page in a browser and prints to stderr where the page is and whether it is open.
// A page that cannot be opened is no error: it stands.
func (a *app) openPage(ctx context.Context, page string) {
	with, err := browse(ctx, page)
	if err != nil {
		fmt.Fprintf(a.stderr, "page: %s (not opened: %s)\n", page, oneLine(err))
		return
	}
	fmt.Fprintf(a.stderr, "page: %s, opened with %s\n", page, with)
}

// browse opens a file in a browser, and returns the program's name. Errors: of each browser that
// was tried, or errNoDisplay.
func browse(ctx context.Context, file string) (with string, err error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
	commands := browsers()
	if len(commands) == 0 {
		return "", errNoDisplay
	}
	var failed []error
	for _, c := range commands {
		argv := command(c, address)
		err := begin(ctx, argv)
		if err == nil {
			return filepath.Base(argv[0]), nil
		}
		failed = append(failed, fmt.Errorf("%s: %w", c, err))
	}
	return "", errors.Join(failed...)
}

// browsers returns the commands that may open a page: those of the variable, otherwise the system's
// own where there is a display.
func browsers() (list []string) {
	for c := range strings.SplitSeq(os.Getenv(browserVariable), ":") {
		if strings.Trim(c, " \t&") != "" {
			list = append(list, c)
		}
	}
	if list != nil {
		return list
	}
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	} else if cmp.Or(os.Getenv("DISPLAY"), os.Getenv("WAYLAND_DISPLAY")) == "" {
		return nil
	}
	if _, err := exec.LookPath(opener); err != nil {
		return nil
	}
	return []string{opener}
}

// command returns the words of a command of [browserVariable], which is not empty. Words are
// separated by blanks; there are no quotes.
func command(text, address string) (argv []string) {
	asks := false
	for word := range strings.FieldsSeq(strings.TrimRight(text, " \t&")) {
		asks = asks || strings.Contains(strings.ReplaceAll(word, "%%", ""), "%s")
		argv = append(argv, strings.NewReplacer("%%", "%", "%c", ":", "%s", address).Replace(word))
	}
	if !asks {
		argv = append(argv, address)
	}
	return argv
}

// begin starts a program, in a session of its own, so that the end of krdlab or of its terminal
// leaves it alone. It has no standard files: those of krdlab hold data. Errors: it cannot be
// started, or it fails at once.
func begin(ctx context.Context, argv []string) error {
	c := exec.Command(argv[0], argv[1:]...)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(promptFailure):
	case <-ctx.Done():
	}
	return nil
}
