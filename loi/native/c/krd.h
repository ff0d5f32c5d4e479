// The runtime that programs of krdlab cc, c++ and fc have in the place of the thread sanitizer's:
// what the compiler calls at each load, store, function entry and exit becomes the stream that
// rewritten Go programs write (krdlab/loi/collect, memory.go and reader.go).
//
//	hooks (access.c, atomics.c, heap.c, threads.c, sync.c) -> buffer of the thread -> chunks of shared memory
//	access.c -> sample.c -'
//	libraries.c <-> krdlab: tables of sites
//
// An event is two words. Nothing here allocates or takes a lock while it records. An address in the
// program's image stands as the linker gave it; one on the thread's own stack, as a mark and its
// distance from the stack's top if it is only counted.
#pragma once

#define _GNU_SOURCE 1
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#if !defined __x86_64__ || !defined __linux__
#error "krdlab records native programs on linux/amd64 only"
#endif

#define HIDDEN __attribute__((visibility("hidden")))
#define WEAK __attribute__((weak))
#define INLINE static inline __attribute__((always_inline))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CALLER __builtin_return_address(0)

// Kinds of events, in the upper byte of the second word; the site, or what else it is, below.
enum {
	ACCESS = 1,
	EXTENT = 2,
	MADE = 3,
	ALLOC = 7,
	TYPE = 8,
	STAMP = 9,
	RANGE = 10,
	ENTER = 12,
	LEAVE = 13,
	END = 18,
	START = 19,
	GO = 20,
	SYNC = 21,
	SYNC_AT = 22,
	DONE = 23,
	ENTRY = 24,
	MODE = 29,
	LIBRARY = 30, // the number of its load, and GONE if it ends
};

// Of a MODE: what a thread records of a sample.
enum { OFF, WATCH, GLIMPSE, INSIDE };

// Operations by which threads wait for each other, above OP_SHIFT of a SYNC, numbered as SyncOp in
// krdlab/loi; below is the room of a channel, or the site of an atomic operation.
enum {
	OP_SEND = 1,
	OP_RECEIVE = 2,
	OP_LOCK = 5,
	OP_UNLOCK,
	OP_READ_LOCK,
	OP_READ_UNLOCK,
	OP_DONE,
	OP_WAIT,
	OP_COND_WAIT,
	OP_SIGNAL,
	OP_ONCE,
	OP_ONCE_SEEN,
	OP_LOAD,
	OP_STORE,
	OP_UPDATE,
};
#define OP_SHIFT 48
#define ROOM ((1ull << 46) - 1)
#define KIND(k) ((uint64_t)(k) << 56)
#define ON_STACK (1ull << 63)
#define STACK_TYPE 1ull // of an object that is the stack of a thread
#define THREAD_TYPE 2ull // of one that is a thread and its own variables
#define DEPTH_SHIFT 32
#define MAX_DEPTH ((1u << 24) - 1)
#define GONE (1ull << 32)

// Values of the table of sites that are none.
#define NO_SITE 0u
#define EXIT_SITE (~0u) // a call of __tsan_func_exit
#define FROM_HEADER (1u << 31) // above the site of an allocation by a function from a header of the system
#define ELSEWHERE 1u    // the site of all code that is in no table: shared libraries that krdlab has not read

typedef struct {
	uint64_t magic, size, chunk_bytes, chunks_at, bufs_at, bufs;
	_Atomic uint64_t started;
	uint64_t counts_at;
	_Atomic uint64_t free;
	uint64_t pad1[7];
	_Atomic uint64_t full;
	uint64_t pad2[7];
	_Atomic uint64_t bufs_used, bufs_free, waits, no_buf, goroutines, lost;
	uint64_t observed;
	_Atomic uint64_t replaced;
	uint64_t sync;
	_Atomic uint64_t mode, apart, dropped;
	uint64_t small_bytes, small_at, counts_own, count_bytes, pad3;
	_Atomic uint64_t free_small;
	uint64_t waits_at;
	// Of native programs: the table of sites, a word for each byte of code as the linker placed it.
	uint64_t sites_at, code_at, code_bytes;
	uint64_t regions; // 1: functions are recorded as regions
} krd_header;

// A library is asked for and answered here, one at a time, as in krdlab/loi/collect.
#define REQUEST_AT 2048 // in the header's page
enum { ASKED = 1, ANSWERED };
typedef struct {
	_Atomic uint64_t state;
	uint64_t base;
	uint64_t number, sites_at, code_at, code_bytes; // number of the load, 0: it is left alone
	char path[2000];
} krd_request;

