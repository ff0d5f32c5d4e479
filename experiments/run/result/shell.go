package result

import (
	"regexp"
	"slices"
	"strings"
)

var harmless = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)

// Shell quotes words as a POSIX shell reads them. The first is krdlab, however it was called.
func Shell(argv []string) string {
	words := slices.Clone(argv)
	for i, w := range words {
		if i == 0 {
			w = "krdlab"
		}
		if !harmless.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}
