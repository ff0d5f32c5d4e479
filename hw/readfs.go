package hw

import (
	"io/fs"
	"strconv"
	"strings"
)

// readText returns a file without the white space around it and the NUL bytes behind it (Linux
// 5.15-rc ends lists and masks of CPUs with one); ok is false when there is no such file, it cannot
// be read, or it is empty.
func readText(fsys fs.FS, name string) (text string, ok bool) {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return "", false
	}
	text = strings.TrimSpace(strings.TrimRight(string(b), "\x00"))
	return text, text != ""
}

// readInt works like readText, for a decimal number.
func readInt(fsys fs.FS, name string) (n int, ok bool) {
	text, ok := readText(fsys, name)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// cpuinfoField returns the value of the first line of /proc/cpuinfo that begins with key.
func cpuinfoField(fsys fs.FS, key string) (value string, ok bool) {
	text, _ := readText(fsys, "proc/cpuinfo")
	for line := range strings.Lines(text) {
		k, v, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v), true
		}
	}
	return "", false
}
