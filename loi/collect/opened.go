package collect

import "slices"

// maxOpen is how many operations of a goroutine are open in each other at most: a call in the key
// of a map, or in an appended value, opens others in its own, as deep as the program recurses. An
// operation that panicked never ends, and stays open below the others; at so many, the older half
// is given up. That is at most 16 MiB for maps and 32 MiB for windows of a goroutine, until it
// ends.
const maxOpen = 1 << 20

// opened returns a list of open operations with one more, the innermost.
func opened[T any](list []T, one T) []T {
	if len(list) == maxOpen {
		list = slices.Delete(list, 0, maxOpen/2)
	}
	return append(list, one)
}
