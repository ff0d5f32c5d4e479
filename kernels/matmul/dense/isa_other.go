//go:build !amd64

package dense

func hasISA(ISA) bool { return false }
