// What threads wait for, as rewritten Go programs record it (krdlab/loi/sync.go): a wait for the end of
// a thread is one for a group of its pthread_t; a barrier is two groups that take turns; a semaphore is a
// channel without bounds. Only where krdlab asked for it.
#include "krd.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <threads.h>

typedef struct {
	_Atomic uint64_t what;
	uint64_t at, pcs[18], cases[6][2];
} krd_wait;

// stamp returns the tick, when all before it has been done.
INLINE uint64_t stamp(void)
{
	__builtin_ia32_lfence();
	return krd_ticks();
}

// standing returns an address as events of waits have it: of a stack as any thread sees it.
INLINE uint64_t standing(const volatile void *p)
{
	uintptr_t a = (uintptr_t)p;
	return a - krd.image < krd.image_bytes ? a - krd.bias : a;
}

void krd_sync(uint64_t op, const volatile void *p, uint64_t room, uint64_t begin, uint64_t at)
{
	krd_buf *b = krd_buffer();
	if (b == &krd_none)
		return;
	uint64_t end = stamp();
	krd_put(b, standing(p), KIND(SYNC) | op << OP_SHIFT | room);
	krd_put(b, begin, KIND(SYNC_AT) | ((at ? at : end) & ~KIND(0xff)));
	b->away += end - begin;
	krd_put(b, end, KIND(DONE) | b->away);
}

uint64_t krd_waits_for(uint64_t op, const volatile void *p, uint64_t room)
{
	krd_buf *b = krd_buffer();
	uint64_t now = krd_ticks();
	if (b == &krd_none)
		return now;
	krd_wait *w = krd_waits(b);
	w->at = now;
	w->cases[0][0] = standing(p);
	w->cases[0][1] = op << OP_SHIFT | room;
	atomic_store(&w->what, op | 1 << 8);
	return now;
}

void krd_waited(void)
{
	krd_buf *b = krd_buffer();
	if (b != &krd_none)
		atomic_store(&((krd_wait *)krd_waits(b))->what, 0);
}

void *krd_waits(const krd_buf *b)
{
	uintptr_t i = ((uintptr_t)b - krd.base - krd.h->bufs_at) / sizeof *b;
	return (krd_wait *)(krd.base + krd.h->waits_at) + i;
}

// A slot is what must be known of a condition (last: the tick of its last signal), a barrier (last: those
// that have come; size: how many meet), a lock for readers and writers (last: a writer has it) or what is done
// once (last: it was).
typedef struct {
	uintptr_t at;
	uint64_t last, size;
} slot;

#define SLOTS (1u << 14)
#define PROBES 64
static slot slots[SLOTS];
static _Atomic uint32_t slots_lock;

static void lock(_Atomic uint32_t *l)
{
	for (int n = 0; atomic_exchange_explicit(l, 1, memory_order_acquire); n++)
		if (n < 100)
			__builtin_ia32_pause();
		else
			sched_yield();
}

static void unlock(_Atomic uint32_t *l) { atomic_store_explicit(l, 0, memory_order_release); }

// known returns the slot of p, an empty one if it has none; where all near it are taken, the first of them
// is given up. The slots are locked.
static slot *known(const volatile void *p)
{
	uintptr_t at = (uintptr_t)p;
	uint32_t h = at * 0x9e3779b97f4a7c15ull >> 50;
	slot *s = NULL;
	for (uint32_t i = 0; i < PROBES; i++) {
		s = &slots[(h + i) % SLOTS];
		if (s->at == at)
			return s;
		if (!s->at)
			break;
	}
	if (s->at)
		s = &slots[h];
	*s = (slot){at, 0, 0};
	return s;
}

// exchange sets what is known of p, and returns what was.
static uint64_t exchange(const volatile void *p, uint64_t v)
{
	lock(&slots_lock);
	slot *s = known(p);
	uint64_t was = s->last;
	s->last = v;
	unlock(&slots_lock);
	return was;
}

static uint64_t last_of(const volatile void *p)
{
	lock(&slots_lock);
	uint64_t last = known(p)->last;
	unlock(&slots_lock);
	return last;
}

// Atomic operations: one after the other of a variable, so that their ticks are in their order.
static _Atomic uint32_t stripes[1 << 10];
static __thread int inside; // a stripe; an operation of a signal's handler is not to wait for it

