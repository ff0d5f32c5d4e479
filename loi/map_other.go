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

// isNoSpace tells that a file cannot grow for lack of room. Without knowing the errors of the
// system, any failure to write counts as such.
func isNoSpace(error) bool { return true }
