// Sums of a matrix by columns and by rows, whose distances are known: see TestNativeSample.
#include <stdio.h>
#include <stdlib.h>

enum { N = 512 };
static double a[N][N];

__attribute__((noinline)) static double columns(void)
{
	double s = 0;
	for (int j = 0; j < N; j++)
		for (int i = 0; i < N; i++)
			s += a[i][j];
	return s;
}

__attribute__((noinline)) static double rows(void)
{
	double s = 0;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			s += a[i][j];
	return s;
}

int main(int argc, char **argv)
{
	double s = 0;
	a[argc][0] = 1;
	for (int i = 0; i < atoi(argv[1]); i++)
		s += columns() + rows();
	printf("%g\n", s);
	return 0;
}
