// main.cc has the implementation of loi.h, in C++.
#define LOI_IMPLEMENTATION
#include <loi.h>

int scopes(const char *path);
int main(int, char **argv) { return scopes(argv[1]); }