typedef struct {
	_Atomic uintptr_t next, end;
	uintptr_t stack;
	_Atomic uint32_t chunk, state;
	_Atomic uint64_t number;
	uint32_t link, depth;
	uint64_t observed;
	uintptr_t counts, word;
	uint64_t seen, mode;
	int64_t left, whole;
	uint64_t dropped, due, begins, ahead;
	uintptr_t low, bytes; // of the thread's stack
	uint64_t away; // ticks in which the thread waited, or ran a task instead
	uint64_t pad[4];
} krd_buf;
_Static_assert(sizeof(krd_buf) == 192, "as in krdlab/loi/collect");

typedef struct {
	uint32_t link, buf;
	uint64_t number, events, left, last;
	_Atomic uint64_t seq;
	uint64_t at, pad;
} krd_chunk;
_Static_assert(sizeof(krd_chunk) == 64, "as in krdlab/loi/collect");

// What all threads share; it is set before the program's own code runs, and reset in a child.
typedef struct {
	krd_header *h; // NULL: nothing is recorded
	uintptr_t base;
	const uint32_t *sites; // by distance from code
	uintptr_t code, code_bytes;
	uintptr_t image, image_bytes, bias; // the program in memory; how far the linker's addresses moved
	uint64_t regions, sync, sampled;
	unsigned libraries; // places of libraries.c that were used
	int pid;
} krd_shared;

extern HIDDEN krd_shared krd;
extern HIDDEN krd_buf krd_none;        // of those that record nothing: its events are dropped
extern HIDDEN __thread krd_buf *krd_me; // NULL: not asked for yet

HIDDEN krd_buf *krd_begin(void);
HIDDEN void krd_full(krd_buf *b);
HIDDEN void krd_elsewhere(uint64_t n);
HIDDEN void krd_end(void);
HIDDEN void krd_made(void *p, size_t n, const void *pc); // the call that returns to pc has allocated n bytes
HIDDEN void krd_watch(void);
HIDDEN void *krd_next(const char *name);
HIDDEN void krd_loaded(void); // looks which libraries are
HIDDEN uint32_t krd_library_site(const void *pc);
HIDDEN void *krd_waits(const krd_buf *b);

// krd_sync notes an operation to what stands at p, which has ended, and took effect at a tick (0: now).
HIDDEN void krd_sync(uint64_t op, const volatile void *p, uint64_t room, uint64_t begin, uint64_t at);

// krd_waits_for keeps what the thread waits for from now on, and returns the tick; krd_waited forgets it.
HIDDEN uint64_t krd_waits_for(uint64_t op, const volatile void *p, uint64_t room);
HIDDEN void krd_waited(void);

// krd_meets begins a barrier at p of so many, krd_comes returns the group of its round that one waits for.
HIDDEN void krd_meets(const volatile void *p, unsigned size);
HIDDEN const volatile void *krd_comes(const volatile void *p, unsigned size);

// An atomic operation to p goes on.
typedef struct {
	const volatile void *p;
	uint64_t begin;
	_Atomic uint32_t *stripe; // that is locked
} krd_op;
HIDDEN krd_op krd_op_begin(const volatile void *p);
HIDDEN void krd_op_end(const krd_op *o, uint64_t op, const void *pc);

// The number of the thread and what it runs, if this runtime began it.
extern HIDDEN __thread uint64_t krd_number;
extern HIDDEN __thread void *krd_entry;
HIDDEN uint64_t krd_another(void);
HIDDEN void krd_starts(uint64_t number); // the thread begins another

// krd_task lets the thread go on as a task, whose stack is below top, and returns the buffer it had, to which
// krd_task_ends returns. One that has paused there can go on by krd_task_goes_on, on any thread.
HIDDEN krd_buf *krd_task(uint64_t number, const void *entry, uintptr_t top);
HIDDEN void krd_task_ends(krd_buf *was, uint64_t began, int paused);
HIDDEN void krd_task_goes_on(krd_buf *b, uint64_t paused, uintptr_t top);

// krd_apart is the buffer of a thread of which nothing is recorded for now but what it allocates and begins.
extern HIDDEN __thread krd_buf *krd_apart;
int __tsan_tbb_enter(void);
void __tsan_tbb_leave(void);
HIDDEN int krd_of_tbb(const void *entry); // a thread begins with it, and is apart for ever
#define NOBODY (~0ull) // the number of such a thread, which is none of the trace

