// Shared libraries whose code calls this runtime, linked at start or loaded by dlopen. Each of their sources
// calls __tsan_init before its own constructors, and krdlab then reads the library's file and gives out a
// table of its sites. Whether one is gone is looked up behind dlclose.
#include "krd.h"

#include <link.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);

// A library is not changed and not freed: a thread may look at one that is just being closed.
typedef struct {
	uintptr_t base, code, code_bytes; // no bytes: it is left alone
	const uint32_t *sites;
	uint64_t number; // of this load
	int seen;
	char name[];
} library;

#define MOST 256 // at once; others are left alone
static _Atomic(library *) libraries[MOST];
static unsigned long long added, removed; // what is known of

uint32_t krd_library_site(const void *pc)
{
	for (unsigned i = 0; i < krd.libraries; i++) {
		const library *l = atomic_load_explicit(&libraries[i], memory_order_acquire);
		if (l && (uintptr_t)pc - l->code < l->code_bytes)
			return l->sites[(uintptr_t)pc - l->code];
	}
	return NO_SITE;
}

// calls reports whether an object refers to functions of this runtime.
static int calls(const struct dl_phdr_info *o)
{
	const ElfW(Dyn) *d = NULL;
	for (int i = 0; i < o->dlpi_phnum; i++)
		if (o->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (void *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr);
	if (!d || !*o->dlpi_name)
		return 0; // the program itself
	uintptr_t at[DT_JMPREL + 1] = {0};
	for (; d->d_tag != DT_NULL; d++)
		if (d->d_tag > 0 && d->d_tag <= DT_JMPREL)
			at[d->d_tag] = d->d_un.d_val;
	const int pointers[] = {DT_SYMTAB, DT_STRTAB, DT_JMPREL, DT_RELA};
	for (int i = 0; i < 4; i++) // the loader has added the base, but for its own and the kernel's
		if (at[pointers[i]] && at[pointers[i]] < o->dlpi_addr)
			at[pointers[i]] += o->dlpi_addr;
	const ElfW(Sym) *symbols = (void *)at[DT_SYMTAB];
	const char *names = (void *)at[DT_STRTAB];
	if (!symbols || !names)
		return 0;
	for (int plt = 0; plt < 2; plt++) {
		const ElfW(Rela) *r = (void *)at[plt ? DT_JMPREL : DT_RELA];
		size_t n = r ? at[plt ? DT_PLTRELSZ : DT_RELASZ] / sizeof *r : 0;
		for (size_t i = 0; i < n; i++) {
			const ElfW(Sym) *s = &symbols[ELF64_R_SYM(r[i].r_info)];
			if (s->st_shndx == SHN_UNDEF && !strncmp(names + s->st_name, "__tsan_", 7))
				return 1;
		}
	}
	return 0;
}

// ask has krdlab read the file of a library.
static void ask(library *l)
{
	krd_request *q = (krd_request *)(krd.base + REQUEST_AT);
	char path[PATH_MAX];
	if (!realpath(l->name, path) || strlen(path) >= sizeof q->path)
		path[0] = 0;
	strcpy(q->path, path);
	q->base = l->base;
	atomic_store(&q->state, ASKED);
	for (struct timespec t = {0, 50000}; atomic_load(&q->state) != ANSWERED;)
		syscall(SYS_nanosleep, &t, NULL);
	l->number = q->number;
	if (l->number) {
		l->code = l->base + q->code_at;
		l->code_bytes = q->code_bytes;
		l->sites = (const uint32_t *)(krd.base + q->sites_at);
	}
	atomic_store(&q->state, 0);
}

// A look at all objects that are loaded.
typedef struct {
	krd_buf *b;
	int all;
} look;

static int each(struct dl_phdr_info *o, size_t size, void *p)
{
	look *k = p;
	if (!k->all) {
		if (o->dlpi_adds == added && o->dlpi_subs == removed)
			return 1;
		added = o->dlpi_adds;
		removed = o->dlpi_subs;
		k->all = 1;
	}
	int room = -1;
	for (int i = 0; i < MOST; i++) {
		library *l = libraries[i];
		if (l && l->base == o->dlpi_addr && !strcmp(l->name, o->dlpi_name)) {
			l->seen = 1;
			return 0;
		}
		if (!l && room < 0)
			room = i;
	}
	if (room < 0 || !calls(o))
		return 0;
	library *l = __libc_malloc(sizeof *l + strlen(o->dlpi_name) + 1);
	if (!l)
		return 0;
	*l = (library){.base = o->dlpi_addr, .seen = 1};
	strcpy(l->name, o->dlpi_name);
	ask(l);
	if (l->number)
		krd_put(k->b, krd_ticks(), KIND(LIBRARY) | l->number);
	atomic_store_explicit(&libraries[room], l, memory_order_release);
	if (krd.libraries <= (unsigned)room)
		krd.libraries = room + 1;
	return 0;
}

// gone forgets the libraries that a look has not seen.
static void gone(const look *k)
{
	for (int i = 0; i < MOST; i++) {
		library *l = libraries[i];
		if (l && !l->seen) {
			atomic_store(&libraries[i], NULL);
			if (l->number)
				krd_put(k->b, krd_ticks(), KIND(LIBRARY) | GONE | l->number);
		} else if (l) {
			l->seen = 0;
		}
	}
}

void krd_loaded(void)
{
	static _Atomic int busy;
	look k = {0};
	if (!krd.h || getpid() != krd.pid)
		return;
	k.b = krd_buffer();
	krd_me = &krd_none; // what is called from here is not recorded
	while (atomic_exchange(&busy, 1))
		syscall(SYS_sched_yield);
	dl_iterate_phdr(each, &k);
	if (k.all)
		gone(&k);
	atomic_store(&busy, 0);
	krd_me = k.b;
}

// Another thread may close the library last: what this one has accessed stands before that.
WEAK int dlclose(void *handle)
{
	if (krd.libraries)
		krd_put(krd_buffer(), krd_ticks(), KIND(STAMP));
	int e = ((int (*)(void *))krd_next("dlclose"))(handle);
	krd_loaded();
	return e;
}
