package laplace

import "krdlab/kernels/isa"

// Options choose a [Kernel].
type Options struct {
	Order int     // MinOrder to MaxOrder
	ISA   isa.Set // Auto is the best of this machine
	// Dipoles keeps the multipoles of degree 1. They vanish about the centre of mass where all
	// charges have one sign, so that M2L need not look at them. With charges of both signs there is
	// no such centre and they must be kept.
	Dipoles bool
	Packed  bool // cells are packed: see Terms
}

// A Kernel holds the operators of one order. It is read-only after [New]: any number of workers may
// use it at once, on cells and ranges of bodies that do not overlap where they are written.
type Kernel struct {
	Terms
	t       *tables
	isa     isa.Set
	dipoles bool
	one     oneFunc // nil: portable
	mutual  mutualFunc
	passes  passFuncs // likewise
}

// New returns the operators of an order: an [*OrderError] outside 2 to 10, an
// [*isa.UnsupportedError] for instructions that this machine lacks.
func New(o Options) (*Kernel, error) {
	terms, err := TermsOf(o.Order)
	if err != nil {
		return nil, err
	}
	set, err := o.ISA.Resolve()
	if err != nil {
		return nil, err
	}
	if o.Packed {
		terms = terms.Pack()
	}
	k := &Kernel{Terms: terms, t: tablesOf[o.Order](), isa: set, dipoles: o.Dipoles}
	k.one, k.mutual = simdM2L(k)
	k.passes = simdPasses(k)
	return k, nil
}

// ISA returns the instruction set in use, never Auto.
func (k *Kernel) ISA() isa.Set { return k.isa }

// Dipoles reports whether multipoles of degree 1 are kept.
func (k *Kernel) Dipoles() bool { return k.dipoles }

// Flops returns the floating-point operations of an M2L, or of an M2LMutual: two for each product
// of a multipole with a derivative, in each direction; one for each multipole and three for each
// local, which are scaled and added; two for each term of the recurrence (7) of the derivatives,
// three where it has a factor u, once. Assembly may do more, on lanes that are not needed, or
// fewer.
func (k *Kernel) Flops(mutual bool) uint64 {
	products, derivs := 0, 0
	for _, row := range k.t.pairs {
		products += len(row)
		if !k.dipoles {
			products -= min(max(len(row)-1, 0), 3) // terms 1 to 3 are those of degree 1
		}
	}
	for _, r := range k.t.derivs {
		for _, t := range r.terms {
			derivs += 3
			if t.axis == 3 {
				derivs--
			}
		}
	}
	multipoles, directions := k.Multipoles, 1
	if !k.dipoles {
		multipoles -= 3
	}
	if mutual {
		directions = 2
	}
	return uint64(directions*(2*products+multipoles+3*k.Locals) + derivs)
}
