package main

// Literals with 0b, 0o, _ and 0x1p-2, and signed shift counts, came with Go 1.13. Literals of
// imaginary numbers that begin with 0 stayed decimal.
func numbers(p *[6]int) [6]int {
	p[0], p[1], p[2] = 0755, 0x1e+2, 1<<uint(p[5])
	p[3] = int(imag(10i))
	p[4] = -8 >> uint8(p[5])
	return *p
}
