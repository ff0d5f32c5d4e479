package main

import (
	"context"
	"errors"
	"fmt"

	"krdlab/experiments"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/krd/atoms"
	"krdlab/krd/smith"
	"krdlab/loi"
	"krdlab/loi/exports"
	"krdlab/loi/imports"
)

// The exit codes of every command.
const (
	exitOK          = 0
	exitFailed      = 1   // I/O, a missing file, a panic in a kernel
	exitUsage       = 2   // wrong flags, an impossible request, something that exists and is not overwritten
	exitCheck       = 3   // the numerical check failed
	exitCapability  = 4   // a capability that was demanded is missing
	exitData        = 5   // the content of a data file is bad
	exitInterrupted = 130 // what was done is kept
)

// An exitError ends the program with a code. A nil err says that all has been printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// exitCode returns the code of an error of any layer.
func exitCode(err error) int {
	var exit *exitError
	var config *experiments.ConfigError
	var order *krd.OrderError
	var text *loi.TextError
	var size *krd.SizeError
	var data *imports.DataError
	var option *imports.OptionError
	is := func(targets ...error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exit.code
	case is(context.Canceled):
		return exitInterrupted
	case errors.As(err, &config), errors.As(err, &option), is(experiments.ErrExists, krd.ErrOption, smith.ErrCache, exports.ErrFormat):
		return exitUsage
	case is(experiments.ErrCapability):
		return exitCapability
	case errors.As(err, &order), errors.As(err, &text), errors.As(err, &size), errors.As(err, &data),
		is(kernel.ErrData, atoms.ErrShape, loi.ErrNotTrace, loi.ErrNewerVersion, loi.ErrUnclean, loi.ErrCorrupt, krd.ErrLoss, krd.ErrTooLarge):
		return exitData
	}
	return exitFailed
}
