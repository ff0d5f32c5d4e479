//go:build !krdlab_broken_deque && !krdlab_broken_join

package runtimes

// Faults that test builds plant, to show that the tests would see them (broken_test.go).
const (
	brokenDeque = false // popShared takes the last exposed entry without asking thieves
	brokenJoin  = false // a strand that is not the last goes on after the join
)
