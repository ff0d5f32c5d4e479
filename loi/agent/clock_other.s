//go:build !amd64

// A function without a body (procPin) is allowed where there is assembly.
