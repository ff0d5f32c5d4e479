package shadow

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// multiply makes step for each access of C += A B by halves of the longest side, the matrices of n
// x n data of 8 bytes one after the other. Each half is a region, and so are the outer ones that
// make the depth of a leaf of 8 x 8 x 8 what is given.
func multiply(l *Levels, depth, n int, step func(addr uint64)) {
	address := func(matrix, row, column int) uint64 {
		return 1<<32 + 8*uint64((matrix*n+row)*n+column)
	}
	var part func(i, j, k, m, o, p int)
	part = func(i, j, k, m, o, p int) {
		l.Enter()
		switch most := max(m, o, p); {
		case most <= 8:
			for x := i; x < i+m; x++ {
				for y := j; y < j+o; y++ {
					for z := k; z < k+p; z++ {
						step(address(0, x, z))
						step(address(1, z, y))
						step(address(2, x, y))
					}
				}
			}
		case most == m:
			part(i, j, k, m/2, o, p)
			part(i+m/2, j, k, m/2, o, p)
		case most == o:
			part(i, j, k, m, o/2, p)
			part(i, j+o/2, k, m, o/2, p)
		default:
			part(i, j, k, m, o, p/2)
			part(i, j, k+p/2, m, o, p/2)
		}
		l.Leave()
	}
	halves := 1 + 3*(bits.Len(uint(n))-bits.Len(8))
	l.enter(depth - halves)
	part(0, 0, 0, n, n, n)
	l.leave(depth - halves)
}

// BenchmarkVectors gives the time of a Load and a Store at 18 levels, and the most bytes that the
// vectors took for each byte of the matrices.
func BenchmarkVectors(b *testing.B) {
	const depth, n = 18, 128
	for _, x := range []struct {
		name string
		opt  VectorOptions
	}{
		{"baseline", VectorOptions{}},
		{"slim", VectorOptions{Validation: Slim}},
		{"bulk", VectorOptions{Validation: Bulk}},
		{"baseline+cache", VectorOptions{Cache: 1 << 20}},
		{"slim+cache", VectorOptions{Validation: Slim, Cache: 1 << 20}},
		{"bulk+cache", VectorOptions{Validation: Bulk, Cache: 1 << 20}},
		{"paper", VectorOptions{Validation: Bulk, Cache: 1 << 20, Compress: true}},
	} {
		b.Run(x.name, func(b *testing.B) {
			var l Levels
			v := newVectors(b, &l, x.opt)
			accesses, now := 0, uint64(0)
			tags, sum := vector(depth, 1), uint64(0)
			for b.Loop() {
				multiply(&l, depth, n, func(addr uint64) {
					sum += v.Load(addr)[depth-1]
					now++
					tags[depth-1] = now
					v.Store(addr, tags)
					accesses++
				})
			}
			if sum == 0 {
				b.Error("no tag was read")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(accesses), "ns/access")
			b.ReportMetric(float64(v.Usage().Total.Peak)/(3*n*n*8), "bytes/byte")
		})
	}
}

// BenchmarkCompression gives the bytes that compressed tables of times take, of what they take as
// they are: at each of 18 levels the time since its region began, of data that were written in an
// order that jitters.
func BenchmarkCompression(b *testing.B) {
	const levels, segments = 18, 256
	var u Usage
	for b.Loop() {
		var l Levels
		v := newVectors(b, &l, VectorOptions{Validation: Bulk, Compress: true, Uncompressed: 4096})
		rng := rand.New(rand.NewPCG(1, 2))
		l.enter(levels)
		tags := make([]uint64, levels)
		now := uint64(1 << 20)
		for i := range uint64(segments * 512) {
			now += 3 + rng.Uint64N(4)
			for level := range tags {
				tags[level] = now - uint64(level)*4096
			}
			v.Store(8*i, tags)
		}
		u = v.Usage()
	}
	full := float64((segments - 1) * levels * 4096)
	b.ReportMetric(float64(u.Compressed.Now)/full, "compressed/raw")
}
