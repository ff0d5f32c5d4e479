//go:build race

package runtimes

const raceEnabled = true
