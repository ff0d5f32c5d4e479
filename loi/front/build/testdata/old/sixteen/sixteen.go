package sixteen

import _ "embed" // since Go 1.16, of go.mod

//go:embed go.mod
var text string

func Size(p *[1]int) int {
	p[0] += len(text)
	return p[0]
}
