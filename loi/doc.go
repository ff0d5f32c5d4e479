// Package loi records traces of kernel executions at low overhead, and reads and recovers them.
//
//	worker -> Recorder -> chunks of a Writer -> file -> Open -> Trace -> Cursor
//	                                   \--------> Writer.Trace ---/
//	other programs -> Builder ---------------> file
//
// The unit is one kernel execution: which kernel, on which worker, when it began and ended, and the
// blocks of data that it read and wrote (KRD paper, III-A). Identities are virtual (ViRDA, section
// 3): an [Object] is registered with a name, and records name parts of objects, never addresses. A
// [Partition] is cut into registered blocks; blocks of a [Keyed] object have 64-bit keys and are
// met as they come; of a [Span], an address space of bytes, accesses name ranges and
// two-dimensional blocks, which may overlap. There are two modes: a [Profile] counts executions and
// their time, a [Writer] with a [Recorder] for each worker writes a trace file, which [Open] reads.
// A [Builder] writes traces that were not recorded here. A trace that is not to be kept is recorded
// in memory ([NewMemory]); [Writer.Trace] gives it without reading anything back.
//
// # What is promised
//
// A record is in the file when the method of the recorder returns: the worker stores it into a
// mapping of the file, its commit word last. If the process is killed, the kernel keeps the pages;
// each worker loses at most the record that it was writing, and [Recover] finds the rest. (A crash
// of the machine is another matter: pages that had not reached the disk are gone. Recover then
// keeps the whole records, and reports how many are not whole, if that is known.)
//
// A chunk is allocated before it is mapped, with fallocate or by writing zeros, so that a full disk
// shows there, and never as a SIGBUS. From then on the records of a worker that needs another chunk
// are discarded, and counted in the file; each worker keeps all its records up to some moment. Room
// for the footer is allocated together with each chunk.
//
// A file that was closed has a checksum over each of its bytes. A change of any bit is an error of
// Open with its place.
//
// A Builder promises less: until its Close, its records are in memory and in a file without a
// header, so that nothing can be recovered. Imported and generated traces can be made again.
//
// # The file
//
// All numbers are little-endian. A file is, in this order: prefix, header, padding, count page,
// padding, chunks, footer. CRC means CRC-32C (Castagnoli). The whole may be compressed as one zstd
// stream (RFC 8878), of a window of at most 128 MiB; readers know it by its first four bytes, and
// all offsets are those of the decompressed file.
//
// Prefix, 64 bytes, the same in all versions:
//
//	0   8 bytes  0x89 L O I CR LF 0x1a LF
//	8   uint32   version, 4
//	12  uint32   flags: 1 recovered, 2 written without a mapping (a kill may have lost more)
//	16  uint64   bytes of the header, which begins at 64
//	24  uint64   offset of the count page, a multiple of 8
//	32  uint64   offset of the first chunk, a multiple of 8
//	40  uint32   workers
//	44  12 bytes zero
//	56  uint32   CRC of the header
//	60  uint32   CRC of bytes 0 to 59
//
// Header: integers as varints (7 bits in a byte, the lowest first, the top bit set in all but the
// last), signed ones as the uint64 with the same bits; strings with their length in bytes first;
// lists with their length first; booleans as 0 or 1:
//
//	clock        source (string), Hz (bits of a float64, as an integer), invariant (boolean)
//	             nodes, L2 bytes, LLC bytes; how the two are known (strings);
//	             substrate (string), synthetic (boolean), grain (string)
//	program      kernel (string), scheduler (string), parameters as list of: name
//	             (string), value (string); cores, seed, machine (string), its hash (string),
//	             unordered (boolean)
//	workers      list of: CPU + 1, node, TSC offset (signed)
//	objects      list of: name (string), kind (0 partition, 1 keyed, 2 span),
//	             list of: blocks, bytes of each (empty unless it is a partition)
//	kernels      list of: name (string), list of: object (a partition), mode (1 in, 2 out, 3 inout);
//	             list of: for each of these the number of the argument that names its
//	             block (empty: each its own)
//	regions      list of: name (string), kind (1 function, 2 loop, 3 task,
//	             4 iteration), number of the region that it stands in + 1, an earlier one, or 0
//	notes        list of: key (string), value (string)
//	operations   where there are some: their number + 2^21 (without: of before updates, refused); of
//	             each: name (string), kind (1 compute, 2 condition,
//	             3 head, 4 call, 5 return, 6 entry, 7 go, 8 defer; of 4, 7 and 8, 16 is
//	             added if the region that is called follows), kernel, region + 1 or 0,
//	             line, work, list of values: place (kind: 0 slot, 1 memory, 2 returned, 3 passed,
//	             4 channel; its number), name, when (0 always, 1 in the
//
// XX//
// Count page: slots of 64 bytes. The first begins with a uint64, "OPEN" while the file is written
// and "CLEAN" in the end. One for each worker follows, all uint64: records discarded, kernel
// executions in them, chunks begun, bytes that a recovery gave up without knowing how many
// records they held; the rest is zero. It changes when a chunk is begun and when a record is
// discarded, by the worker itself.
//
// Chunks follow each other without a gap, each with a header of 32 bytes:
//
//	0   uint32   "LCHK"
//	4   uint32   worker
//	8   uint64   bytes of the chunk with this header (low 40 bits), and the low 24 bits of the CRC
//	             of these 8 bytes with the upper 24 bits zero
//	16  uint64   offset of the chunk in the file
//	24  uint32   number of the chunk among those of its worker, from 0; 0xffffffff: not begun
//	28  uint32   CRC of bytes 0 to 7 and 16 to 27
//
// Records follow, back to back, the rest of the chunk being zero. A worker that leaves a chunk
// writes an end record, if there is room for one. A chunk that is not begun has none; a Builder
// puts the names into some that recovery needs, see names.go. In its file, until it is closed,
// workers may have chunks that the header does not tell of.
//
// A record is a sequence of 8-byte words:
//
//	word 0   start stamp in ticks; of an event, its time
//	word 1   commit word: duration in ticks (bits 0-31), kernel or kind of event (32-47), type
//	         (48-51), flags (52-55), number of arguments (56-63). Never zero; written last.
//	[end]    end stamp, if flag 1 is set, for durations of 2^32 ticks and more; the duration is
//	         then 0
//	body     by type
//
// Flags: 1 an end stamp follows; 2 the kernel was preempted; 4 it ended on another CPU than it
// began on. Types:
//
//	1   kernel by signature: one uint32 block number for each declared parameter, two in a word
//	2   kernel with its accesses listed: a word with their number, then for each a word: object in
//	    bits 32-47, mode in 48-55, shape in 56-63; bits 0-31 and the words that follow by shape:
//	      0   number of a block of a partition
//	      1   the same; a word: size of the block
//	      2   size; a word: key of a block of a keyed object, or offset of a range in a span
//	      3   zero; words: key or offset, size
//	      4   rows, at least 2, of a block of a span; words: offset, bytes of a row, bytes from a
//	          row to the next
//	3   event: uint32 arguments, two in a word; see EventKind
//	4   task: its two stamps hold for all its kernels. A word with the number of calls, then for
//	    each a word: kernel (bits 0-13), number of arguments (14-15), two arguments of 24 bits
//	    (16-39, 40-63). The number 3 marks a long form: kernel (16-31), number of arguments
//	    (32-63), then the arguments as in type 1
//	5   run: executions of one kernel with one access each, to a keyed object or one range of a
//	    span, that take no time. Their number is in the place of the duration; flags
//	    and number of arguments are zero. Two words for each: key or offset; and size (bits 0-23),
//	    ticks since the start of the one before, or since word 0 (24-43), mode (44-47), object
//	    (48-63)
//	15  end of what is in the chunk; word 0 is zero
//
// Events, with their arguments (new kinds need no new version, since readers keep what they do not
// know):
//
//	1   steal         victim worker (the first of a shared queue's), 1 if on another node, entries
//	4   idle          none: the worker began to look for work
//	5   busy          none: it found some
//	6   task          task, parent, its phase, child, children of the first phase: child number
//	                  child of that phase of parent turned out to be task, which begins
//	7   child         task, phase, child: that child ran in place and has ended
//	8   phase         task, phase, children: all children of the phase have ended, and so has the
//	                  code that followed; the next has so many, or the task has ended with none
//	9   of            task, phase, child: what the record before this one belongs to, of what
//	                  followed the phase if child is 0xffffffff; where workers are unordered
//	10  region        region, number, parent: a region of the table begins; parent is the number of
//	                  another, or 0 for the innermost that is open on this worker
//	11  region end    number
//	20  spawn         goroutine, ticks off its thread (64 bits): the worker started it
//	21  start         goroutine, and the kernel that is its function, if that is known: the worker
//	                  is that one, and begins
//	22  end           goroutine, ticks off its thread (64 bits): it ends
//	23  sync          operation (bits 0-7; 8: a case of a select, 9: of a timer's channel), object
//	                  (0xffff: not known), room; 64 bits each: which of them, tick at which the
//	                  operation began, tick at which it took effect, ticks off the thread; it has
//	                  ended (type Sync)
//	25  lines         for each access of the worker since its event of this kind before, 16 bits,
//	                  the lower half first: the kernel whose name is the function and the line of
//	                  the access, or 0xffff
//	32  operation     operation of the table; for each access of the worker since its operation
//	                  before, in the same activation of a function, 1 + its term, or 0
//
// Tasks and regions have numbers from 1, each used once in a trace; as a parent, 0 is the program.
// The records of a worker since its last event of kind 6, 7 or 8 belong to the piece of code that
// the next such event ends. So two events a task hold the whole graph: package dag rebuilds it.
// Regions nest on each worker.
//
// Sizes are not zero; sizes of keyed blocks and ends of ranges are at most 2^62, and rows do not
// overlap.
//
// Stamps are as they were taken; Worker.TSCOffset brings them to a common clock. The records of a
// worker are in the order in which they were committed.
//
// Footer: for each chunk, in order of offset, 48 bytes, then a trailer of 40 bytes, the last of the
// file:
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
// There is one version, and a reader refuses a file of another ([ErrVersion]); the prefix is the
// same in all, so that such a file is not taken for a damaged one. Within a version nothing is added
// that an earlier reader would take for something else: unknown flags and types are errors
// ([ErrCorrupt]), unknown kinds of events are kept.
//
// # Designs that were rejected
//
// A writer goroutine that copies filled buffers to the file costs about as much (11-14 ns for a
// record) but a kill loses whole buffers. One growing mapping for all workers makes them share
// cache lines and page table locks. Waiting for the next chunk instead of making it hides a slow
// disk in the kernels' times; a worker that finds no spare makes the chunk itself, and Stats.Stalls
// counts these. Shorter records (deltas of stamps in varints) cost more time than the bytes are
// worth, and a record that was torn by a kill could not be told from a good one.
//
// An event at the begin and one at the end of each child would cost twice as much, and add only
// when a child without kernels began. Numbers of tasks from one counter would make workers share
// its cache line; each recorder counts in steps of the number of recorders.
//
// For built traces: a header at the end of the file would be another format, with other readers;
// instead the builder leaves a gap for it at the front, and moves the chunks if it was too small.
// Entries of runs in varints would be shorter, but not be found by their number; zstd does that
// where bytes matter. With a frame of zstd for each chunk, several could be decompressed at once,
// but zstd's own tools would not read and write such a file.
package loi
