package loi

import "strconv"

// operation writes the line of an operation in the text form.
func (p *textPrinter) operation(o *Operation) {
	words := []string{"operation", name(o.Name), o.Kind.String(), "kernel", u(o.Kernel)}
	if o.Region != NoRegion {
		words = append(words, "region", u(o.Region))
	}
	if o.Kind.Calls() && o.Callee != NoRegion {
		words = append(words, "callee", u(o.Callee))
	}
	words = append(words, "line", u(o.Line), "work", u(o.Work))
	for _, v := range o.Values {
		words = append(words, "to", v.To.Kind.String(), u(v.To.N))
		if v.Name != "" {
			words = append(words, "named", name(v.Name))
		}
		if v.When != Always {
			words = append(words, v.When.String())
		}
		if v.Then {
			words = append(words, "then")
		}
		for _, x := range v.Operands {
			words = append(words, "from", x.From.Kind.String(), u(x.From.N), "cost", u(x.Cost))
			if x.Control {
				words = append(words, "control")
			}
			if x.Mark != Unmarked || x.Levels != 0 {
				words = append(words, x.Mark.String(), strconv.Itoa(int(x.Levels)))
			}
		}
	}
	p.line(words...)
}

// operation reads what its namesake of textPrinter writes, behind the first word.
func (p *textParser) operation() {
	const all = 1<<32 - 1
	o := Operation{Name: p.word(), Region: NoRegion}
	for k := Compute; k <= lastOperationKind; k++ {
		if p.accept(k.String()) {
			o.Kind = k
		}
	}
	p.expect("kernel")
	o.Kernel = KernelID(p.uint(maxKernels))
	if p.accept("region") {
		o.Region = RegionID(p.uint(maxRegions - 1))
	}
	if o.Kind.Calls() {
		if o.Callee = NoRegion; p.accept("callee") {
			o.Callee = RegionID(p.uint(maxRegions - 1))
		}
	}
	p.expect("line")
	o.Line = uint32(p.uint(all))
	p.expect("work")
	o.Work = uint32(p.uint(all))
	for len(p.toks) > 0 && p.err == nil {
		p.expect("to")
		v := Value{To: p.place()}
		if p.accept("named") {
			v.Name = p.word()
		}
		for w := First; w <= Later; w++ {
			if p.accept(w.String()) {
				v.When = w
			}
		}
		v.Then = p.accept("then")
		for p.err == nil && p.accept("from") {
			x := Operand{From: p.place()}
			p.expect("cost")
			x.Cost = uint32(p.uint(all))
			x.Control = p.accept("control")
			for m := Unmarked; m <= lastMark; m++ {
				if p.accept(m.String()) {
					x.Mark, x.Levels = m, uint8(p.uint(255))
				}
			}
			v.Operands = append(v.Operands, x)
		}
		o.Values = append(o.Values, v)
	}
	r := &p.head.Header.Registry
	r.Operations = append(r.Operations, o)
}

func (p *textParser) place() Place {
	for k := Slot; k <= lastPlaceKind; k++ {
		if p.accept(k.String()) {
			return Place{k, uint32(p.uint(1<<32 - 1))}
		}
	}
	p.fail("expected slot, memory, returned, passed or channel")
	return Place{}
}
