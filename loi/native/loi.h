/* loi.h writes krdlab's trace files (.loi) from C99 and C++11. It needs libc, pthreads, and gcc or clang on a
   little-endian system of 64 bits. The package comment of krdlab's package loi describes the file.

   One source file of the program defines LOI_IMPLEMENTATION and includes this header before any other; all
   others only include it. Link with -pthread. Call order: objects, kernels and regions; loi_open; records
   from any thread; loi_close when no thread records any more. A process has one trace at a time.

   A record is in the file when its function returns: kill -9 loses at most the record that each thread was
   writing, and `krdlab trace recover` finds the rest. Where the file gets no room, the records of a worker
   are discarded from then on, and counted. Block numbers are checked by readers only. The child of a fork
   records nothing, unless it opens a trace of its own. Signal handlers and children of vfork must not record. */
#ifndef LOI_H
#define LOI_H
#if defined LOI_IMPLEMENTATION && defined __STRICT_ANSI__ && !defined _POSIX_C_SOURCE && !defined _GNU_SOURCE
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { LOI_PARTITION, LOI_KEYED, LOI_SPAN };                              /* kinds of objects */
enum { LOI_IN = 1, LOI_OUT, LOI_INOUT };                                  /* modes */
enum { LOI_NONE = -1, LOI_FUNCTION = 1, LOI_LOOP, LOI_TASK, LOI_ITERATION }; /* kinds of regions */

/* These register and return a number from 0. They return -1 for a name that is empty or used, a value out of
   range and an open trace; in the first two cases loi_open returns EINVAL. The blocks of a partition have so
   many bytes each, or these sizes where they are not NULL. Other objects have none: those of a keyed object have
   keys of 64 bits, those of a span are ranges of bytes (loi_end_accesses). For each parameter of a kernel two
   ints follow: a partition and a mode. A region stands in another, parent, or LOI_NONE. */
int loi_object(const char *name, int kind, uint32_t blocks, uint64_t bytes, const uint64_t *sizes);
static inline int loi_partition(const char *name, uint32_t blocks, uint64_t bytes) {
	return loi_object(name, LOI_PARTITION, blocks, bytes, NULL);
}
int loi_kernel(const char *name, int params, ...);
int loi_region(const char *name, int kind, int parent);

typedef struct loi_options {      /* zero: the default */
	uint64_t max_bytes;           /* of the file; 0: no limit */
	uint64_t first_bytes;         /* of the first chunk of a worker, from which sizes grow fourfold; 64 KiB */
	uint64_t chunk_bytes;         /* the most of a chunk; 1 MiB */
	uint64_t l2_bytes, llc_bytes; /* of the machine's caches; 0: not known */
	const char *program, *scheduler;
	const uint16_t *nodes;        /* LLC domain of each worker, from 0; NULL: all are on 0 */
} loi_options;

/* loi_open makes the file path, which may not exist, with so many workers: the largest number of threads that
   record at the same time. A thread becomes the first free worker when it records first, and frees it when it
   ends. Where none is free, records are discarded and counted for the last worker. options may be NULL. It
   returns 0 or an errno; after an error, register again. */
int loi_open(const char *path, int workers, const loi_options *options);
/* loi_worker makes this thread, which is no worker yet, worker number. It returns -1 if that is taken. */
int loi_worker(int number);
/* loi_close makes the file a clean one. It returns 0 or an errno. */
int loi_close(void);
/* loi_discarded returns the number of records discarded since the last loi_open. */
uint64_t loi_discarded(void);

typedef struct loi_access {
	int object, mode;
	uint64_t block, bytes; /* block: number, key or offset; bytes: unused for a partition */
} loi_access;
/* loi_end_accesses ends an execution with these accesses, at most 63, in place of block numbers. */
void loi_end_accesses(int kernel, uint64_t start, int n, const loi_access *list);

/* The rest of the interface is inline; names that end in _ are not for the user. */
typedef struct loi_worker_ {
	char *base;                  /* of the chunk; the worker's thread alone writes these */
	uint64_t off, size, records; /* next record, end of the chunk (0: none), records in it */
	uint64_t numbers, step;      /* the next of tasks and regions */
	uint64_t *slot, next;        /* in the count page; bytes of the next chunk */
	struct loi_chunk_ *chunk;
	struct loi_worker_ *older;   /* of the first worker: those of the trace before */
	uint32_t number, seq, trace;
	int taken, full;             /* taken: guarded by the mutex */
	char pad_[128];              /* the neighbours' words are on other cache lines */
} loi_worker_;
extern __thread loi_worker_ *loi_self_;
extern int loi_monotonic_;
uint64_t loi_nanoseconds_(void);
loi_worker_ *loi_take_(void);
void loi_slow_(uint64_t word, uint64_t end, unsigned n, const uint64_t *v);

