package units

import (
	"fmt"
	"strings"
)

// Bytes prints n in the largest binary unit that is not above it, with one decimal where that is no
// whole number: 512 B, 48 KiB, 18 MiB, 97.7 KiB.
func Bytes(n uint64) string {
	const units = "KMGTPE"
	unit, whole, value := "B", n, float64(n)
	exact := true
	for i := 0; i < len(units) && value >= 1024; i++ {
		exact = exact && whole%1024 == 0
		whole /= 1024
		value /= 1024
		unit = units[i:i+1] + "iB"
	}
	if exact {
		return fmt.Sprintf("%d %s", whole, unit)
	}
	return fmt.Sprintf("%.1f %s", value, unit)
}

// Count prints how many there are of what, a noun whose plural ends in s: 1 core, 24 cores.
func Count[N int | int64 | uint64](n N, what string) string {
	return fmt.Sprintf("%d %s", n, Noun(n, what))
}

// Noun returns the noun what, in the plural unless n is 1.
func Noun[N int | int64 | uint64](n N, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// Yes returns yes or no.
func Yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// Ordinal prints a place, from 1: 1st, 2nd, 3rd, 4th, 11th, 21st.
func Ordinal(n int) string {
	ending := "th"
	if n/10%10 != 1 && n%10 > 0 && n%10 < 4 {
		ending = []string{"st", "nd", "rd"}[n%10-1]
	}
	return fmt.Sprint(n, ending)
}

// List joins words as a sentence does: a, b and c.
func List(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Shorten cuts a name in the middle to so many letters, at least 2.
func Shorten(name string, width int) string {
	r := []rune(name)
	if len(r) <= width {
		return name
	}
	end := (width - 1) / 2
	return string(r[:width-1-end]) + "…" + string(r[len(r)-end:])
}
