package seventeen

import (
	max "math"
	clear "none"
)

var Order = append([]string{"seventeen"}, clear.Order...)

func Array(s []int) [2]int {
	p := (*[2]int)(s)
	p[0]++
	return *p
}

func Names(s []float64) float64 {
	s[0] = max.Abs(s[0])
	return s[0] + s[1]
}
