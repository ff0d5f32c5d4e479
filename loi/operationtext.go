package loi

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
		for _, f := range flagWords {
			if v.flags()&f.bit != 0 {
				words = append(words, f.word)
			}
		}
		if v.Step != 0 {
			words = append(words, "steps", u(v.Step))
		}
		if v.Update != NoUpdate {
			words = append(words, "by", name(v.Update.String()))
		}
		for _, x := range v.Operands {
			words = append(words, "from", x.From.Kind.String(), u(x.From.N), "cost", u(x.Cost))
			if x.Control {
				words = append(words, "control")
			}
			if x.Update != NoUpdate {
				words = append(words, "by", name(x.Update.String()))
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
		for _, f := range flagWords {
			if p.accept(f.word) {
				v.flagged(v.flags() | f.bit)
			}
		}
		if p.accept("steps") {
			v.Step = uint32(p.uint(all))
		}
		v.Update = p.update()
		for p.err == nil && p.accept("from") {
			x := Operand{From: p.place()}
			p.expect("cost")
			x.Cost = uint32(p.uint(all))
			x.Control = p.accept("control")
			x.Update = p.update()
			v.Operands = append(v.Operands, x)
		}
		o.Values = append(o.Values, v)
	}
	r := &p.head.Header.Registry
	r.Operations = append(r.Operations, o)
}

// flagWords are the flags of a value without more, in the order in which they stand.
var flagWords = []struct {
	bit  uint64
	word string
}{{1, "then"}, {2, "new"}, {8, "rounds"}, {16, "blind"}}

// update reads what stands behind "by", if it is there.
func (p *textParser) update() Update {
	if !p.accept("by") {
		return NoUpdate
	}
	w := p.word()
	for u := Sum; u <= lastUpdate; u++ {
		if w == u.String() {
			return u
		}
	}
	p.fail("%q is no update; expected one of %q", w, updateNames[Sum:])
	return NoUpdate
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