krd_op krd_op_begin(const volatile void *p)
{
	krd_op o = {p, krd_ticks(), NULL};
	if (!inside) {
		inside = 1;
		atomic_signal_fence(memory_order_seq_cst);
		o.stripe = &stripes[((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15ull >> 54];
		lock(o.stripe);
	}
	return o;
}

void krd_op_end(const krd_op *o, uint64_t op, const void *pc)
{
	uint64_t at = stamp();
	if (o->stripe) {
		unlock(o->stripe);
		atomic_signal_fence(memory_order_seq_cst);
		inside = 0;
	}
	krd_sync(op, o->p, krd_site(pc), o->begin, at);
}

#define REAL(name) ({ \
		static __typeof__(name) *f; \
		if (UNLIKELY(!f)) \
			f = krd_next(#name); \
		f; \
	})

// Those that return with something that was asked for.
#define GETS(op, name, params, args, p, room, got) \
	WEAK int name params \
	{ \
		if (!krd.sync) \
			return REAL(name) args; \
		uint64_t begin = krd_waits_for(op, p, room); \
		int e = REAL(name) args; \
		krd_waited(); \
		if (got) \
			krd_sync(op, p, room, begin, 0); \
		return e; \
	}

// Those that let others go on.
#define GIVES(op, name, params, args, p, room) \
	WEAK int name params \
	{ \
		if (krd.sync) \
			krd_note(op, p, room); \
		return REAL(name) args; \
	}

typedef const struct timespec *until;
typedef pthread_mutex_t *mutex;
typedef pthread_rwlock_t *rwlock;
#define LOCKED (e == 0 || e == EOWNERDEAD)

GETS(OP_LOCK, pthread_mutex_lock, (mutex m), (m), m, 0, LOCKED)
GETS(OP_LOCK, pthread_mutex_trylock, (mutex m), (m), m, 0, LOCKED)
GETS(OP_LOCK, pthread_mutex_timedlock, (mutex m, until t), (m, t), m, 0, LOCKED)
GETS(OP_LOCK, pthread_mutex_clocklock, (mutex m, clockid_t c, until t), (m, c, t), m, 0, LOCKED)
GIVES(OP_UNLOCK, pthread_mutex_unlock, (mutex m), (m), m, 0)
GETS(OP_LOCK, pthread_spin_lock, (pthread_spinlock_t *l), (l), l, 0, !e)
GETS(OP_LOCK, pthread_spin_trylock, (pthread_spinlock_t *l), (l), l, 0, !e)
GIVES(OP_UNLOCK, pthread_spin_unlock, (pthread_spinlock_t *l), (l), l, 0)
GETS(OP_LOCK, mtx_lock, (mtx_t *m), (m), m, 0, e == thrd_success)
GETS(OP_LOCK, mtx_trylock, (mtx_t *m), (m), m, 0, e == thrd_success)
GETS(OP_LOCK, mtx_timedlock, (mtx_t *m, until t), (m, t), m, 0, e == thrd_success)
GIVES(OP_UNLOCK, mtx_unlock, (mtx_t *m), (m), m, 0)

GETS(OP_READ_LOCK, pthread_rwlock_rdlock, (rwlock l), (l), l, 0, !e)
GETS(OP_READ_LOCK, pthread_rwlock_tryrdlock, (rwlock l), (l), l, 0, !e)
GETS(OP_READ_LOCK, pthread_rwlock_timedrdlock, (rwlock l, until t), (l, t), l, 0, !e)
GETS(OP_READ_LOCK, pthread_rwlock_clockrdlock, (rwlock l, clockid_t c, until t), (l, c, t), l, 0, !e)
#define WRITES (e == 0 && (exchange(l, 1), 1))
GETS(OP_LOCK, pthread_rwlock_wrlock, (rwlock l), (l), l, 0, WRITES)
GETS(OP_LOCK, pthread_rwlock_trywrlock, (rwlock l), (l), l, 0, WRITES)
GETS(OP_LOCK, pthread_rwlock_timedwrlock, (rwlock l, until t), (l, t), l, 0, WRITES)
GETS(OP_LOCK, pthread_rwlock_clockwrlock, (rwlock l, clockid_t c, until t), (l, c, t), l, 0, WRITES)
GIVES(exchange(l, 0) ? OP_UNLOCK : OP_READ_UNLOCK, pthread_rwlock_unlock, (rwlock l), (l), l, 0)

GETS(OP_RECEIVE, sem_wait, (sem_t *s), (s), s, ROOM, !e)
GETS(OP_RECEIVE, sem_trywait, (sem_t *s), (s), s, ROOM, !e)
GETS(OP_RECEIVE, sem_timedwait, (sem_t *s, until t), (s, t), s, ROOM, !e)
GETS(OP_RECEIVE, sem_clockwait, (sem_t *s, clockid_t c, until t), (s, c, t), s, ROOM, !e)
GIVES(OP_SEND, sem_post, (sem_t *s), (s), s, ROOM)

WEAK int sem_init(sem_t *s, int shared, unsigned value)
{
	int e = REAL(sem_init)(s, shared, value);
	for (; krd.sync && !e && value > 0; value--)
		krd_note(OP_SEND, s, ROOM);
	return e;
}

GETS(OP_WAIT, pthread_join, (pthread_t t, void **r), (t, r), (void *)t, 0, !e)
GETS(OP_WAIT, pthread_tryjoin_np, (pthread_t t, void **r), (t, r), (void *)t, 0, !e)
GETS(OP_WAIT, pthread_timedjoin_np, (pthread_t t, void **r, until u), (t, r, u), (void *)t, 0, !e)
GETS(OP_WAIT, pthread_clockjoin_np, (pthread_t t, void **r, clockid_t c, until u), (t, r, c, u), (void *)t, 0, !e)
GETS(OP_WAIT, thrd_join, (thrd_t t, int *r), (t, r), (void *)t, 0, e == thrd_success)

// Conditions. A wait follows the last signal since it began; without one it was woken by chance, or by
// the clock. The C library has an older version of these functions under the same name.
#define COND(name) ({ \
		static __typeof__(name) *f; \
		if (UNLIKELY(!f) && !(f = dlvsym(RTLD_NEXT, #name, "GLIBC_2.3.2"))) \
			f = krd_next(#name); \
		f; \
	})
#define AWAITS(name, real, params, args) \
	WEAK int name params \
	{ \
		if (!krd.sync) \
			return real(name) args; \
		krd_note(OP_UNLOCK, m, 0); \
		uint64_t begin = krd_waits_for(OP_COND_WAIT, c, 0); \
		int e = real(name) args; \
		krd_waited(); \
		uint64_t last = last_of(c); \
		if (last > begin) \
			krd_sync(OP_COND_WAIT, c, 0, begin, last); \
		krd_note(OP_LOCK, m, 0); \
		return e; \
	}
AWAITS(pthread_cond_wait, COND, (pthread_cond_t *c, mutex m), (c, m))
AWAITS(pthread_cond_timedwait, COND, (pthread_cond_t *c, mutex m, until t), (c, m, t))
AWAITS(pthread_cond_clockwait, COND, (pthread_cond_t *c, mutex m, clockid_t k, until t), (c, m, k, t))
AWAITS(cnd_wait, REAL, (cnd_t *c, mtx_t *m), (c, m))
AWAITS(cnd_timedwait, REAL, (cnd_t *c, mtx_t *m, until t), (c, m, t))

static void signals(const volatile void *c)
{
	if (!krd.sync)
		return;
	lock(&slots_lock);
	uint64_t now = known(c)->last = stamp();
	unlock(&slots_lock);
	krd_sync(OP_SIGNAL, c, 0, now, now);
}

#define SIGNALS(name, real, type) \
	WEAK int name(type *c) \
	{ \
		signals(c); \
		return real(name)(c); \
	}
SIGNALS(pthread_cond_signal, COND, pthread_cond_t)
SIGNALS(pthread_cond_broadcast, COND, pthread_cond_t)
SIGNALS(cnd_signal, REAL, cnd_t)
SIGNALS(cnd_broadcast, REAL, cnd_t)

// Barriers. All of a round come before any leaves, and leave before any comes to the next but one: two
// groups are enough, which have their places in the barrier.
void krd_meets(const volatile void *p, unsigned size)
{
	lock(&slots_lock);
	*known(p) = (slot){(uintptr_t)p, 0, size};
	unlock(&slots_lock);
}

const volatile void *krd_comes(const volatile void *p, unsigned size)
{
	lock(&slots_lock);
	slot *s = known(p);
	if (!s->size)
		s->size = size ? size : 1;
	uint64_t round = s->last++ / s->size;
	unlock(&slots_lock);
	p = (const volatile char *)p + 8 * (round & 1);
	krd_note(OP_DONE, p, 0);
	return p;
}

WEAK int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned n)
{
	if (krd.sync)
		krd_meets(b, n);
	return REAL(pthread_barrier_init)(b, a, n);
}

WEAK int pthread_barrier_wait(pthread_barrier_t *b)
{
	if (!krd.sync)
		return REAL(pthread_barrier_wait)(b);
	const volatile void *p = krd_comes(b, 0);
	uint64_t begin = krd_waits_for(OP_WAIT, p, 0);
	int e = REAL(pthread_barrier_wait)(b);
	krd_waited();
	krd_sync(OP_WAIT, p, 0, begin, 0);
	return e;
}

// What is done once: the function that runs notes its end before others find it done.
static __thread void (*to_run)(void);
static __thread pthread_once_t *running;
static __thread int ran;

static void runs_once(void)
{
	pthread_once_t *o = running;
	to_run();
	if (krd_buffer() != &krd_none)
		exchange(o, 1);
	krd_note(OP_ONCE, o, 0);
	ran = 1;
}

WEAK int pthread_once(pthread_once_t *o, void (*f)(void))
{
	if (!krd.sync)
		return REAL(pthread_once)(o, f);
	uint64_t begin = krd_waits_for(OP_ONCE, o, 0);
	to_run = f;
	running = o;
	ran = 0;
	int e = REAL(pthread_once)(o, runs_once);
	krd_waited();
	if (!e && !ran && last_of(o)) // else that was not recorded
		krd_sync(OP_ONCE_SEEN, o, 0, begin, 0);
	ran = 0;
	return e;
}

WEAK void call_once(once_flag *o, void (*f)(void)) { pthread_once((pthread_once_t *)o, f); }

// Locals of C++ that are static: the program itself loads the first byte atomically.
extern int __cxa_guard_acquire(void *) WEAK;
extern void __cxa_guard_release(void *) WEAK;
int __cxa_guard_acquire(void *g)
{
	int runs = REAL(__cxa_guard_acquire)(g);
	if (krd.sync && !runs)
		krd_note(OP_LOAD, g, 0);
	return runs;
}
void __cxa_guard_release(void *g)
{
	if (krd.sync)
		krd_note(OP_STORE, g, 0);
	REAL(__cxa_guard_release)(g);
}