/* loi_now returns a stamp; loi_begin returns one as the start of an execution. */
static inline uint64_t loi_now(void) {
#if defined __x86_64__
	if (__builtin_expect(!loi_monotonic_, 1))
		return __builtin_ia32_rdtsc();
#elif defined __aarch64__
	uint64_t t;
	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(t));
	return t;
#endif
	return loi_nanoseconds_();
}
static inline uint64_t loi_begin(void) { return loi_now(); }

/* loi_put_ records v: the start and n - 1 arguments of 32 bits. The commit word is stored last. */
static inline void loi_put_(unsigned type, int id, uint64_t end, unsigned n, const uint64_t *v) {
	loi_worker_ *w = loi_self_;
	uint64_t d = end - v[0], bytes = 16 + n / 2 * 8, *p;
	uint64_t word = (uint64_t)(n - 1) << 56 | (uint64_t)type << 48 | (uint64_t)(uint16_t)id << 32;
	unsigned i;
	if (__builtin_expect(!w || w->off + bytes > w->size || d >> 32 || n > 256, 0)) {
		loi_slow_(word, end, n, v);
		return;
	}
	p = (uint64_t *)(void *)(w->base + w->off);
	p[0] = v[0];
	for (i = 1; i < n; i += 2)
		p[2 + i / 2] = (uint32_t)v[i] | (i + 1 < n ? v[i + 1] << 32 : 0);
	__atomic_store_n(&p[1], word | d, __ATOMIC_RELEASE);
	w->off += bytes;
	w->records++;
}
static inline void loi_put_end_(int kernel, unsigned n, const uint64_t *v) { loi_put_(1, kernel, loi_now(), n, v); }
static inline void loi_event3_(int kind, uint32_t a, uint32_t b, uint32_t c) {
	uint64_t v[4] = {loi_now(), a, b, c};
	loi_put_(3, kind, v[0], 4, v);
}
static inline uint32_t loi_number_(void) {
	loi_worker_ *w = loi_self_ && loi_self_->size ? loi_self_ : loi_take_();
	uint64_t n = w ? w->numbers : 0;
	if (n == 0 || n >> 32)
		return 0;
	w->numbers = n + w->step;
	return (uint32_t)n;
}

/* The events of a task graph: what a thread has recorded since the one before belongs to the piece of code that
   the event ends. loi_task: this child of a phase of task parent (0: the program) is a task; its beginning has
   ended, and its phase 0 has so many children. It returns the task's number. */
static inline uint32_t loi_task(uint32_t parent, uint32_t phase, uint32_t child, uint32_t children) {
	uint32_t task = loi_number_();
	uint64_t v[6] = {loi_now(), task, parent, phase, child, children};
	loi_put_(3, 6, v[0], 6, v);
	return task;
}
/* loi_child: a child that is no task has ended. */
static inline void loi_child(uint32_t task, uint32_t phase, uint32_t child) { loi_event3_(7, task, phase, child); }
/* loi_phase: all children of a phase and the code behind it have ended; the next has so many, 0: was the last. */
static inline void loi_phase(uint32_t task, uint32_t phase, uint32_t next) { loi_event3_(8, task, phase, next); }
/* loi_region_begin returns the number of the region that begins. Regions nest on each thread. */
static inline uint32_t loi_region_begin(int region) {
	uint32_t number = loi_number_();
	loi_event3_(10, (uint32_t)region, number, 0);
	return number;
}
static inline void loi_region_end(uint32_t number) {
	uint64_t v[2] = {loi_now(), number};
	loi_put_(3, 11, v[0], 2, v);
}

/* loi_end(kernel, start, block of each parameter...) records an execution that ends now. */
#ifndef __cplusplus
#define loi_end(kernel, ...) \
	loi_put_end_((kernel), sizeof(uint64_t[]){__VA_ARGS__} / 8, (const uint64_t[]){__VA_ARGS__})