INLINE uint64_t krd_ticks(void) { return __builtin_ia32_rdtsc(); }

INLINE void krd_note(uint64_t op, const volatile void *p, uint64_t room) { krd_sync(op, p, room, krd_ticks(), 0); }

INLINE krd_buf *krd_buffer(void)
{
	krd_buf *b = krd_me;
	return UNLIKELY(!b) ? krd_begin() : b;
}

INLINE krd_buf *krd_own(void) { return krd_apart ? krd_apart : krd_buffer(); }

// krd_site returns the site of the call that returns to pc.
INLINE uint32_t krd_site(const void *pc)
{
	uintptr_t i = (uintptr_t)pc - krd.code;
	if (i < krd.code_bytes)
		return krd.sites[i];
	return krd.libraries ? krd_library_site(pc) : NO_SITE;
}

INLINE void krd_put(krd_buf *b, uint64_t a, uint64_t w)
{
	uintptr_t n = atomic_load_explicit(&b->next, memory_order_relaxed);
	((uint64_t *)n)[0] = a;
	((uint64_t *)n)[1] = w;
	n += 16;
	atomic_store_explicit(&b->next, n, memory_order_release); // the reader looks into it
	if (UNLIKELY(n >= atomic_load_explicit(&b->end, memory_order_relaxed)))
		krd_full(b);
}

// krd_place returns an address as events have it.
INLINE uint64_t krd_place(const krd_buf *b, uintptr_t a)
{
	if (a - b->low < b->bytes && !b->observed)
		return ON_STACK | (b->low + b->bytes - a);
	if (a - krd.image < krd.image_bytes)
		return a - krd.bias;
	return a;
}

// krd_counted adds n to a count, of which each site has two: of accesses that are no events, and of
// those that a sample does not have.
INLINE void krd_counted(krd_buf *b, uintptr_t at, uint64_t n)
{
	if (UNLIKELY(b->counts & 1))
		atomic_fetch_add((_Atomic uint64_t *)((b->counts & ~(uintptr_t)1) + at), n);
	else if (b->counts)
		*(uint64_t *)(b->counts + at) += n;
}

INLINE void krd_count(krd_buf *b, uint32_t site, uint64_t n) { krd_counted(b, 16ul * site, n); }

// krd_drops reports that a sample does not have an access, and then counts it. krd_took_stack takes note of
// one on the stack in a burst, krd_passes of n that are recorded in any mode.
HIDDEN int krd_drops(krd_buf *b, uint64_t a, uint32_t site);
HIDDEN void krd_took_stack(krd_buf *b);
HIDDEN void krd_passes(krd_buf *b, uint64_t n);

// krd_access records an access by the call that returns to pc.
INLINE void krd_access(const volatile void *p, const void *pc)
{
	uint32_t site = krd_site(pc);
	if (UNLIKELY(site == NO_SITE)) {
		krd_elsewhere(1);
		return;
	}
	krd_buf *b = krd_buffer();
	uint64_t a = krd_place(b, (uintptr_t)p);
	if (a & ON_STACK) {
		if (UNLIKELY(krd.sampled) && b->mode == GLIMPSE)
			krd_took_stack(b);
		krd_count(b, site, 1);
		return;
	}
	if (UNLIKELY(krd.sampled)) {
		if (b->mode == OFF && b->dropped < b->due) {
			b->dropped++;
			*(uint64_t *)(b->counts + 16ul * site + 8) += 1;
			return;
		}
		if (krd_drops(b, a, site))
			return;
	}
	krd_put(b, a, KIND(ACCESS) | site);
}

// krd_range records an access to n bytes: words of eight by site, what is left of them by the next.
INLINE void krd_range(const volatile void *p, size_t n, uint32_t site)
{
	krd_buf *b = krd_buffer();
	uintptr_t a = (uintptr_t)p;
	size_t words = n & ~(size_t)7;
	if (UNLIKELY(krd.sampled))
		krd_passes(b, words / 8 + (n & 7 ? 1 : 0));
	if (words) {
		krd_put(b, krd_place(b, a), KIND(RANGE) | site);
		krd_put(b, words, KIND(EXTENT) | site);
	}
	if (n &= 7) {
		krd_put(b, krd_place(b, a + words), KIND(RANGE) | (site + 1));
		krd_put(b, n, KIND(EXTENT) | (site + 1));
	}
}
