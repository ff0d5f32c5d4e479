package runtime

import _ "unsafe"

// Nothing is under control: see krdcontrol.go.

//go:linkname krdStep
func krdStep(uintptr) {}

//go:linkname krdAtomic
func krdAtomic(uintptr) {}
