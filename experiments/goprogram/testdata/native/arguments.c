// Counts its arguments where they lie.
#include <stdio.h>

int main(int argc, char **argv)
{
	int n = 0;
	for (int i = 1; i < argc; i++)
		n += argv[i] != NULL;
	printf("%d\n", n);
	return 0;
}
