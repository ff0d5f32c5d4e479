//go:build !linux

package doctor

// checkFallocate says that only Linux has it.
func checkFallocate(string) Check {
	f := Check{Name: "fallocate here", Found: "not on this system"}
	f.limit(Limited, writtenTwice)
	return f
}
