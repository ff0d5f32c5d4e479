package loops

import "unsafe"

// compiled is for a core without the instructions: four elements at a time, as the portable
// kernels.
var compiled = packed{vectors: elements / 8, floats: 4,
	fused: func(n int, x *float32) {
		s := unsafe.Slice(x, elements)
		for range n {
			addTimes(s[elements/2:], 0, s[:elements/2])
		}
	},
	single: func(n int, x *float32) {
		for range n {
			halveAndAdd(unsafe.Slice(x, elements/2), 0.5)
		}
	},
	double: func(n int, x *float64) {
		s := unsafe.Slice(x, 2*elements)
		from, to := s[:elements/4+1], s[elements:]
		for range n {
			for i := 0; i+5 <= len(from) && i+4 <= len(to); i += 4 {
				to[i], to[i+1] = (from[i]+from[i+1])*0.5, (from[i+1]+from[i+2])*0.5
				to[i+2], to[i+3] = (from[i+2]+from[i+3])*0.5, (from[i+3]+from[i+4])*0.5
			}
		}
	},
}

// halveAndAdd multiplies each element by f and adds f. No product is fused with a sum.
func halveAndAdd(x []float32, f float32) {
	for len(x) >= 4 {
		x[0] = float32(x[0]*f) + f
		x[1] = float32(x[1]*f) + f
		x[2] = float32(x[2]*f) + f
		x[3] = float32(x[3]*f) + f
		x = x[4:]
	}
}
