//go:build krdlab_broken_join && !krdlab_broken_deque

package runtimes

const (
	brokenDeque = false
	brokenJoin  = true
)
