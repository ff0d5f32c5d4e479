//go:build !linux

package main

// checkFallocate says that only Linux has it.
func checkFallocate(string) finding {
	return finding{Name: "fallocate here", Status: limited, Found: "not on this system", Why: "traces are written twice: zeros first", Help: "Linux"}
}