#else
}
template <class... B> inline void loi_end(int kernel, uint64_t start, B... blocks) {
	const uint64_t v[] = {start, static_cast<uint64_t>(blocks)...};
	loi_put_end_(kernel, sizeof v / 8, v);
}
namespace loi {
/* An execution of a kernel lasts from its construction to the end of the scope, and so does a region. */
class execution {
	int kernel;
	unsigned n;
	uint64_t v[9];
public:
	template <class... B> explicit execution(int k, B... blocks)
		: kernel(k), n(1 + sizeof...(blocks)), v{0, static_cast<uint64_t>(blocks)...}
	{
		static_assert(sizeof...(blocks) <= 8, "use loi_end for more than 8 blocks");
		v[0] = loi_begin();
	}
	~execution() { loi_put_end_(kernel, n, v); }
	execution(const execution &) = delete;
	execution &operator=(const execution &) = delete;
};
class region {
	uint32_t number;
public:
	explicit region(int r) : number(loi_region_begin(r)) {}
	~region() { loi_region_end(number); }
	region(const region &) = delete;
	region &operator=(const region &) = delete;
};
}
extern "C" {
#endif

#ifdef LOI_IMPLEMENTATION
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || __SIZEOF_POINTER__ != 8
#error "loi.h needs a little-endian system of 64 bits"
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#define LOI_CLOCK_ "tsc"
#else
#define LOI_CLOCK_ "cntvct"
#endif

typedef struct { char *b; size_t n, room; } loi_buf_;
typedef struct loi_chunk_ { char *mem; uint64_t off, bytes, mapped, used, records; uint32_t worker, seq; } loi_chunk_;

__thread loi_worker_ *loi_self_;
int loi_monotonic_;
static pthread_mutex_t loi_lock_ = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static pthread_key_t loi_key_;
static struct {
	int open, bad, fd, workers, count[3]; /* count: objects, kernels, regions */
	loi_buf_ part[3], names, kinds;       /* the three, encoded; names with their list before each; of objects */
	uint32_t trace;                       /* its number in this process */
	uint64_t blocks, page, head, control_at, end, limit, most, discarded;
	char *mem; /* all before the first chunk */
	loi_worker_ *worker; /* never freed: threads hold pointers to them */
	loi_chunk_ **chunk;
	size_t chunks;
} loi_;

uint64_t loi_nanoseconds_(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* loi_crc_ returns the CRC-32C of what has the one before and n more bytes. */
static uint32_t loi_crc_(uint32_t crc, const void *from, size_t n) {
	static uint32_t table[8][256];
	const unsigned char *p = (const unsigned char *)from;
	uint64_t w;
	uint32_t i, j, bit, c;
	for (j = 0; !table[7][255] && j < 8; j++)
		for (i = 0; i < 256; table[j][i++] = c)
			for (c = j ? table[j - 1][i] : i, bit = 0; bit < 8; bit++)
				c = c >> 1 ^ (c & 1 ? 0x82f63b78u : 0);
	for (crc = ~crc; n >= 8; n -= 8, p += 8) {
		memcpy(&w, p, 8);
		for (w ^= crc, crc = 0, j = 0; j < 8; j++)
			crc ^= table[7 - j][w >> 8 * j & 255];
	}
	for (; n; n--)
		crc = crc >> 8 ^ table[0][(crc ^ *p++) & 255];
	return ~crc;
}

static void loi_add_(loi_buf_ *b, const void *p, size_t n) {
	if (b->n + n > b->room && !(b->b = (char *)realloc(b->b, b->room = 2 * (b->n + n) + 64)))
		abort(); /* no memory for a header */
	if (n)
		memcpy(b->b + b->n, p, n);
	b->n += n;
}
static void loi_uint_(loi_buf_ *b, uint64_t v) {
	unsigned char c;
	do {
		c = (unsigned char)((v & 127) | (v > 127 ? 128 : 0));
		loi_add_(b, &c, 1);
	} while (v >>= 7);
}
static void loi_str_(loi_buf_ *b, const char *s) {
	loi_uint_(b, s ? strlen(s) : 0);
	loi_add_(b, s, s ? strlen(s) : 0);
}

/* loi_named_ begins an entry of a list, unless bad, and returns whether there may be one. */
static int loi_named_(int list, const char *name, int bad) {
	char c = (char)('a' + list);
	size_t i;
	if (loi_.open)
		return 0;
	bad |= !name || !*name || loi_.count[list] == 0xffff;
	for (i = 0; !bad && list < 2 && i < loi_.names.n; i += 2 + strlen(loi_.names.b + i + 1))
		bad = loi_.names.b[i] == c && !strcmp(loi_.names.b + i + 1, name);
	if ((loi_.bad |= bad))
		return 0;
	loi_add_(&loi_.names, &c, 1), loi_add_(&loi_.names, name, strlen(name) + 1), loi_str_(&loi_.part[list], name);
	return 1;
}
int loi_object(const char *name, int kind, uint32_t blocks, uint64_t bytes, const uint64_t *sizes) {
	loi_buf_ runs = {0, 0, 0};
	uint32_t i, j, n = 0;
	double sum = 0;
	int bad = kind < 0 || kind > 2 || (kind && blocks) || (loi_.blocks += blocks) > 0xffffffffu;
	for (i = 0; i < blocks; i = j, n++) {
		for (bytes = sizes ? sizes[i] : bytes, j = sizes ? i + 1 : blocks; j < blocks && sizes[j] == bytes;)
			j++;
		bad |= !bytes || (sum += (double)bytes * (j - i)) > 9e18;
		loi_uint_(&runs, j - i), loi_uint_(&runs, bytes);
	}
	if ((bad = !loi_named_(0, name, bad)) == 0) {
		loi_uint_(&loi_.part[0], (uint64_t)kind), loi_uint_(&loi_.part[0], n);
		loi_add_(&loi_.part[0], runs.b, runs.n), loi_uint_(&loi_.kinds, (uint64_t)kind);
	}
	free(runs.b);
	return bad ? -1 : loi_.count[0]++;
}
int loi_kernel(const char *name, int params, ...) {
	va_list list;
	int i, bad = 0;
	if (!loi_named_(1, name, params < 0 || params > 255))
		return -1;
	loi_uint_(&loi_.part[1], (uint64_t)params);
	va_start(list, params);
	for (i = 0; i < params; i++) {
		int object = va_arg(list, int), mode = va_arg(list, int);
		bad |= object < 0 || object >= loi_.count[0] || loi_.kinds.b[object] || mode < 1 || mode > 3;
		loi_uint_(&loi_.part[1], (uint64_t)object), loi_uint_(&loi_.part[1], (uint64_t)mode);
	}
	va_end(list);
	loi_uint_(&loi_.part[1], 0); /* each has an argument of its own */
	loi_.bad |= bad;
	return bad ? -1 : loi_.count[1]++;
}
int loi_region(const char *name, int kind, int parent) {
	if (!loi_named_(2, name, kind < 1 || kind > 4 || parent < -1 || parent >= loi_.count[2]))
		return -1;
	loi_uint_(&loi_.part[2], (uint64_t)kind), loi_uint_(&loi_.part[2], (uint64_t)(parent + 1));
	return loi_.count[2]++;
}

/* loi_calibrate_ selects the clock and returns its ticks per second. */
static double loi_calibrate_(void) {
#if defined __aarch64__
	uint64_t hz;
	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return (double)hz;
#elif defined __x86_64__
	unsigned a, b, c, d;
	if (__get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1) { /* the rate does not change */
		uint64_t to, at = loi_nanoseconds_(), tick = __builtin_ia32_rdtsc();
		while ((to = loi_nanoseconds_()) - at < 20000000)
			;
		return (double)(__builtin_ia32_rdtsc() - tick) * 1e9 / (double)(to - at);
	}
#endif
	loi_monotonic_ = 1;
	return 1e9;
}

static uint64_t loi_round_(uint64_t n) { return (n + loi_.page - 1) / loi_.page * loi_.page; }

/* loi_write_ writes n bytes, zeros if from is NULL, and returns an errno. */
static int loi_write_(const char *from, uint64_t n, uint64_t off) {
	static const char zeros[65536] = {0};
	while (n) {
		ssize_t k = pwrite(loi_.fd, from ? from : zeros, from || n < sizeof zeros ? n : sizeof zeros, (off_t)off);
		if (k < 0 && errno != EINTR)
			return errno;
		k = k < 0 ? 0 : k;
		from = from ? from + k : from, n -= (uint64_t)k, off += (uint64_t)k;
	}
	return 0;
}
/* loi_allocate_ gives the file room at off, and for the footer behind that, and returns an errno. */
static int loi_allocate_(uint64_t off, uint64_t n) {
	int e = EINVAL;
	n += loi_round_((loi_.chunks + 1) * 48 + 40);
	if (off && off + n > loi_.limit)
		return EFBIG;
#ifndef __APPLE__
	while ((e = posix_fallocate(loi_.fd, (off_t)off, (off_t)n)) == EINTR)
		;
#endif
	return e == EINVAL || e == EOPNOTSUPP || e == ENOSYS || e == ENODEV ? loi_write_(NULL, n, off) : e;
}
/* loi_map_ maps a chunk, whose pages it makes writable at once: a fault for each would come between records. */
static char *loi_map_(uint64_t off, uint64_t n) {
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, loi_.fd, (off_t)off);
	if (p == MAP_FAILED)
		return NULL;
#if defined __linux__ && defined MADV_NORMAL
	madvise(p, n, 23 /* MADV_POPULATE_WRITE */);
#endif
	for (uint64_t i = 0; i < n; i += loi_.page)
		*((volatile char *)p + i) = 0;
	return (char *)p;
}

/* loi_size_ stores the size of a chunk, with its checksum, into its header. */
static void loi_size_(loi_chunk_ *c) {
	*(uint64_t *)(void *)(c->mem + 8) = c->bytes | (uint64_t)loi_crc_(0, &c->bytes, 8) << 40;
}
/* loi_extend_ makes a chunk of w with room for need bytes, smaller where there is less room; NULL: none. */
static loi_chunk_ *loi_extend_(loi_worker_ *w, uint64_t need) {
	struct { uint32_t magic, worker; uint64_t off; uint32_t seq, crc; } h = {0x4b48434c, w->number, loi_.end, w->seq, 0};
	uint64_t least = loi_round_(need + 32), size = w->next > least ? w->next : least, i, word;
	loi_chunk_ *c, **more;
	int e;
	while ((e = loi_allocate_(loi_.end, size)) != 0) {
		if ((e != ENOSPC && e != EDQUOT && e != EFBIG) || size == least)
			return NULL;
		size = loi_round_(size / 2) > least && size > loi_.page ? loi_round_(size / 2) : least;
	}
	if (!(loi_.chunks & (loi_.chunks - 1))) { /* room for twice as many, when their number is a power of 2 */
		if (!(more = (loi_chunk_ **)realloc(loi_.chunk, (2 * loi_.chunks + 1) * sizeof *more)))
			return NULL;
		loi_.chunk = more;
	}
	if (!(c = (loi_chunk_ *)calloc(1, sizeof *c)) || !(c->mem = loi_map_(loi_.end, size))) {
		free(c);
		return NULL;
	}
	for (i = 0; i < size; i += 4096)
		((volatile char *)c->mem)[i] = 0; /* the page faults here and not while a kernel is recorded */
	c->off = loi_.end, c->bytes = c->mapped = size, c->worker = w->number, c->seq = w->seq++;
	loi_size_(c);
	h.crc = loi_crc_(0, &h, 20);
	memcpy(c->mem + 16, &h.off, 16);
	memcpy(&word, &h, 8);
	__atomic_store_n((uint64_t *)(void *)c->mem, word, __ATOMIC_RELEASE);
	w->slot[2]++;
	loi_.end += size;
	w->next = 4 * size < loi_.most ? 4 * size : loi_.most;
	return loi_.chunk[loi_.chunks++] = c;
}

static void loi_ends_(void *p) { /* the thread of a worker */
	pthread_mutex_lock(&loi_lock_);
	((loi_worker_ *)p)->taken = 0;
	pthread_mutex_unlock(&loi_lock_);
	loi_self_ = NULL;
}
/* loi_bind_ makes this thread a worker, the first free one if number is -1. The mutex is held. */
static int loi_bind_(int number) {
	int i = number < 0 ? 0 : number;
	if (!loi_.open || i >= loi_.workers)
		return -1;
	if (loi_self_ && loi_self_->trace == loi_.trace)
		return number < 0 || loi_self_->number == (uint32_t)number ? (int)loi_self_->number : -1;
	for (loi_self_ = NULL; number < 0 && i < loi_.workers - 1 && loi_.worker[i].taken;)
		i++;
	if (loi_.worker[i].taken || pthread_setspecific(loi_key_, &loi_.worker[i]))
		return -1;
	loi_self_ = &loi_.worker[i];
	loi_self_->taken = 1;
	return i;
}
int loi_worker(int number) {
	pthread_mutex_lock(&loi_lock_);
	number = loi_bind_(number);
	pthread_mutex_unlock(&loi_lock_);
	return number;
}
loi_worker_ *loi_take_(void) { return loi_worker(-1) < 0 ? NULL : loi_self_; }
uint64_t loi_discarded(void) { return __atomic_load_n(&loi_.discarded, __ATOMIC_RELAXED); }

static void loi_leave_(loi_worker_ *w) {
	if (w->chunk)
		w->chunk->used = w->off - 32, w->chunk->records = w->records;
	w->chunk = NULL, w->base = NULL, w->off = w->size = w->records = 0;
}
/* loi_room_ finds room for a record in the worker of this thread; NULL: it is discarded. */
static loi_worker_ *loi_room_(uint64_t word, uint64_t bytes) {
	loi_worker_ *w;
	pthread_mutex_lock(&loi_lock_);
	w = loi_bind_(-1) < 0 ? NULL : loi_self_;
	if (w && !w->full && w->off + bytes > w->size) {
		if (w->off + 16 <= w->size)
			__atomic_store_n((uint64_t *)(void *)(w->base + w->off + 8), (uint64_t)15 << 48, __ATOMIC_RELEASE);
		loi_leave_(w);
		if ((w->chunk = loi_extend_(w, bytes)) != NULL)
			w->base = w->chunk->mem, w->off = 32, w->size = w->chunk->bytes;
		w->full = !w->chunk;
	}
	if (loi_.open && (!w || w->full)) {
		uint64_t *slot = (w ? w : &loi_.worker[loi_.workers - 1])->slot;
		slot[1] += (word >> 48 & 15) != 3;
		slot[0]++;
		__atomic_store_n(&loi_.discarded, loi_.discarded + 1, __ATOMIC_RELAXED);
		w = NULL;
	}
	pthread_mutex_unlock(&loi_lock_);
	return w;
}
static void loi_words_(uint64_t word, uint64_t start, uint64_t end, const uint64_t *body, uint64_t n) {
	uint64_t d = end - start, head = d >> 32 ? 3 : 2, *p;
	loi_worker_ *w = __atomic_load_n(&loi_.open, __ATOMIC_ACQUIRE) ? loi_room_(word, (head + n) * 8) : NULL;
	if (!w)
		return;
	p = (uint64_t *)(void *)(w->base + w->off);
	p[0] = start;
	if (head == 3)
		p[2] = end;
	memcpy(p + head, body, n * 8);
	__atomic_store_n(&p[1], head == 3 ? word | (uint64_t)1 << 52 : word | d, __ATOMIC_RELEASE);
	w->off += (head + n) * 8;
	w->records++;
}
void loi_slow_(uint64_t word, uint64_t end, unsigned n, const uint64_t *v) {
	uint64_t body[128];
	unsigned i;
	for (i = 1; i < n && i < 256; i += 2)
		body[i / 2] = (uint32_t)v[i] | (i + 1 < n ? v[i + 1] << 32 : 0);
	if (n <= 256) /* else the kernel has no such parameters */
		loi_words_(word, v[0], end, body, n / 2);
}
void loi_end_accesses(int kernel, uint64_t start, int n, const loi_access *list) {
	uint64_t end = loi_now(), body[1 + 3 * 63], *p = body + 1;
	int i;
	n = n < 0 ? 0 : n > 63 ? 63 : n;
	body[0] = (uint64_t)n;
	for (i = 0; i < n; i++) {
		const loi_access *a = &list[i];
		int whole = (size_t)a->object >= loi_.kinds.n || loi_.kinds.b[a->object] == LOI_PARTITION;
		uint64_t shape = whole ? 0 : a->bytes >> 32 ? 3 : 2;
		*p++ = (uint64_t)(uint16_t)a->object << 32 | (uint64_t)(a->mode & 255) << 48 | shape << 56 |
			(whole ? (uint32_t)a->block : shape == 2 ? a->bytes : 0);
		if (!whole)
			*p++ = a->block;
		if (shape == 3)
			*p++ = a->bytes;
	}
	loi_words_((uint64_t)2 << 48 | (uint64_t)(uint16_t)kernel << 32, start, end, body, (uint64_t)(p - body));
}

/* loi_drop_ gives up all that belongs to a trace, and returns e. */
static int loi_drop_(int e) {
	uint32_t trace = loi_.trace;
	uint64_t discarded = loi_.discarded;
	loi_worker_ *worker = loi_.worker;
	size_t i;
	for (i = 0; i < loi_.chunks; i++) {
		munmap(loi_.chunk[i]->mem, loi_.chunk[i]->mapped);
		free(loi_.chunk[i]);
	}
	for (i = 0; i < 3; i++)
		free(loi_.part[i].b);
	if (loi_.mem)
		munmap(loi_.mem, loi_.head);
	if (loi_.fd > 0 && close(loi_.fd) && !e)
		e = errno;
	free(loi_.names.b), free(loi_.kinds.b), free(loi_.chunk);
	memset(&loi_, 0, sizeof loi_);
	loi_.trace = trace, loi_.discarded = discarded, loi_.worker = worker;
	return e;
}
static void loi_forks_(void) { pthread_mutex_lock(&loi_lock_); }
static void loi_forked_(void) { pthread_mutex_unlock(&loi_lock_); }
/* loi_child_ has the child of a fork forget the trace: it writes nothing into its parent's file. */
static void loi_child_(void) {
	if (loi_.open)
		loi_drop_(0);
	loi_self_ = NULL, loi_.trace++;
	loi_forked_();
}
static void loi_once_(void) {
	if (pthread_key_create(&loi_key_, loi_ends_) || pthread_atfork(loi_forks_, loi_forked_, loi_child_))
		abort(); /* no memory for them */
}
static void loi_header_(loi_buf_ *b, double hz, const loi_options *o) {
	uint64_t bits, nodes = 1;
	int i;
	memcpy(&bits, &hz, 8);
	loi_str_(b, loi_monotonic_ ? "monotonic" : LOI_CLOCK_);
	for (i = 0; o->nodes && i < loi_.workers; i++)
		nodes = o->nodes[i] >= nodes ? o->nodes[i] + 1u : nodes;
	loi_uint_(b, bits), loi_uint_(b, 1); /* invariant */
	loi_uint_(b, nodes), loi_uint_(b, o->l2_bytes), loi_uint_(b, o->llc_bytes);
	loi_str_(b, o->l2_bytes ? "told" : ""), loi_str_(b, o->llc_bytes ? "told" : "");
	loi_str_(b, "native"), loi_uint_(b, 0), loi_str_(b, "kernel"); /* not synthetic; stamps of each kernel */
	loi_str_(b, o->program), loi_str_(b, o->scheduler);
	loi_add_(b, "\0\0\0\0\0\0", 6); /* parameters, cores, seed, machine, its hash, unordered */
	loi_uint_(b, (uint64_t)loi_.workers);
	for (i = 0; i < loi_.workers; i++) /* on any CPU, on one clock */
		loi_uint_(b, 0), loi_uint_(b, o->nodes ? o->nodes[i] : 0), loi_uint_(b, 0);
	for (i = 0; i < 3; i++)
		loi_uint_(b, (uint64_t)loi_.count[i]), loi_add_(b, loi_.part[i].b, loi_.part[i].n);
	loi_uint_(b, 0); /* notes */
}
/* loi_begins_ makes the file, and returns an errno. */
static int loi_begins_(const char *path, int workers, const loi_options *o) {
	struct {
		char magic[8];
		uint32_t version, flags;
		uint64_t header, control, data;
		uint32_t workers, zero[3], header_crc, crc;
	} pre = {{(char)0x89, 'L', 'O', 'I', '\r', '\n', 0x1a, '\n'}, 4, 0, 0, 0, 0, 0, {0, 0, 0}, 0, 0};
	loi_buf_ b = {0, 0, 0};
	struct rlimit most;
	loi_worker_ *w;
	int i, e;
	if (loi_.bad || workers < 1 || workers > 65536)
		return EINVAL;
	loi_.workers = workers, loi_.trace++, loi_.discarded = 0;
	loi_.page = (uint64_t)sysconf(_SC_PAGESIZE);
	loi_.limit = o->max_bytes ? o->max_bytes : UINT64_MAX;
	if (!getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY && most.rlim_cur < loi_.limit)
		loi_.limit = most.rlim_cur;
	loi_.most = loi_round_(o->chunk_bytes ? o->chunk_bytes : 1 << 20);
	if (!(w = (loi_worker_ *)calloc((size_t)workers, sizeof *w)))
		return ENOMEM;
	w->older = loi_.worker, loi_.worker = w;
	loi_header_(&b, loi_calibrate_(), o);
	loi_.control_at = loi_round_(sizeof pre + b.n);
	loi_.head = loi_.end = loi_.control_at + loi_round_((uint64_t)(workers + 1) * 64);
	pre.header = b.n, pre.control = loi_.control_at, pre.data = loi_.head, pre.workers = (uint32_t)workers;
	pre.header_crc = loi_crc_(0, b.b, b.n);
	pre.crc = loi_crc_(0, &pre, 60);
	if ((loi_.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644)) < 0)
		e = errno;
	else if ((e = loi_allocate_(0, loi_.head)) != 0 || !(loi_.mem = loi_map_(0, loi_.head))) {
		e = e ? e : errno;
		unlink(path);
	} else {
		memcpy(loi_.mem + loi_.control_at, "OPEN", 4);
		memcpy(loi_.mem + sizeof pre, b.b, b.n);
		memcpy(loi_.mem, &pre, sizeof pre);
	}
	for (i = 0; !e && i < workers; i++, w++) {
		w->slot = (uint64_t *)(void *)(loi_.mem + loi_.control_at + (i + 1) * 64);
		w->number = (uint32_t)i, w->numbers = (uint64_t)i + 1, w->step = (uint64_t)workers, w->trace = loi_.trace;
		w->next = loi_round_(o->first_bytes ? o->first_bytes : loi_.most < 65536 ? loi_.most : 65536);
	}
	free(b.b);
	return e;
}
int loi_open(const char *path, int workers, const loi_options *options) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	loi_options none;
	int e;
	memset(&none, 0, sizeof none);
	pthread_once(&once, loi_once_);
	pthread_mutex_lock(&loi_lock_);
	if (loi_.open)
		e = EBUSY;
	else if ((e = loi_begins_(path, workers, options ? options : &none)) != 0)
		loi_drop_(e);
	else
		__atomic_store_n(&loi_.open, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&loi_lock_);
	return e;
}

