#include "textflag.h"

// func TSC() uint64
//
// The branch is never taken on a machine with an invariant TSC and costs nothing that can be measured beside RDTSC.
TEXT ·TSC(SB), NOSPLIT, $0-8
	CMPL ·forced(SB), $0
	JNE  monotonic
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

monotonic:
	JMP ·monotonicTicks(SB)

// func TSCP() (tsc uint64, cpu int)
TEXT ·TSCP(SB), NOSPLIT, $0-16
	CMPL ·forced(SB), $0
	JNE  slow
	CMPB ·hasTSCP(SB), $0
	JEQ  slow
	RDTSCP
	SHLQ $32, DX
	ORQ  DX, AX
	ANDL $0xfff, CX
	MOVQ AX, tsc+0(FP)
	MOVQ CX, cpu+8(FP)
	RET

slow:
	JMP ·slowTSCP(SB)

// func rdtscp() (tsc uint64, aux uint32)
TEXT ·rdtscp(SB), NOSPLIT, $0-12
	RDTSCP
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, tsc+0(FP)
	MOVL CX, aux+8(FP)
	RET

// func orderedTSC() uint64
//
// The first fence waits for earlier loads, the second keeps later instructions from starting.
TEXT ·orderedTSC(SB), NOSPLIT, $0-8
	CMPL ·forced(SB), $0
	JNE  monotonic
	LFENCE
	RDTSC
	LFENCE
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

monotonic:
	JMP ·monotonicTicks(SB)

// func Pause()
TEXT ·Pause(SB), NOSPLIT, $0-0
	PAUSE
	PAUSE
	RET
