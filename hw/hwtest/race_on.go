//go:build race

package hwtest

// Race is whether the race detector is built in.
const Race = true
