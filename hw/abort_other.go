//go:build !linux || !amd64

package hw

func exitOnAbort() error { return ErrUnsupported }
