// Allocations: each makes an object, so that an address which is used again is other data.
#include "krd.h"

#include <errno.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

extern WEAK _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn, void *);
extern WEAK _Unwind_Ptr _Unwind_GetIP(struct _Unwind_Context *);

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

// A walk over callers, from the one at pc on.
typedef struct {
	uintptr_t pc;
	uint32_t site;
	int seen, left;
} walk;

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *p)
{
	walk *w = p;
	uintptr_t pc = _Unwind_GetIP(c);
	if (w->seen) {
		uint32_t site = krd_site((void *)pc);
		if (site != NO_SITE && site != EXIT_SITE && !(site & FROM_HEADER)) {
			w->site = site;
			return _URC_END_OF_STACK;
		}
	}
	w->seen |= pc == w->pc;
	return --w->left > 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// caller returns the site of the program's own code that has called what allocates at pc, a function from a
// header of the system; else this one's. Programs of C++ have the unwinder.
static uint32_t caller(uint32_t site, const void *pc)
{
	walk w = {(uintptr_t)pc, site & ~FROM_HEADER, 0, 64};
	if (_Unwind_Backtrace && _Unwind_GetIP)
		_Unwind_Backtrace(step, &w);
	return w.site;
}

void krd_made(void *p, size_t n, const void *pc)
{
	if (!krd.h || !p)
		return;
	uint32_t site = krd_site(pc);
	krd_buf *b = krd_own(), *me = krd_me;
	if (site & FROM_HEADER && b != &krd_none) {
		krd_me = &krd_none; // the unwinder's own is not recorded
		site = caller(site, pc);
		krd_me = me;
	}
	krd_put(b, (uintptr_t)p, KIND(ALLOC) | (n ? n : 1));
	krd_put(b, 0, KIND(TYPE) | (krd_ticks() & ~KIND(0xff)));
	if (site != NO_SITE)
		krd_put(b, (uintptr_t)p, KIND(MADE) | site);
}

// allocated works like made, with all that the block has room for: realloc may grant it in place.
static void *allocated(void *p, const void *pc)
{
	if (krd.h && p)
		krd_made(p, malloc_usable_size(p), pc);
	return p;
}

WEAK void *malloc(size_t n) { return allocated(__libc_malloc(n), CALLER); }
WEAK void *calloc(size_t n, size_t each) { return allocated(__libc_calloc(n, each), CALLER); }
WEAK void free(void *p) { __libc_free(p); }

// A block that moves is read and written. One that stays is the same object as far as it had room;
// beyond, it is a new one.
static void *again(void *p, size_t n, const void *pc)
{
	if (!krd.h)
		return __libc_realloc(p, n);
	size_t before = p ? malloc_usable_size(p) : 0;
	void *q = __libc_realloc(p, n);
	if (!q || (q == p && malloc_usable_size(q) <= before))
		return q;
	uint32_t site = krd_site(pc);
	size_t kept = before < n ? before : n;
	if (q != p && site != NO_SITE && kept)
		krd_range(p, kept, site + 1);
	allocated(q, pc);
	if (q != p && site != NO_SITE && kept)
		krd_range(q, kept, site + 3);
	return q;
}

WEAK void *realloc(void *p, size_t n) { return again(p, n, CALLER); }

WEAK void *reallocarray(void *p, size_t n, size_t each)
{
	size_t all;
	if (__builtin_mul_overflow(n, each, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return again(p, all, CALLER);
}

WEAK void *memalign(size_t align, size_t n) { return allocated(__libc_memalign(align, n), CALLER); }
WEAK void *aligned_alloc(size_t align, size_t n) { return allocated(__libc_memalign(align, n), CALLER); }
WEAK void *valloc(size_t n) { return allocated(__libc_memalign(sysconf(_SC_PAGESIZE), n), CALLER); }

WEAK int posix_memalign(void **p, size_t align, size_t n)
{
	if (align % sizeof(void *) || (align & (align - 1)) || align == 0)
		return EINVAL;
	int e = errno;
	void *q = allocated(__libc_memalign(align, n), CALLER);
	errno = e;
	if (!q)
		return ENOMEM;
	*p = q;
	return 0;
}

WEAK void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	void *p = (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
	if (p != MAP_FAILED && prot != PROT_NONE)
		krd_made(p, n, CALLER);
	return p;
}

WEAK void *mmap64(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	void *p = (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
	if (p != MAP_FAILED && prot != PROT_NONE)
		krd_made(p, n, CALLER);
	return p;
}

// operator new of C++, by the names of the ABI, where the program has no other. If memory is short
// the library's handles it.
#define NEW(name) \
	WEAK void *name(size_t n) \
	{ \
		void *p = allocated(__libc_malloc(n ? n : 1), CALLER); \
		return p ? p : ((void *(*)(size_t))krd_next(#name))(n); \
	}
#define NEW_NOTHROW(name) \
	WEAK void *name(size_t n, const void *t) \
	{ \
		void *p = allocated(__libc_malloc(n ? n : 1), CALLER); \
		return p ? p : ((void *(*)(size_t, const void *))krd_next(#name))(n, t); \
	}
#define NEW_ALIGNED(name) \
	WEAK void *name(size_t n, size_t align) \
	{ \
		void *p = allocated(__libc_memalign(align, n ? n : 1), CALLER); \
		return p ? p : ((void *(*)(size_t, size_t))krd_next(#name))(n, align); \
	}
NEW(_Znwm)
NEW(_Znam)
NEW_NOTHROW(_ZnwmRKSt9nothrow_t)
NEW_NOTHROW(_ZnamRKSt9nothrow_t)
NEW_ALIGNED(_ZnwmSt11align_val_t)
NEW_ALIGNED(_ZnamSt11align_val_t)
