// A program that calls the libraries of its arguments one after the other, each in a thread of its own, or
// the one that it is linked with. It prints where a library stands: at the place of the one before or not.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>

extern __attribute__((weak)) long work(long n);

static long in_thread(void *(*f)(void *), long n)
{
	pthread_t t;
	void *result;
	pthread_create(&t, NULL, f, (void *)n);
	pthread_join(t, &result);
	return (long)result;
}

int main(int argc, char **argv)
{
	if (work)
		printf("%ld\n", in_thread((void *(*)(void *))work, 1000));
	ElfW(Addr) before = 0;
	for (int i = 1; i < argc; i++) {
		void *l = dlopen(argv[i], RTLD_NOW);
		void *f = l ? dlsym(l, "work") : NULL;
		if (!f) {
			puts(dlerror());
			return 1;
		}
		ElfW(Addr) at = ((struct link_map *)l)->l_addr; // loaded once, wherever it stands
		printf("%ld, %s\n", in_thread((void *(*)(void *))f, 1000), at == before ? "same place" : "elsewhere");
		before = at;
		dlclose(l);
	}
	return 0;
}
