package goprogram_test

import "math/bits"

// size is how large a problem of SciMark is: rows or numbers, elements that are not zero, and how
// often the kernel runs.
type size struct{ n, nz, iterations int }

// counts is how often a function accesses the heap. An update is a load and then a store by one
// statement, as x[i] += y.
type counts struct{ loads, stores, updates int }

func (c counts) all() int { return c.loads + c.stores + c.updates }

// times is c for n calls or rounds.
func (c counts) times(n int) counts { return counts{c.loads * n, c.stores * n, c.updates * n} }

// first is 0 + 1 + ... + n-1, second that of their squares.
func first(n int) int  { return n * (n - 1) / 2 }
func second(n int) int { return (n - 1) * n * (2*n - 1) / 6 }

// interchangedFFT is the kernel fft with its loops interchanged.
const interchangedFFT = "fft -loops interchanged"

// exchanged is how many rows the kernel lu exchanges, by their number; the program prints it.
var exchanged = map[int]int{40: 36, 64: 57, 128: 124}

// byHand returns what each function of a kernel accesses on the heap, by its loops: elements of
// slices, and headers of slices that are elements. Neither len nor a slice that is a local is one.
// kernel lists the functions that are the kernel; the others prepare and check.
func byHand(name string, s size) (of map[string]counts, kernel []string) {
	n, rounds := s.n, s.iterations
	matrix := counts{stores: n} // a header for each row
	rows := counts{loads: n}    // a[i] for each row
	dot := counts{loads: 2 * n} // a[i], b[i]
	sum := counts{loads: n}
	switch name {
	case "fft", interchangedFFT:
		log := bits.Len(uint(n)) - 1
		butterflies := n / 2 * log
		// numbers whose bits read the same from both ends stay, pairs of others are exchanged
		exchanged := (n - 1<<((log+1)/2)) / 2
		of := map[string]counts{
			"main.fill": counts{stores: 2 * n}.times(2),
			// data[j], data[j+1], data[i], data[i+1]; data[j] =, data[j+1] =; data[i] +=,
			// data[i+1] +=; there and back
			"main.transform":  counts{4, 2, 2}.times(butterflies * 2 * rounds),
			"main.bitReverse": counts{4, 4, 0}.times(exchanged * 2 * rounds),
			"main.normalise":  {updates: 2 * n * rounds},
			"main.fftError":   {loads: 2 * 2 * n},
			"main.sum":        {loads: 2 * n},
		}
		transform := "main.transform"
		if name == interchangedFFT { // as many, in another order
			transform = "main.interchanged"
			of[transform] = of["main.transform"]
			delete(of, "main.transform")
		}
		return of, []string{transform, "main.bitReverse", "main.normalise"}
	case "lu":
		moved := exchanged[n]
		each := counts{
			// of a column that m follow: a[j][j], m times a[i][j], a[jp][j]: header and element;
			// a[k] m times; a[ii], a[j], ai[j] m times, aj[jj] m*m times
			loads:   4*n + 2*first(n) + first(n) + 3*first(n) + second(n),
			stores:  n,                    // pivot[j]
			updates: first(n) + second(n), // a[k][j] *= m times, ai[jj] -= m*m times
		}
		each.loads += 2 * (n - 1) // 1 / a[j][j], but in the last column
		each.loads += 2 * moved   // a[j], a[jp] = a[jp], a[j]
		each.stores += 2 * moved  // the same
		return map[string]counts{
			"main.newMatrix":  matrix,
			"main.fillMatrix": rows.times(rounds),
			// the matrix in each round and again for the residual, b and again
			"main.fill":   {stores: n*n*(rounds+1) + 2*n},
			"main.factor": each.times(rounds),
			// pivot[i], b[ip], b[i]; b[ip] =, b[i] =; lu[i][j] and b[j] below the diagonal. Then
			// b[i], lu[i][i]; b[i] =; lu[i][j] and b[j] above it
			"main.solve":      {loads: 3*n + 3*first(n) + 3*n + 3*first(n), stores: 2*n + n},
			"main.luResidual": {loads: n * (3*n + 2)}, // row[j], x[j], row[j]; b[i], x[i]
			"main.exchanges":  {loads: n},
			"main.sum":        sum,
		}, []string{"main.factor"}
	case "sor":
		inner := max(0, n-2)
		return map[string]counts{
			"main.newMatrix":  matrix,
			"main.fillMatrix": rows,
			"main.fill":       {stores: n * n},
			// g[i], g[i-1], g[i+1]; four neighbours and the element itself, which is stored
			"main.relax": {loads: rounds * inner * (3 + 5*inner), stores: rounds * inner * inner},
			// g[i-1], g[i]; row[j], above[j], row[j], row[j-1]; before and after
			"main.energy": {loads: 2 * (n - 1) * (2 + 4*(n-1))},
		}, []string{"main.relax"}
	default:
		each := s.nz / n
		return map[string]counts{
			"main.fill":   {stores: n + n*each},
			"main.spread": {loads: n, stores: n + n*each}, // row[r]; row[r+1] =, col[..] =
			// row[r], row[r+1]; x[col[i]], col[i], val[i]; y[r] =
			"main.multiply": counts{loads: n * (2 + 3*each), stores: n}.times(rounds),
			// row[r]; row[r+1] once more than there are elements; col[i], val[i], u[r]; au[] +=
			"main.transposed": {loads: n * (1 + each + 1 + 3*each), updates: n * each},
			"main.dot":        dot.times(2),
			"main.sum":        sum,
		}, []string{"main.multiply"}
	}
}
