// Package machine describes the machines that krdlab simulates: cores, caches, memories and the
// costs of runtime operations, read from TOML files, built in, or measured.
//
// It is data and no model: its users decide the cost of an access. All times are integers in
// picoseconds. No number that decides a simulated result is a floating-point one.
//
// Rejected: strict decoding into structs (go-toml's DisallowUnknownFields). It finds unknown fields
// and their lines, but stops at the first value of a wrong type, does not tell a field that is
// missing from one that is 0, and gives no line of a field that is well formed and contradicts
// another. The errors here have file, line, field, what was found and what was expected, all of a
// file at once; for that the values and lines of all fields are needed anyway, and the structs
// would repeat the table of fields.
package machine
