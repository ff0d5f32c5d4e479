// Tasks of oneTBB, which tbb.h makes of what the program runs. All else that a thread does in oneTBB is not
// recorded but for memory and threads: it orders nothing that the program may rely on, and uses memory again.
#include "openmp.h"

#include <dlfcn.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

HIDDEN __thread krd_buf *krd_apart;

// A task that was made; number 0: nothing is recorded.
typedef struct {
	uint64_t number, group, began;
	const void *entry;
	krd_buf *on;
	int apart; // the thread was
} made;

// A loop makes each task by the one before, which does so before all else: so many are not known before.
typedef struct {
	uint64_t group;
	const void *entry;
	made *next;
	_Atomic int taken;
} loop;

// enter lets the thread go apart, and returns whether it was not; leave ends that.
int __tsan_tbb_enter(void)
{
	if (!krd.sync || krd_apart)
		return 0;
	krd_apart = krd_buffer();
	krd_me = &krd_none;
	return 1;
}

void __tsan_tbb_leave(void)
{
	if (krd.h && krd_apart)
		krd_me = krd_apart;
	krd_apart = NULL;
}

static _Atomic int told; // that the program runs tasks by other ways, on threads that begin from then on too

int krd_of_tbb(const void *entry)
{
	Dl_info i;
	return krd.sync && !told && dladdr(entry, &i) && i.dli_fname && strstr(i.dli_fname, "libtbb");
}

uint64_t __tsan_tbb_group(void) { return krd_group(); }

made *__tsan_tbb_make(uint64_t group, const void *entry)
{
	made *m = __libc_calloc(1, sizeof *m);
	m->group = group;
	m->entry = entry;
	if (krd.sync)
		krd_starts(m->number = krd_another());
	return m;
}

static void begins(made *m, uintptr_t top)
{
	if (!m->number)
		return;
	if ((m->apart = krd_apart != NULL))
		__tsan_tbb_leave();
	m->began = krd_ticks();
	m->on = krd_task(m->number, m->entry, top);
}

// The stack of a task is what is below that of the caller, before it called.
#define TOP ((uintptr_t)__builtin_frame_address(0) + 16)
void __tsan_tbb_begin(made *m) { begins(m, TOP); }

void __tsan_tbb_end(made *m)
{
	if (m->number) {
		is_done(m->group);
		krd_task_ends(m->on, m->began, 0);
		if (m->apart)
			__tsan_tbb_enter();
	}
	__libc_free(m);
}

loop *__tsan_tbb_loop(uint64_t group, const void *entry)
{
	loop *l = __libc_malloc(sizeof *l);
	*l = (loop){group, entry, __tsan_tbb_make(group, entry)};
	return l;
}

made *__tsan_tbb_begin_next(loop *l)
{
	while (atomic_exchange(&l->taken, 1))
		sched_yield();
	made *m = l->next;
	begins(m, TOP);
	l->next = __tsan_tbb_make(l->group, l->entry);
	atomic_store(&l->taken, 0);
	return m;
}

// over runs the task that was made last, which has nothing to do.
void __tsan_tbb_over(loop *l)
{
	l->next->entry = (void *)__tsan_tbb_over;
	__tsan_tbb_begin(l->next);
	__tsan_tbb_end(l->next);
	__libc_free(l);
}

// copied makes what oneTBB has copied new memory.
void __tsan_tbb_copied(void *p, size_t n)
{
	if (krd.sync)
		krd_made(p, n, CALLER);
}

uint64_t __tsan_tbb_wait(uint64_t group) { return krd.sync ? krd_waits_for(OP_WAIT, (void *)group, 0) : 0; }

void __tsan_tbb_waited(uint64_t group, uint64_t begin)
{
	if (!krd.sync)
		return;
	krd_waited();
	krd_sync(OP_WAIT, (void *)group, 0, begin, 0);
}

// What the headers of oneTBB call to run tasks.
static void foreign(void)
{
	static const char note[] = "krdlab: the program runs tasks of oneTBB by other ways than task_group, "
	                           "parallel_invoke and parallel_for: what these do is not ordered, nor all recorded\n";
	if (!krd.sync || krd_apart || atomic_exchange(&told, 1))
		return;
	atomic_fetch_add(&krd.h->lost, 1); // so that what is printed of the run is in doubt
	if (write(2, note, sizeof note - 1) < 0) {
	}
}

#define RUNS(name, params, args) \
	WEAK void name params \
	{ \
		NEXT(name, params); \
		foreign(); \
		real args; \
	}
RUNS(_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE, (void *t, void *in), (t, in))
RUNS(_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextEt, (void *t, void *in, unsigned short at),
     (t, in, at))
RUNS(_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_,
     (void *t, void *in, void *until, void *of), (t, in, until, of))
RUNS(_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE, (void *t, void *to), (t, to))
RUNS(_ZN3tbb6detail2r17enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE,
     (void *t, void *in, void *to), (t, in, to))
