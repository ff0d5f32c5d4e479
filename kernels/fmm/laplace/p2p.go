package laplace

import (
	"math"

	"krdlab/kernels/isa"
)

// maxRun is the longest range of sources whose sum is one float32 accumulator: longer ones are cut,
// so that rounding does not grow with the length of a leaf.
const maxRun = 512

// P2P adds to the bodies tlo to thi-1 the potential of the bodies slo to shi-1 and its gradient,
// pair by pair: equation (1). Bodies at distance 0 give each other nothing, itself included. The
// ranges may be equal or disjoint.
func (k *Kernel) P2P(b *Bodies, tlo, thi, slo, shi int) {
	b.check(tlo, thi)
	b.check(slo, shi)
	for ; slo < shi && tlo < thi; slo += maxRun {
		k.p2p(b, tlo, thi, slo, min(shi, slo+maxRun))
	}
}

// P2PMutual works like P2P both ways between the bodies ilo to ihi-1 and jlo to jhi-1, two disjoint
// ranges. It writes the results of both.
func (k *Kernel) P2PMutual(b *Bodies, ilo, ihi, jlo, jhi int) {
	b.check(ilo, ihi)
	b.check(jlo, jhi)
	if k.isa != isa.Portable && ihi-ilo <= maxRun && jhi-jlo <= maxRun && ilo < ihi && jlo < jhi {
		mutualSIMD(k.isa, b, ilo, ihi, jlo, jhi)
		return
	}
	k.P2P(b, ilo, ihi, jlo, jhi)
	k.P2P(b, jlo, jhi, ilo, ihi)
}

// P2PSelf adds to the bodies lo to hi-1 what they make for each other.
func (k *Kernel) P2PSelf(b *Bodies, lo, hi int) { k.P2P(b, lo, hi, lo, hi) }

// check panics unless lo <= hi is a range of the bodies, for the assembly would not. That the
// arrays have one length is looked at for the first and the last.
func (b *Bodies) check(lo, hi int) {
	_ = b.X[lo:hi]
	_ = b.AZ[lo:hi]
}

func (k *Kernel) p2p(b *Bodies, tlo, thi, slo, shi int) {
	if k.isa != isa.Portable {
		p2pSIMD(k.isa, b, tlo, thi, slo, shi)
		return
	}
	p2pPortable(b, tlo, thi, slo, shi)
}

// p2pPortable works like the assembly's loop. All ranges hold at least one body.
func p2pPortable(b *Bodies, tlo, thi, slo, shi int) {
	sx, sy, sz, sq := b.X[slo:shi], b.Y[slo:shi], b.Z[slo:shi], b.Q[slo:shi]
	sy, sz, sq = sy[:len(sx)], sz[:len(sx)], sq[:len(sx)]
	for i := tlo; i < thi; i++ {
		x, y, z := b.X[i], b.Y[i], b.Z[i]
		var p, ax, ay, az float32
		for j := range sx {
			dx, dy, dz := sx[j]-x, sy[j]-y, sz[j]-z
			r2 := dx*dx + dy*dy + dz*dz
			if r2 == 0 {
				continue
			}
			inv := 1 / float32(math.Sqrt(float64(r2)))
			w := sq[j] * inv
			f := w * inv * inv
			p += w
			ax += f * dx
			ay += f * dy
			az += f * dz
		}
		b.P[i] += p
		b.AX[i] += ax
		b.AY[i] += ay
		b.AZ[i] += az
	}
}
