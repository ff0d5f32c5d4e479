// Functions whose accesses are known, compiled by TestNative.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline))
enum { N = 1000, THREADS = 4, BLOCKS = 10 };

struct node { struct node *next; long value; };
struct pair { long a, b; };

static long table[N];
static atomic_long turns;

OWN void fill(long *p, long n) { for (long i = 0; i < n; i++) p[i] = i * i; }
OWN long sum(const long *p, long n) { long s = 0; for (long i = 0; i < n; i++) s = s * 3 + p[i]; return s; }
OWN void scale(long *p, long n) { for (long i = 0; i < n; i++) p[i] *= 3; }
OWN struct node *chain(long n)
{
	struct node *first = NULL;
	for (long i = 0; i < n; i++) {
		struct node *x = malloc(sizeof *x);
		x->next = first;
		x->value = i;
		first = x;
	}
	return first;
}
OWN long walk(const struct node *x) { long s = 0; for (; x; x = x->next) s += x->value; return s; }
OWN void copy(long *to, const long *from, long n) { memcpy(to, from, n); }

OWN void churn(void)
{
	for (int i = 0; i < BLOCKS; i++) {
		volatile long *p = malloc(64);
		p[0] = i;
		free((void *)p);
	}
}

static void *work(void *p)
{
	scale(p, N);
	atomic_fetch_add(&turns, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	fill(table, N);
	struct node *list = chain(N);
	long *other = malloc(sizeof table);
	copy(other, table, sizeof table - 8 * 3 + 5);
	churn();
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, calloc(N, sizeof(long)));
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld %ld\n", sum(table, N), walk(list), atomic_load(&turns));
	return argc > 1 ? atoi(argv[1]) : 0;
}
