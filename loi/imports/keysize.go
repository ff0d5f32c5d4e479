package imports

import (
	"bytes"

	"krdlab/loi"
)

// parseKeySize reads lines of a key and a size in bytes, with a comma, a space or a tab between, as
// traces of caches come: each is a read, at the time that is the number of its line. A key that is
// a decimal number below 2^64 without leading zeros is that block; any other key gets a number of
// its own, and a number that is taken by then gets another one too: two keys are one block only if
// they are equal.
func parseKeySize(b *blocks, out *outlet) error {
	out.b.objects = append(out.b.objects, "keys")
	out.b.kernels = append(out.b.kernels, defaultKernel)
	p := keyParser{given: ^uint64(0)}
	var empty uint64 // line
	seen := false
	err := b.eachLine(func(line uint64, text []byte) error {
		switch {
		case len(text) == 0 && empty == 0:
			empty = line
			return nil
		case len(text) == 0:
			return nil
		case empty > 0:
			return fault(empty, "", "an empty line, expected a key and a size")
		}
		seen = true
		key, size, err := p.split(line, text)
		if err != nil {
			return err
		}
		if line == 1 && bytes.EqualFold(key, []byte("key")) &&
			bytes.EqualFold(size, []byte("size")) {
			return nil
		}
		r := out.next()
		*r = row{time: line, end: line, pos: line, mode: loi.In}
		v, err := number(size)
		if err != nil {
			return fault(line, "size", "%v", err)
		}
		if err := r.set(colBytes, v); err != nil {
			err.(*DataError).Column = "size"
			return err
		}
		r.block = p.block(key)
		return out.add()
	})
	if err == nil && !seen {
		return fault(0, "", "empty, expected lines with a key and a size")
	}
	return err
}

// firstGiven is below all numbers that keys are given: there is no memory for 2^40 keys.
const firstGiven = 1<<64 - 1<<40

// A keyParser gives numbers to keys.
type keyParser struct {
	csv     csvParser // for lines with quotes
	numbers keyTable  // numbers from firstGiven on that are keys, with the word 1
	other   map[string]uint64
	given   uint64 // to keys that are not numbers, from 2^64-1 down: the next
}

// split cuts a line in two.
func (p *keyParser) split(line uint64, text []byte) (key, size []byte, err error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, nil, fault(line, "", "a NUL byte in %s, expected a key and a size",
			quoteShort(text))
	}
	if text[0] == '"' {
		n, _, err := p.csv.split(append(text[:len(text):len(text)], '\n'), line, true)
		if err != nil {
			return nil, nil, err
		}
		if n == 0 || len(p.csv.fields) != 2 {
			return nil, nil, fault(line, "", "%d fields, expected a key and a size",
				len(p.csv.fields))
		}
		return p.csv.fields[0], p.csv.fields[1], nil
	}
	i := bytes.IndexByte(text, ',')
	if i < 0 {
		i = bytes.IndexAny(text, " \t")
	}
	if i < 0 {
		return nil, nil, fault(line, "", "%s has one field, expected a key and a size with a "+
			"comma, a space or a tab between", quoteShort(text))
	}
	key, size = text[:i], text[i+1:]
	if text[i] != ',' {
		size = bytes.Trim(size, " \t")
	}
	switch {
	case len(key) == 0:
		return nil, nil, fault(line, "key", "nothing, expected a number or a name")
	case bytes.ContainsAny(size, ", \t"):
		return nil, nil, fault(line, "", "%s has more than two fields, expected a key and a size",
			quoteShort(text))
	}
	return key, size, nil
}

// block returns the number of a key.
func (p *keyParser) block(key []byte) uint64 {
	if v, ok := canonical(key); ok {
		if v < firstGiven {
			return v
		}
		w := p.numbers.at(v)
		if *w != 0 {
			return v
		}
		if v > p.given {
			return p.name(key) // it is the number of a name, or may be
		}
		*w = 1
		p.numbers.added()
		return v
	}
	return p.name(key)
}

func (p *keyParser) name(key []byte) uint64 {
	if v, ok := p.other[string(key)]; ok {
		return v
	}
	if p.other == nil {
		p.other = make(map[string]uint64)
	}
	for p.numbers.has(p.given) {
		p.given--
	}
	v := p.given
	p.given--
	p.other[string(key)] = v
	return v
}

// canonical reads a decimal number below 2^64 that is written as strconv writes it.
func canonical(b []byte) (v uint64, ok bool) {
	if len(b) == 0 || len(b) > 20 || b[0] == '0' && len(b) > 1 {
		return 0, false
	}
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
	}
	v, err := number(b)
	return v, err == nil
}
