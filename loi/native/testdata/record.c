/* record.c is the program of loi_linux_test.go: its first argument is a case, its second the file. */
#define LOI_IMPLEMENTATION
#include <loi.h>
#include <stdio.h>
#include <sys/wait.h>

enum { WORKERS = 3 };
static int kernel;
static unsigned records;
static uint64_t *counts; /* of each thread, in a shared file; NULL: none */

/* numbered records the executions of thread t, which have their numbers as third block. */
static void *numbered(void *t)
{
	unsigned number = (unsigned)(size_t)t, i;
	if (counts)
		loi_worker((int)number);
	for (i = 0; i < records; i++) {
		uint64_t start = loi_begin();
		loi_end(kernel, start, number, i & 15, i);
		if (counts)
			__atomic_store_n(&counts[8 * number], i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}
static void threads(unsigned from, unsigned n)
{
	pthread_t id[16];
	unsigned i;
	for (i = 0; i < n; i++)
		pthread_create(&id[i], NULL, numbered, (void *)(size_t)(from + i));
	for (i = 0; i < n; i++)
		pthread_join(id[i], NULL);
}

/* sum is a task with two children, of which those at depth 0 are none; each child in place is an execution. */
static void sum(int k, int depth, uint32_t parent, uint32_t child)
{
	uint64_t start = loi_begin();
	uint32_t task, i;
	loi_end(k, start, depth, child);
	task = loi_task(parent, 0, child, 2);
	for (i = 0; i < 2; i++)
		if (depth > 0)
			sum(k, depth - 1, task, i);
		else {
			start = loi_begin();
			loi_end(k, start, 9, i);
			loi_child(task, 0, i);
		}
	loi_phase(task, 0, 0);
}

static int each(const char *path)
{
	uint64_t sizes[4] = {8, 8, 24, 8};
	int a = loi_object("a", LOI_PARTITION, 4, 0, sizes), b = loi_partition("b", 16, 4096);
	int s = loi_object("s", LOI_SPAN, 0, 0, NULL), t = loi_object("t", LOI_KEYED, 0, 0, NULL);
	int none = loi_kernel("none", 0), two = loi_kernel("two", 2, b, LOI_IN, b, LOI_OUT);
	int f = loi_region("f", LOI_FUNCTION, LOI_NONE), l = loi_region("l", LOI_LOOP, f);
	uint16_t nodes[2] = {0, 1};
	loi_options o;
	loi_access list[4];
	uint32_t n, m;
	int e;
	memset(&o, 0, sizeof o);
	o.program = "each", o.scheduler = "serial", o.llc_bytes = 1 << 20, o.nodes = nodes;
	if ((e = loi_open(path, 2, &o)) != 0)
		return e;
	loi_end(two, loi_now() - ((uint64_t)5 << 32), 3, 4);
	n = loi_region_begin(f), m = loi_region_begin(l);
	loi_end(none, loi_begin());
	loi_region_end(m);
	list[0].object = a, list[0].mode = LOI_IN, list[0].block = 2;
	list[1].object = s, list[1].mode = LOI_OUT, list[1].block = 100, list[1].bytes = 28;
	list[2].object = t, list[2].mode = LOI_INOUT, list[2].block = (uint64_t)1 << 60, list[2].bytes = (uint64_t)1 << 33;
	loi_end_accesses(none, loi_begin(), 3, list);
	loi_region_end(n);
	sum(two, 1, 0, 0);
	return loi_close();
}

static int forks(const char *path)
{
	char child[4096];
	numbered(NULL);
	if (fork() == 0) {
		snprintf(child, sizeof child, "%s.child", path);
		numbered(NULL);
		kernel = loi_kernel("own", 0);
		if (loi_close() || loi_open(child, 1, NULL))
			_exit(1);
		loi_end(kernel, loi_begin());
		_exit(loi_close());
	}
	wait(NULL);
	numbered(NULL);
	return loi_close();
}

int main(int argc, char **argv)
{
	const char *what = argv[1], *path = argv[2];
	loi_options o;
	int b, e, d;
	memset(&o, 0, sizeof o);
	if (!strcmp(what, "each"))
		return each(path);
	if (!strcmp(what, "bad"))
		return loi_partition("b", 2, 8) == 0 && loi_partition("b", 1, 8) == -1 && loi_open(path, 1, NULL) == EINVAL ? 0 : 1;
	b = loi_partition("b", 0x7fffffff, 64);
	kernel = loi_kernel("k", 3, b, LOI_IN, b, LOI_OUT, b, LOI_INOUT);
	records = argc > 3 ? (unsigned)atoi(argv[3]) : 100;
	o.max_bytes = argc > 4 ? (uint64_t)atoll(argv[4]) : 0;
	if (!strcmp(what, "bench"))
		o.first_bytes = (uint64_t)records * 32 + 4096;
	if ((e = loi_open(path, WORKERS, &o)) != 0)
		return e;
	if (!strcmp(what, "fork"))
		return forks(path);
	if (!strcmp(what, "kill")) { /* argv[5]: the file of the counts */
		d = open(argv[5], O_RDWR);
		counts = (uint64_t *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, d, 0);
		threads(0, WORKERS);
		return 1;
	}
	if (!strcmp(what, "bench")) {
		uint64_t from;
		unsigned i;
		loi_end(kernel, loi_begin(), 0, 0, 0); /* the chunk */
		from = loi_nanoseconds_();
		for (i = 0; i < records; i++) {
			uint64_t start = loi_begin();
			loi_end(kernel, start, i & 63, i & 15, i);
		}
		printf("%.2f\n", (double)(loi_nanoseconds_() - from) / records);
		return loi_close();
	}
	threads(0, WORKERS); /* they end early: others follow as the same workers */
	threads(WORKERS, WORKERS);
	printf("%llu\n", (unsigned long long)loi_discarded());
	return loi_close();
}
