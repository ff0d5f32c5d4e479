// The shared memory, and the buffers of threads in it.
#include "krd.h"

#include <elf.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAGIC 0x314b4c4244524bull
#define SMALL (1u << 31)  // above the numbers of small chunks
#define MOST_STACK (64ul << 20) // bytes of a stack that are an object
#define HANDLE 64 // bytes of a thread's description that are taken to be the thread
#define SMALL_FIRST 4     // a thread begins with so many of them

HIDDEN krd_shared krd;
HIDDEN __thread krd_buf *krd_me;

static uint64_t sink[1 << 13];
HIDDEN krd_buf krd_none = {.next = (uintptr_t)0};

extern HIDDEN const Elf64_Ehdr __ehdr_start;
extern HIDDEN const char _end[];
extern int main();

// The note by which krdlab finds out that a program has this runtime.
__attribute__((section(".note.krdlab"), used, aligned(4))) static const struct {
	uint32_t name, bytes, type;
	char owner[8];
	uint32_t version;
} note = {7, 4, 1, "krdlab", 1};

static void rewind_none(void)
{
	atomic_store_explicit(&krd_none.next, (uintptr_t)sink, memory_order_relaxed);
	atomic_store_explicit(&krd_none.end, (uintptr_t)sink + sizeof sink / 2, memory_order_relaxed);
}

static void die(const char *why, size_t n)
{
	if (write(2, why, n) < 0) {
	}
	_exit(125);
}
#define DIE(why) die("krdlab: " why "\n", sizeof("krdlab: " why "\n") - 1)

static void *map(size_t n, int fd)
{
	return (void *)syscall(SYS_mmap, 0l, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0l); // of the last, all 64 bits count
}

// forget lets a child go on unrecorded: the memory is its parent's.
static void forget(void)
{
	krd.h = NULL;
	krd.code_bytes = krd.regions = krd.sync = krd.sampled = krd.libraries = 0;
	krd_me = &krd_none;
	krd_apart = NULL;
}

static void start(void)
{
	static int done;
	if (done)
		return;
	done = 1;
	rewind_none();
	const char *name = getenv("KRDLAB_TRACE");
	if (!name)
		return;
	int fd = open(name, O_RDWR | O_CLOEXEC);
	unsetenv("KRDLAB_TRACE"); // what this program starts is not recorded
	if (fd < 0)
		return; // a child that has outlived krdlab
	krd_header *h = map(4096, fd);
	if (h == MAP_FAILED)
		DIE("cannot map the memory shared with it, KRDLAB_TRACE");
	if (h->magic != MAGIC)
		DIE("KRDLAB_TRACE names no memory of it");
	size_t size = h->size;
	uint64_t none = 0;
	int mine = h->sites_at && atomic_compare_exchange_strong(&h->started, &none, 1);
	munmap(h, 4096);
	if (mine && (h = map(size, fd)) == MAP_FAILED)
		DIE("cannot map the memory shared with it, KRDLAB_TRACE");
	close(fd);
	if (!mine)
		return;
	krd.base = (uintptr_t)h;
	krd.image = (uintptr_t)&__ehdr_start;
	krd.image_bytes = (uintptr_t)_end - krd.image;
	krd.bias = __ehdr_start.e_type == ET_DYN ? krd.image : 0;
	krd.sites = (const uint32_t *)(krd.base + h->sites_at);
	krd.code = h->code_at + krd.bias;
	krd.code_bytes = h->code_bytes;
	krd.regions = h->regions;
	static uint64_t off[2];
	krd_none.word = (uintptr_t)off;
	krd.sampled = h->apart != 0;
	krd.pid = getpid();
	krd.h = h;
	pthread_atfork(NULL, NULL, forget);
	krd_watch();
	krd_number = krd_another();
	krd_entry = (void *)main;
	krd.sync = h->sync;
	if (krd.sync)
		krd_buffer(); // the first of all begins here
}

// The first thread ends behind all that the program does at its end.
__attribute__((destructor(101))) static void end_program(void)
{
	krd_buf *b = krd_me;
	if (krd.sync && b && b != &krd_none && krd_number == 1)
		krd_put(b, krd_ticks(), KIND(END) | b->away);
}

__attribute__((constructor(101))) static void begin_program(void) { start(); }

// Called by the constructors of each source, of libraries too.
void __tsan_init(void)
{
	start();
	krd_loaded();
}

void *krd_next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);
	if (!f) {
		if (write(2, name, strlen(name)) + write(2, ": ", 2) < 0) {
		}
		DIE("this function is in no library of the program; link it with -Wl,--no-as-needed");
	}
	return f;
}

static krd_buf *buf_at(uint32_t i) { return (krd_buf *)(krd.base + krd.h->bufs_at + i * sizeof(krd_buf)); }

static uint32_t buf_number(const krd_buf *b)
{
	return ((uintptr_t)b - krd.base - krd.h->bufs_at) / sizeof(krd_buf);
}

static krd_chunk *chunk_at(uint32_t i)
{
	krd_header *h = krd.h;
	return (krd_chunk *)(krd.base + (i & SMALL ? h->small_at + (uint64_t)(i & ~SMALL) * h->small_bytes
	                                           : h->chunks_at + (uint64_t)i * h->chunk_bytes));
}

