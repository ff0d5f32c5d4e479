package loops

import "unsafe"

// compiled is what a core without the instructions does: four elements at a time, as the portable
// kernels.
var compiled = packed{vectors: elements / 8, floats: 4,
	fused: func(n int, x *float32) { addMultiples(n, x, 0) },
	single: func(n int, x *float32) {
		s := unsafe.Slice(x, elements/2)
		for range n {
			for i := 0; i+4 <= len(s); i += 4 {
				s[i], s[i+1] = s[i]*1+0, s[i+1]*1+0
				s[i+2], s[i+3] = s[i+2]*1+0, s[i+3]*1+0
			}
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

// addMultiples adds n times f times the first half of x to the second.
func addMultiples(n int, x *float32, f float32) {
	s := unsafe.Slice(x, elements)
	for range n {
		from, to := s[:elements/2], s[elements/2:]
		for len(from) >= 4 && len(to) >= 4 {
			to[0] += f * from[0]
			to[1] += f * from[1]
			to[2] += f * from[2]
			to[3] += f * from[3]
			from, to = from[4:], to[4:]
		}
	}
}
