//go:build amd64 && !race

package loi

// commit stores the word that makes a record valid. On amd64 stores reach memory in program order (Intel SDM 3A, 8.2.2)
// and the Go compiler keeps the order of stores, so that a plain store is enough: whoever looks at the mapping, now or after
// this process was killed, sees the whole record or a zero.
func commit(p *uint64, v uint64) { *p = v }
