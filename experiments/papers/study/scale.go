package study

import (
	"slices"

	"krdlab/experiments/run/request"
)

// A Scale is how much of a paper's evaluation is redone.
type Scale string

// The scales. Bounds of the claims do not depend on them.
const (
	Smoke Scale = "smoke" // small programs, to see that all of it works: seconds
	Quick Scale = "quick" // less than the paper's, for the same conclusions: minutes
	Paper Scale = "paper" // the paper's sizes: half an hour and more
)

// Scales are those, the smallest first.
var Scales = []Scale{Smoke, Quick, Paper}

// ParseScale reads the value of --scale.
func ParseScale(s string) (Scale, error) {
	if slices.Contains(Scales, Scale(s)) {
		return Scale(s), nil
	}
	return "", &request.Error{Flag: "scale", Got: s, Want: "choose smoke, quick or paper"}
}