/* loi_finish_ writes the footer, then marks the file as clean, and returns an errno. */
static int loi_finish_(void) {
	struct { uint64_t off, chunks, records; uint32_t head, table, magic, crc; } t = {
		loi_.end, loi_.chunks, 0, 0, 0, 0x444e454c, 0};
	static const uint64_t clean = 0x4e41454c43;
	loi_buf_ b = {0, 0, 0};
	size_t i;
	int e;
	for (i = 0; i < loi_.chunks; i++) {
		loi_chunk_ *c = loi_.chunk[i];
		struct { uint64_t off, bytes, used, records; uint32_t worker, seq, crc, zero; } entry = {
			c->off, c->bytes, c->used, c->records, c->worker, c->seq, 0, 0};
		if (i == loi_.chunks - 1) { /* the last is cut to its records */
			entry.bytes = c->bytes = 32 + c->used;
			t.off = c->off + c->bytes;
			loi_size_(c);
		}
		entry.crc = loi_crc_(0, c->mem, c->bytes);
		t.records += c->records;
		loi_add_(&b, &entry, sizeof entry);
	}
	t.table = loi_crc_(0, b.b, b.n);
	t.head = loi_crc_(loi_crc_(0, loi_.mem, loi_.control_at), &clean, 8);
	t.head = loi_crc_(t.head, loi_.mem + loi_.control_at + 8, loi_.head - loi_.control_at - 8);
	t.crc = loi_crc_(0, &t, 36);
	loi_add_(&b, &t, sizeof t);
	e = ftruncate(loi_.fd, (off_t)(t.off + b.n)) ? errno : loi_write_(b.b, b.n, t.off);
	if (!e)
		__atomic_store_n((uint64_t *)(void *)(loi_.mem + loi_.control_at), clean, __ATOMIC_RELEASE);
	free(b.b);
	return e;
}
int loi_close(void) {
	int i, e = 0;
	pthread_mutex_lock(&loi_lock_);
	if (loi_.open) {
		for (i = 0; i < loi_.workers; i++)
			loi_leave_(&loi_.worker[i]);
		e = loi_drop_(loi_finish_());
	}
	pthread_mutex_unlock(&loi_lock_);
	return e;
}
#endif
#ifdef __cplusplus
}
#endif
#endif