// push puts number i on a stack, whose next is *link. A tag above the number tells two states of the
// stack apart that look the same.
static void push(_Atomic uint64_t *stack, uint32_t *link, uint32_t i)
{
	uint64_t old = atomic_load(stack);
	do
		*link = (uint32_t)old;
	while (!atomic_compare_exchange_weak(stack, &old, ((old >> 32) + 1) << 32 | (uint64_t)(i + 1u)));
}

// take gives b an empty chunk, and waits for one if krdlab has not read enough yet.
static void take(krd_buf *b, uint32_t i, uint64_t seq)
{
	krd_header *h = krd.h;
	_Atomic uint64_t *from = &h->free;
	uint64_t bytes = h->chunk_bytes;
	if (b->link < SMALL_FIRST) {
		b->link++;
		from = &h->free_small;
		bytes = h->small_bytes;
	}
	for (int n = 0;; n++) {
		uint64_t old = atomic_load(from);
		if ((uint32_t)old == 0) {
			if (n == 0)
				atomic_fetch_add(&h->waits, 1);
			if (n < 32) {
				for (int k = 0; k < 100; k++)
					__builtin_ia32_pause();
			} else {
				struct timespec t = {0, 20000};
				syscall(SYS_nanosleep, &t, NULL);
			}
			continue;
		}
		uint32_t c = (uint32_t)old - 1;
		krd_chunk *k = chunk_at(c);
		if (!atomic_compare_exchange_weak(from, &old, ((old >> 32) + 1) << 32 | k->link))
			continue;
		k->buf = i;
		k->number = b->number;
		atomic_store(&k->seq, seq);
		k->events = k->left = k->last = 0;
		k->at = (uintptr_t)k;
		atomic_store(&b->chunk, c);
		atomic_store(&b->next, (uintptr_t)k + sizeof *k);
		atomic_store(&b->end, (uintptr_t)k + bytes); // last: only then may krdlab read what b fills
		return;
	}
}

// give hands the chunk of b over.
static void give(krd_buf *b)
{
	uint32_t c = b->chunk;
	krd_chunk *k = chunk_at(c);
	atomic_store(&b->end, 0);
	k->events = (b->next - (uintptr_t)k - sizeof *k) / 16;
	k->last = krd_ticks();
	push(&krd.h->full, &k->link, c);
}

void krd_full(krd_buf *b)
{
	if (b == &krd_none || !krd.h) {
		if (krd.h && !krd_apart)
			atomic_fetch_add(&krd.h->lost, 1);
		rewind_none();
		return;
	}
	uint64_t seq = chunk_at(b->chunk)->seq + 1;
	krd_buf *me = krd_me;
	krd_me = &krd_none; // of a signal that comes now nothing is recorded
	give(b);
	take(b, buf_number(b), seq);
	krd_me = me;
}

extern void *__libc_stack_end; // where the first thread began

// bounds finds the thread's stack. That of the first thread ends for glibc with the page in which it
// began, but its arguments and the environment may go on behind that, up to the program's path.
static void bounds(krd_buf *b)
{
	pthread_attr_t a;
	void *low;
	size_t bytes;
	if (pthread_getattr_np(pthread_self(), &a))
		return;
	if (!pthread_attr_getstack(&a, &low, &bytes)) {
		b->low = (uintptr_t)low;
		b->bytes = bytes;
		uintptr_t path = getauxval(AT_EXECFN);
		if (path && (uintptr_t)__libc_stack_end - b->low < b->bytes)
			b->bytes = ((path + strlen((const char *)path)) | 4095) + 1 - b->low;
	}
	pthread_attr_destroy(&a);
}

// variables finds the thread's own variables, which lie before where its description begins, on top of the
// stack but for the first thread. The linker has set their distance from there.
static uintptr_t variables(void)
{
	static uintptr_t bytes;
	const Elf64_Phdr *h = (const Elf64_Phdr *)(krd.image + __ehdr_start.e_phoff);
	for (int i = 0; !bytes && i < __ehdr_start.e_phnum; i++)
		if (h[i].p_type == PT_TLS)
			bytes = (h[i].p_memsz + h[i].p_align - 1) & -h[i].p_align;
	return (uintptr_t)pthread_self() - bytes;
}

static void object(krd_buf *b, uintptr_t at, uintptr_t bytes, uint64_t type)
{
	krd_put(b, at, KIND(ALLOC) | bytes);
	krd_put(b, type, KIND(TYPE) | (krd_ticks() & ~KIND(0xff)));
}

