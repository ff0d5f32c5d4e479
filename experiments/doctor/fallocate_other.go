//go:build !linux

package doctor

// checkFallocate returns a check that only Linux has the call.
func checkFallocate(string) Check {
	f := Check{Name: "fallocate here", Found: "not on this system"}
	f.limit(Limited, writtenTwice)
	return f
}
