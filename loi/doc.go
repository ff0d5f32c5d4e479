// Package loi is the tracer: low-overhead instrumentation of kernels.
//
// The unit is one kernel execution: which kernel, on which worker, when it began and ended, and the blocks of data that it
// read and wrote (KRD paper, III-A). Identities are virtual (ViRDA, section 3): an [Object] is registered with a name and a
// partition into blocks, and records name blocks, never addresses. There are two modes: a [Profile] counts executions and
// their time, a [Writer] with a [Recorder] for each worker writes a trace file, which [Open] reads.
//
// # What is promised
//
// A record is in the file when the method of the recorder returns: the worker stores it into a mapping of the file, its
// commit word last. Whoever kills the process, the kernel keeps the pages; each worker loses at most the record that it was
// writing, and [Recover] finds the rest. (A crash of the machine is another matter: what had not reached the disk is gone.
// Recover then keeps what is whole, and says how much is not.)
//
// A chunk is allocated before it is mapped, with fallocate or by writing zeros, so that a full disk shows there, and never
// as a SIGBUS. From then on the records of a worker that needs another chunk are discarded, and counted in the file; what is
// kept of each worker is all that it did up to some moment. Room for the footer is allocated together with each chunk.
//
// A file that was closed has a checksum over each of its bytes. A change of any bit is an error of Open that says where.
//
// # The file
//
// All numbers are little-endian. A file is, in this order: prefix, header, padding, count page, chunks, footer. CRC means
// CRC-32C (Castagnoli).
//
// Prefix, 64 bytes, the same in all versions:
//
//	0   8 bytes  0x89 L O I CR LF 0x1a LF
//	8   uint32   version, now 1
//	12  uint32   flags: 1 recovered, 2 written without a mapping (a kill may have lost more)
//	16  uint64   bytes of the header, which begins at 64
//	24  uint64   offset of the count page, a multiple of 8
//	32  uint64   offset of the first chunk, a multiple of 8
//	40  uint32   workers
//	44  12 bytes zero
//	56  uint32   CRC of the header
//	60  uint32   CRC of bytes 0 to 59
//
// Header: integers as varints (7 bits in a byte, the lowest first, the top bit set in all but the last), signed ones as the
// uint64 with the same bits; strings with their length in bytes first; lists with their length first; booleans as 0 or 1:
//
//	clock        source (string), Hz (bits of a float64, as an integer), invariant (boolean)
//	             nodes, L2 bytes, LLC bytes, substrate (string), synthetic (boolean), grain (string)
//	workers      list of: CPU + 1, node, TSC offset (signed)
//	objects      list of: name (string), list of: blocks, bytes of each
//	kernels      list of: name (string), list of: object, mode (1 in, 2 out, 3 inout)
//	notes        list of: key (string), value (string)
//
// Count page: slots of 64 bytes. The first begins with a uint64, "OPEN" while the file is written and "CLEAN" in the end. One
// for each worker follows, all uint64: records discarded, kernel executions in them, chunks begun, bytes that a recovery gave
// up as damaged; the rest is zero. It changes when a chunk is begun and when a record is discarded, by the worker itself.
//
// Chunks follow each other without a gap, each with a header of 32 bytes:
//
//	0   uint32   "LCHK"
//	4   uint32   worker
//	8   uint64   bytes of the chunk with this header (low 40 bits), and the low 24 bits of the CRC of these 8 bytes with the
//	             upper 24 bits zero
//	16  uint64   offset of the chunk in the file
//	24  uint32   number of the chunk among those of its worker, from 0; 0xffffffff: not begun
//	28  uint32   CRC of bytes 0 to 7 and 16 to 27
//
// Records follow, back to back, the rest of the chunk being zero. A worker that leaves a chunk writes an end record, if there
// is room for one.
//
// A record is a sequence of 8-byte words:
//
//	word 0   start stamp in ticks; of an event, its time
//	word 1   commit word: duration in ticks (bits 0-31), kernel or kind of event (32-47), type (48-51), flags (52-55), number
//	         of arguments (56-63). Never zero; written last.
//	[end]    end stamp, if flag 1 is set, for durations of 2^32 ticks and more; the duration is then 0
//	body     by type
//
// Flags: 1 an end stamp follows; 2 the kernel was preempted; 4 it ended on another CPU than it began on. Types:
//
//	1   kernel by signature: one uint32 block number for each declared parameter, two in a word
//	2   kernel with its accesses listed: a word with their number, then for each a word: block (bits 0-31), object (32-47),
//	    mode (48-55), 1 in bits 56-63 if a word with the size of the block follows
//	3   event: uint32 arguments, two in a word; see EventKind
//	4   task: its two stamps hold for all its kernels. A word with the number of calls, then for each a word: kernel (bits
//	    0-13), number of arguments (14-15), two arguments of 24 bits (16-39, 40-63). The number 3 marks a long form: kernel
//	    (16-31), number of arguments (32-63), then the arguments as in type 1
//	15  end of what is in the chunk; word 0 is zero
//
// Stamps are as they were taken; Worker.TSCOffset brings them to a common clock. The records of a worker are in the order in
// which they were committed.
//
// Footer: for each chunk, in order of offset, 48 bytes, then a trailer of 40 bytes, the last of the file:
//
//	0   uint64   offset of the chunk            0   uint64   offset of the footer
//	8   uint64   its bytes with the header      8   uint64   number of chunks
//	16  uint64   bytes of records               16  uint64   number of records
//	24  uint64   number of records              24  uint32   CRC of all bytes before the first chunk
//	32  uint32   worker                         28  uint32   CRC of the table of chunks
//	36  uint32   number of the chunk            32  uint32   "LEND"
//	40  uint32   CRC of all its bytes           36  uint32   CRC of bytes 0 to 35 of the trailer
//	44  uint32   zero
//
// # Versions
//
// A reader refuses a file of a newer version ([ErrNewerVersion]); it knows the prefix, and so can tell that the file is not
// merely damaged. A reader of a later version reads all older ones. Within a version nothing is added that an older reader
// would take for something else: unknown flags and types are errors ([ErrCorrupt]), unknown kinds of events are kept.
//
// # Designs that were rejected
//
// A writer goroutine that copies filled buffers to the file costs about as much (11-14 ns for a record) but a kill loses whole
// buffers. One growing mapping for all workers makes them share cache lines and page table locks. Waiting for the next chunk
// instead of making it hides a slow disk in the kernels' times; a worker that finds no spare makes the chunk itself, and
// Stats.Stalls tells how often. Shorter records (deltas of stamps in varints) cost more time than the bytes are worth, and a
// record that was torn by a kill could not be told from a good one.
package loi
