package loi

// RecordBytes returns the size of a record of a kernel with the given number of parameters whose
// duration fits 32 bits.
func RecordBytes(params int) uint64 { return uint64(16 + (params+1)/2*8) }

// Size returns an upper bound for the size of a trace of records kernel executions with params
// parameters each by the given number of workers, written with opt: the size of the file while it
// is written, spare chunks included. The header of a registry with very many objects or size runs
// comes on top. After Close it is smaller, by up to two chunks for each worker.
func Size(records uint64, params, workers int, opt Options) uint64 {
	opt = opt.withDefaults()
	page := uint64(pageSize())
	round := func(n uint64) uint64 { return (n + page - 1) / page * page }
	rec := RecordBytes(params)
	data := records * rec
	// A worker has at most a begun chunk and a spare; a full one wastes its header and less than a
	// record.
	chunks := uint64(2*workers) + data/round(uint64(min(opt.ChunkBytes, opt.FirstChunkBytes)))
	perWorker := round(uint64(opt.FirstChunkBytes)) + 2*round(uint64(opt.ChunkBytes))
	if data < uint64(opt.FirstChunkBytes)-chunkHeaderBytes { // nobody gets beyond the first chunk
		perWorker = round(uint64(opt.FirstChunkBytes)) +
			round(min(4*round(uint64(opt.FirstChunkBytes)), uint64(opt.ChunkBytes)))
	}
	n := data + uint64(workers)*perWorker + chunks*(chunkHeaderBytes+rec+entryBytes) +
		round(uint64(workers+1)*slotBytes) + 4*page
	if opt.MaxBytes > 0 {
		n = min(n, max(opt.MaxBytes, round(uint64(workers+1)*slotBytes)+4*page))
	}
	return n
}
