#include "textflag.h"

// func krdTicks() uint64
TEXT ·krdTicks(SB),NOSPLIT,$0-8
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET
