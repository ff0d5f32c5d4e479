package main

import "unsafe"

// Conversions from a slice to a pointer to an array came with Go 1.17, to an array with Go 1.20.
func arrays(s []byte) [4]byte {
	p := (*[4]byte)(unsafe.Pointer(&s[0]))
	p[1] += p[3]
	return *p
}

// What linkname names had not to be there before Go 1.18.
//
//go:linkname nowhere main.nowhere
