//go:build krdlab_broken_deque

package runtimes

const (
	brokenDeque = true
	brokenJoin  = false
)
