// Cases of threads that wait for each other, by the first argument: in all but "bare" each access to
// shared is ordered with the others. Compiled by TestNativeWaits.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#define OWN __attribute__((noinline))
enum { THREADS = 3, ROUNDS = 20 };

static long shared, parts[THREADS][8], ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t posted;
static mtx_t plain;
static atomic_long turn, published;
static const char *what;

OWN static void add(void) { shared++; }
OWN static long read_shared(void) { return *(volatile long *)&shared; }

static void locked(void) { pthread_mutex_lock(&lock); add(); pthread_mutex_unlock(&lock); }

static void tried(void)
{
	while (pthread_mutex_trylock(&lock))
		thrd_yield();
	add();
	pthread_mutex_unlock(&lock);
}

static void spinning(void) { pthread_spin_lock(&spin); add(); pthread_spin_unlock(&spin); }

static void written(long i)
{
	if (i % 3 == 0) {
		pthread_rwlock_wrlock(&both);
		add();
	} else {
		pthread_rwlock_rdlock(&both);
		read_shared();
	}
	pthread_rwlock_unlock(&both);
}

static void inTurn(long me, long i)
{
	while (atomic_load(&turn) != i * THREADS + me)
		thrd_yield();
	add();
	atomic_fetch_add(&turn, 1);
}

static void conditions(long me, long i)
{
	pthread_mutex_lock(&lock);
	while (ready != i * THREADS + me)
		pthread_cond_wait(&changed, &lock);
	add();
	ready++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

// In each round one thread writes what the others read behind the next barrier.
static void meeting(long me, long i)
{
	if (i % THREADS == me)
		add();
	pthread_barrier_wait(&barrier);
	read_shared();
	pthread_barrier_wait(&barrier);
}

static void first(void) { add(); }

static void round_of(long me, long i)
{
	if (!strcmp(what, "bare")) add();
	if (!strcmp(what, "locked")) locked();
	if (!strcmp(what, "tried")) tried();
	if (!strcmp(what, "spinning")) spinning();
	if (!strcmp(what, "written")) written(i);
	if (!strcmp(what, "in turn")) inTurn(me, i);
	if (!strcmp(what, "conditions")) conditions(me, i);
	if (!strcmp(what, "meeting")) meeting(me, i);
	if (!strcmp(what, "once")) { pthread_once(&once, first); read_shared(); }
	if (!strcmp(what, "posted")) { sem_wait(&posted); add(); sem_post(&posted); }
	if (!strcmp(what, "plain")) { mtx_lock(&plain); add(); mtx_unlock(&plain); }
}

static void *work(void *p)
{
	long me = (long)p;
	for (long i = 0; i < ROUNDS; i++)
		round_of(me, i);
	parts[me][0] = me;
	return NULL;
}

static int work_of_c(void *p) { return work(p) != NULL; }

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "locked";
	pthread_barrier_init(&barrier, NULL, THREADS);
	pthread_spin_init(&spin, 0);
	sem_init(&posted, 0, 1);
	mtx_init(&plain, mtx_plain);
	shared = 1;
	if (!strcmp(what, "plain")) {
		thrd_t t[THREADS];
		for (long i = 0; i < THREADS; i++)
			thrd_create(&t[i], work_of_c, (void *)i);
		for (int i = 0; i < THREADS; i++)
			thrd_join(t[i], NULL);
	} else {
		pthread_t t[THREADS];
		for (long i = 0; i < THREADS; i++)
			pthread_create(&t[i], NULL, work, (void *)i);
		for (int i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
	}
	long sum = read_shared();
	for (int i = 0; i < THREADS; i++)
		sum += parts[i][0];
	if (strcmp(what, "bare"))
		printf("%s: %ld\n", what, sum);
	return 0;
}
