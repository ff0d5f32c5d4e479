package view

import (
	"testing"

	"krdlab/experiments/scene"
)

func packIn(t *testing.T, r *scene.Run, room int) *packed {
	t.Helper()
	return pack("x", r, room)
}
