// Package machine describes the machines that krdlab simulates: cores, caches, memories and the costs of runtime operations, read
// from TOML files, built in, or measured.
//
// It is data and no model: what an access costs is decided by who uses it. All times are integers in picoseconds. No number that
// decides a simulated result is a floating-point one.
package machine
