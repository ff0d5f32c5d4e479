// Tasks of OpenMP, whichever library runs them: openmp.c has gcc's libgomp, ompt.c clang's libomp.
// A team begins and ends by groups of its first thread. A task is to the trace a thread that ends by groups:
// of its siblings, for taskwait; of its taskgroup; of the team's next barrier.
#pragma once
#include "krd.h"

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void __libc_free(void *);

typedef struct {
	void (*run)(void *);
	void *arg;
	const volatile char *groups; // 8 bytes each: of the beginning, of the end, two of barriers that take turns
	_Atomic int tasks; // it has made some
} team;

typedef struct taskgroup {
	uint64_t group;
	struct taskgroup *outer;
} taskgroup;

// A datum is what siblings depend on: they follow the last that wrote it, which ends by a group, and one that
// writes it those that have read it since.
typedef struct {
	uintptr_t at;
	uint64_t wrote, read;
} datum;

// A task runs on a thread. What a thread of a team runs beside tasks is one too.
typedef struct {
	team *in;
	taskgroup *open;          // in it
	uint64_t children, whole; // groups: of its children, of the taskgroup in which it was made
	uint64_t round;           // of barriers
	int final;
	unsigned size; // of the team, where the library tells
	datum *data; // that its children depend on, by address
	size_t used, room;
} task;

// Groups that a task waits for when it begins come first, those that it ends by last.
typedef struct {
	size_t waits, ends, room;
	uint64_t groups[];
} depends;

// What is known of a task that was made.
typedef struct {
	uint64_t number, siblings, whole, round;
	team *in;
	int final;
	depends *on;
} child;

extern HIDDEN __thread task krd_first, *krd_running;
INLINE task *current(void) { return krd_running ? krd_running : &krd_first; }

INLINE void waits_for(uint64_t group) { krd_note(OP_WAIT, (void *)group, 0); }
INLINE void is_done(uint64_t group) { krd_note(OP_DONE, (void *)group, 0); }
INLINE const volatile void *barrier(const team *t, uint64_t round) { return t->groups + 16 + 8 * (round & 1); }

// krd_groups returns the first of n new groups.
HIDDEN uint64_t krd_groups(unsigned n);
INLINE uint64_t krd_group(void) { return krd_groups(1); }

// krd_makes readies a task. One that its maker waits for is alone in its group.
HIDDEN void krd_makes(child *c, int final, int awaited);

// krd_task_in returns what runs as a child, krd_task_done notes that it has.
HIDDEN task krd_task_in(const child *c);
HIDDEN void krd_task_done(const child *c);

// krd_depends makes room for n dependences, of which krd_depend adds one, of a child that is about to be made.
HIDDEN depends *krd_depends(size_t n);
HIDDEN void krd_depend(depends *d, uintptr_t at, int reads);
HIDDEN void krd_begun(depends *d);
HIDDEN void krd_ended(depends *d);

// A taskgroup that a task opens, and closes.
HIDDEN void krd_opens(void);
HIDDEN void krd_closes(uint64_t begin);

// What a library has of that name, which is called in its place.
#define NEXT(name, params) \
	static void(*real) params; \
	if (!real) \
		real = krd_next(#name)

// What enters and leaves where only one thread is.
#define ENTERS(name, params, args, p) \
	WEAK void name params \
	{ \
		NEXT(name, params); \
		uint64_t begin = krd.sync ? krd_waits_for(OP_LOCK, p, 0) : 0; \
		real args; \
		if (krd.sync) { \
			krd_waited(); \
			krd_sync(OP_LOCK, p, 0, begin, 0); \
		} \
	}
#define LEAVES(name, params, args, p) \
	WEAK void name params \
	{ \
		NEXT(name, params); \
		if (krd.sync) \
			krd_note(OP_UNLOCK, p, 0); \
		real args; \
	}
