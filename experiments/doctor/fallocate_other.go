//go:build !linux

package doctor

// checkFallocate says that only Linux has it.
func checkFallocate(string) Finding {
	return Finding{Name: "fallocate here", Status: Limited, Found: "not on this system",
		Why: "traces are written twice: zeros first", Help: "Linux"}
}
