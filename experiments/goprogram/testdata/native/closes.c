// Threads that load, call and close two libraries at once. Compiled by TestNativeLibrariesClosed.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, TIMES = 40 };

static void *calls(void *path)
{
	for (int i = 0; i < TIMES; i++) {
		void *l = dlopen(path, RTLD_NOW);
		((long (*)(long))dlsym(l, "work"))(200);
		dlclose(l);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, calls, argv[1 + i % (argc - 1)]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
