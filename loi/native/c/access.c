// What the compiler calls at loads, stores, function entries and exits, and copies of memory.
#include "krd.h"

#include <stdlib.h>
#include <string.h>

#define ACCESSES(n) \
	void __tsan_read##n(void *p) { krd_access(p, CALLER); } \
	void __tsan_write##n(void *p) { krd_access(p, CALLER); } \
	void __tsan_read##n##_pc(void *p, void *pc) { krd_access(p, pc); } \
	void __tsan_write##n##_pc(void *p, void *pc) { krd_access(p, pc); } \
	void __tsan_volatile_read##n(void *p) { krd_access(p, CALLER); } \
	void __tsan_volatile_write##n(void *p) { krd_access(p, CALLER); } \
	void __tsan_unaligned_read##n(void *p) { krd_access(p, CALLER); } \
	void __tsan_unaligned_write##n(void *p) { krd_access(p, CALLER); } \
	void __tsan_unaligned_volatile_read##n(void *p) { krd_access(p, CALLER); } \
	void __tsan_unaligned_volatile_write##n(void *p) { krd_access(p, CALLER); } \
	void __tsan_read_write##n(void *p) { krd_access(p, CALLER); } \
	void __tsan_unaligned_read_write##n(void *p) { krd_access(p, CALLER); }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_vptr_update(void **p, void *v) { krd_access(p, CALLER); }
void __tsan_vptr_read(void **p) { krd_access(p, CALLER); }

// ranged records an access to a range by the call that returns to pc.
INLINE void ranged(const volatile void *p, size_t n, const void *pc)
{
	uint32_t site = krd_site(pc);
	if (site == NO_SITE)
		krd_elsewhere((n + 7) / 8);
	else
		krd_range(p, n, site);
}

void __tsan_read_range(void *p, size_t n) { ranged(p, n, CALLER); }
void __tsan_write_range(void *p, size_t n) { ranged(p, n, CALLER); }
void __tsan_read_range_pc(void *p, size_t n, void *pc) { ranged(p, n, pc); }
void __tsan_write_range_pc(void *p, size_t n, void *pc) { ranged(p, n, pc); }

// The stack pointers of the functions that are open as regions, the innermost last. A function that
// longjmp has left lies deeper than the next that begins or ends.
#define MOST_OPEN (1 << 14)
static __thread uintptr_t open_at[MOST_OPEN];
static __thread uint32_t opened;

void __tsan_func_entry(void *caller)
{
	if (!krd.regions)
		return;
	uint32_t region = krd_site(CALLER);
	if (region == NO_SITE)
		return;
	krd_buf *b = krd_buffer();
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	while (opened > 0 && opened <= MOST_OPEN && open_at[opened - 1] <= sp &&
	       open_at[opened - 1] - b->low < b->bytes)
		opened--;
	if (opened < MOST_OPEN)
		open_at[opened] = sp;
	if (opened < MAX_DEPTH)
		opened++;
	krd_put(b, krd_ticks(), KIND(ENTER) | (uint64_t)opened << DEPTH_SHIFT | region);
}

void __tsan_func_exit(void)
{
	if (!krd.regions || opened == 0)
		return;
	uint32_t site = krd_site(CALLER);
	krd_buf *b = krd_buffer();
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	while (opened > 0 && opened <= MOST_OPEN && open_at[opened - 1] < sp &&
	       open_at[opened - 1] - b->low < b->bytes)
		opened--;
	if (site == EXIT_SITE && opened > 0) // else it was a jump: the frame of the function is gone
		opened--;
	krd_put(b, krd_ticks(), KIND(LEAVE) | (uint64_t)(opened + 1) << DEPTH_SHIFT);
}

// Copies. Before the C library's are found, while the program is loaded, bytes are moved here.
static void *(*libc_memcpy)(void *, const void *, size_t);
static void *(*libc_memmove)(void *, const void *, size_t);
static void *(*libc_memset)(void *, int, size_t);

void krd_watch(void)
{
	libc_memcpy = krd_next("memcpy");
	libc_memset = krd_next("memset");
	libc_memmove = krd_next("memmove");
}

static void *move(void *to, const void *from, size_t n)
{
	void *d = to;
	if ((uintptr_t)to - (uintptr_t)from >= n) {
		__asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(n) : : "memory");
		return to;
	}
	d = (char *)to + n - 1;
	from = (const char *)from + n - 1;
	__asm__ volatile("std; rep movsb; cld" : "+D"(d), "+S"(from), "+c"(n) : : "memory");
	return to;
}

static void *fill(void *to, int c, size_t n)
{
	void *d = to;
	__asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(c) : "memory");
	return to;
}

INLINE void *copied(void *to, const void *from, size_t n, int over, const void *pc)
{
	uint32_t site = krd_site(pc);
	if (site != NO_SITE && n > 0) {
		krd_range(from, n, site);
		krd_range(to, n, site + 2);
	}
	void *(*f)(void *, const void *, size_t) = over ? libc_memmove : libc_memcpy;
	return f ? f(to, from, n) : move(to, from, n);
}

INLINE void *filled(void *to, int c, size_t n, const void *pc)
{
	uint32_t site = krd_site(pc);
	if (site != NO_SITE && n > 0)
		krd_range(to, n, site);
	return libc_memset ? libc_memset(to, c, n) : fill(to, c, n);
}

WEAK void *memcpy(void *to, const void *from, size_t n) { return copied(to, from, n, 0, CALLER); }
WEAK void *memmove(void *to, const void *from, size_t n) { return copied(to, from, n, 1, CALLER); }
WEAK void *memset(void *to, int c, size_t n) { return filled(to, c, n, CALLER); }
void *__tsan_memcpy(void *to, const void *from, size_t n) { return copied(to, from, n, 0, CALLER); }
void *__tsan_memmove(void *to, const void *from, size_t n) { return copied(to, from, n, 1, CALLER); }
void *__tsan_memset(void *to, int c, size_t n) { return filled(to, c, n, CALLER); }

// With _FORTIFY_SOURCE; room is what the destination has.
extern void __chk_fail(void) __attribute__((noreturn));
WEAK void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return copied(to, from, n, 0, CALLER);
}
WEAK void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return copied(to, from, n, 1, CALLER);
}
WEAK void *__memset_chk(void *to, int c, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return filled(to, c, n, CALLER);
}
