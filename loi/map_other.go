//go:build !linux && !darwin

package loi

import (
	"errors"
	"os"
)

// Elsewhere nothing is mapped: chunks are written with WriteAt, and files are read.

func mapShared(*os.File, int64, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func mapPrivate(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func giveBack([]byte) {}

func freeBytes(string) (n uint64, known bool) { return 0, false }

func unmap([]byte) error { return nil }

// isNoSpace reports whether a file cannot grow for lack of room. The errors of the system are not
// known here: any failure to write counts.
func isNoSpace(error) bool { return true }