// taken returns a buffer that no thread has, with its first chunk, or krd_none.
static krd_buf *taken(void)
{
	krd_header *h = krd.h;
	uint32_t i;
	for (;;) {
		uint64_t old = atomic_load(&h->bufs_free);
		if ((uint32_t)old == 0) {
			uint64_t n = atomic_fetch_add(&h->bufs_used, 1);
			if (n >= h->bufs) {
				atomic_fetch_sub(&h->bufs_used, 1);
				atomic_fetch_add(&h->no_buf, 1);
				return &krd_none;
			}
			i = n;
			break;
		}
		i = (uint32_t)old - 1;
		if (atomic_compare_exchange_weak(&h->bufs_free, &old, ((old >> 32) + 1) << 32 | buf_at(i)->link))
			break;
	}
	krd_buf *b = buf_at(i);
	uint64_t own = i < h->counts_own ? i : h->counts_own;
	b->number = atomic_fetch_add(&h->goroutines, 1) + 1;
	b->link = b->depth = 0;
	b->observed = h->observed;
	b->counts = krd.base + h->counts_at + own * h->count_bytes + (i >= h->counts_own);
	b->word = (uintptr_t)&h->mode;
	b->seen = ~0ull;
	b->mode = b->dropped = b->due = b->begins = b->ahead = 0;
	b->left = b->whole = 0;
	b->low = b->bytes = b->away = 0;
	take(b, i, 0);
	atomic_store(&b->state, 1);
	return b;
}

// begun notes the beginning of what b is for.
static void begun(krd_buf *b, uint64_t number, uintptr_t entry)
{
	*(uint64_t *)krd_waits(b) = 0;
	krd_put(b, entry - krd.image < krd.image_bytes ? entry - krd.bias : entry, KIND(ENTRY));
	krd_put(b, number, KIND(START) | (krd_ticks() & ~KIND(0xff)));
}

// over notes the end, and gives the buffer back.
static void over(krd_buf *b)
{
	krd_me = &krd_none;
	uint64_t *n = (uint64_t *)b->next; // there is room for one: a chunk that is full is exchanged
	n[0] = krd_ticks();
	n[1] = KIND(END) | b->away;
	b->next += 16;
	give(b);
	atomic_fetch_add(&krd.h->dropped, b->dropped);
	atomic_store(&b->state, 0);
	push(&krd.h->bufs_free, &b->link, buf_number(b));
}

krd_buf *krd_begin(void)
{
	krd_me = &krd_none; // what is called from here is not recorded
	krd_buf *b = krd.h ? taken() : krd_me;
	if (b == &krd_none)
		return b;
	bounds(b);
	uintptr_t mine = variables();
	if (mine - b->low < b->bytes)
		b->bytes = mine - b->low;
	if (krd.sync && krd_number != NOBODY) {
		if (!krd_number)
			krd_number = krd_another();
		begun(b, krd_number, (uintptr_t)krd_entry);
	}
	if (b->bytes) { // as other threads see it
		uintptr_t bytes = b->bytes < MOST_STACK ? b->bytes : MOST_STACK;
		object(b, b->low + b->bytes - bytes, bytes, STACK_TYPE);
	}
	object(b, mine, (uintptr_t)pthread_self() + HANDLE - mine, THREAD_TYPE);
	return krd_me = b;
}

// krd_end gives back what the thread has, which ends.
void krd_end(void)
{
	if (krd_apart)
		krd_me = krd_apart;
	krd_apart = NULL;
	krd_buf *b = krd_me;
	if (!krd.h || !b || b == &krd_none)
		return;
	if (krd.sync)
		krd_sync(OP_DONE, (void *)pthread_self(), 0, krd_ticks(), 0);
	over(b);
}

// stack tells what of the thread's stack is the task's: all below its top, or nothing any more.
static void stack(krd_buf *b, int own)
{
	if (!b->bytes)
		return;
	krd_put(b, ON_STACK | (b->low + b->bytes), KIND(ALLOC) | own);
	krd_put(b, STACK_TYPE, KIND(TYPE) | (krd_ticks() & ~KIND(0xff)));
}

// below gives b, as the thread's own, its stack below top, which was has had.
static void below(krd_buf *b, const krd_buf *was, uintptr_t top)
{
	int has = top - was->low < was->bytes;
	b->low = has ? was->low : 0;
	b->bytes = has ? top - was->low : 0;
	stack(b, 1);
}

krd_buf *krd_task(uint64_t number, const void *entry, uintptr_t top)
{
	krd_buf *was = krd_buffer();
	krd_me = &krd_none;
	krd_buf *b = krd.h ? taken() : krd_me;
	if (b == &krd_none)
		return was;
	begun(b, number, (uintptr_t)entry);
	below(b, was, top);
	krd_me = b;
	return was;
}

void krd_task_goes_on(krd_buf *b, uint64_t paused, uintptr_t top)
{
	krd_buf *was = krd_buffer();
	if (krd.h && b != &krd_none) {
		b->away += krd_ticks() - paused;
		below(b, was, top);
	}
	krd_me = b;
}

void krd_task_ends(krd_buf *was, uint64_t began, int paused)
{
	krd_buf *b = krd_me;
	if (!krd.h) // a child of the process
		return;
	if (b != &krd_none) {
		stack(b, 0);
		if (!paused)
			over(b);
	}
	krd_me = was;
	if (was != &krd_none && !*(uint64_t *)krd_waits(was)) // else its wait is the longer time
		was->away += krd_ticks() - began;
}

void krd_elsewhere(uint64_t n)
{
	if (krd.h)
		krd_count(krd_buffer(), ELSEWHERE, n);
}
