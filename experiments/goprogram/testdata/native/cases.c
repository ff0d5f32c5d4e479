// What programs do beside calling and returning, by the first argument. Compiled by TestNativeCases.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN __attribute__((noinline))
enum { N = 100 };
static long table[N];
static _Thread_local long own[N];
static jmp_buf back;
static volatile sig_atomic_t came;

OWN static void fill(void) { for (int i = 0; i < N; i++) table[i] = i; }
OWN static void fill_own(void) { for (int i = 0; i < N; i++) own[i] = i; }
OWN static long last_own(int i) { return own[i]; }
OWN static void deep(int n) { if (n == 0) longjmp(back, 1); deep(n - 1); table[n]++; }
OWN static void leaps(void) { if (!setjmp(back)) deep(20); fill(); }
OWN static void caught(int s) { fill(); came++; }

static void *detached(void *p) { fill(); write(*(int *)p, "x", 1); return NULL; }
static void *local(void *p) { fill_own(); return (void *)last_own(N - 1); }

int main(int argc, char **argv)
{
	const char *what = argv[1];
	if (!strcmp(what, "fork")) {
		fflush(stdout);
		pid_t child = fork();
		fill();
		if (child == 0)
			_exit(3);
		int status = 0;
		waitpid(child, &status, 0);
		printf("%d\n", WEXITSTATUS(status));
	}
	if (!strcmp(what, "vfork")) {
		pid_t child = vfork();
		if (child == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(3);
		}
		waitpid(child, NULL, 0);
		fill();
	}
	if (!strcmp(what, "exec")) {
		fill();
		execlp("echo", "echo", "another", (char *)NULL);
	}
	if (!strcmp(what, "longjmp"))
		for (int i = 0; i < 3; i++)
			leaps();
	if (!strcmp(what, "signal")) {
		signal(SIGUSR1, caught);
		raise(SIGUSR1);
		printf("%d\n", (int)came);
	}
	if (!strcmp(what, "detached")) {
		int ends[2];
		char c;
		pthread_t t;
		pipe(ends);
		pthread_create(&t, NULL, detached, &ends[1]);
		pthread_detach(t);
		read(ends[0], &c, 1);
	}
	if (!strcmp(what, "local")) {
		pthread_t t;
		fill_own();
		pthread_create(&t, NULL, local, NULL);
		void *r;
		pthread_join(t, &r);
		printf("%ld %ld\n", (long)r, last_own(1));
	}
	if (!strcmp(what, "crash")) {
		fill();
		*(volatile int *)8 = 1;
	}
	if (!strcmp(what, "kill")) {
		fill();
		kill(getpid(), SIGKILL);
	}
	return 0;
}
