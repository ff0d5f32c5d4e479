package dense

func hasISA(ISA) bool { return false }
