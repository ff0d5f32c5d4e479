//go:build !race

package loi

const raceEnabled = false
