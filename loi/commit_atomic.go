//go:build !amd64 || race

package loi

import "sync/atomic"

// commit stores the word that makes a record valid, after all other words of the record.
func commit(p *uint64, v uint64) { atomic.StoreUint64(p, v) }
