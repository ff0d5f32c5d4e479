//go:build !amd64

package loops

import "krdlab/kernels/isa"

func packedOf(isa.Set) packed { return compiled }
