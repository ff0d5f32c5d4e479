// A B-tree of keys (order T: a node but the root has T-1 to 2T-1), after Cormen et al., Introduction to
// Algorithms, chapter 18: insertion in one pass down, full nodes being split on the way. Compiled by
// TestNativeBTree; it prints the sums from which the accesses of search follow.
#include <stdio.h>
#include <stdlib.h>

#define OWN __attribute__((noinline))
enum { T = 4, MOST = 2 * T - 1, KEYS = 2000, SEARCHES = 500 };

struct node {
	long count, leaf;
	long key[MOST];
	struct node *child[MOST + 1];
};

static struct node *make(long leaf)
{
	struct node *x = calloc(1, sizeof *x);
	x->leaf = leaf;
	return x;
}

// split makes two of the full child i of x.
OWN static void split(struct node *x, long i)
{
	struct node *left = x->child[i], *right = make(left->leaf);
	right->count = T - 1;
	for (long j = 0; j < T - 1; j++)
		right->key[j] = left->key[j + T];
	for (long j = 0; j < T && !left->leaf; j++)
		right->child[j] = left->child[j + T];
	left->count = T - 1;
	for (long j = x->count; j > i; j--) {
		x->child[j + 1] = x->child[j];
		x->key[j] = x->key[j - 1];
	}
	x->child[i + 1] = right;
	x->key[i] = left->key[T - 1];
	x->count++;
}

OWN static struct node *insert(struct node *root, long key)
{
	if (root->count == MOST) {
		struct node *above = make(0);
		above->child[0] = root;
		split(above, 0);
		root = above;
	}
	struct node *x = root;
	while (!x->leaf) {
		long i = x->count;
		while (i > 0 && key < x->key[i - 1])
			i--;
		if (x->child[i]->count == MOST) {
			split(x, i);
			if (key > x->key[i])
				i++;
		}
		x = x->child[i];
	}
	long i = x->count++;
	for (; i > 0 && key < x->key[i - 1]; i--)
		x->key[i] = x->key[i - 1];
	x->key[i] = key;
	return root;
}

// search returns where the key is; NULL: nowhere.
OWN static const long *search(const struct node *x, long key)
{
	for (;;) {
		long i = 0, n = x->count;
		while (i < n && x->key[i] < key)
			i++;
		if (i < n && x->key[i] == key)
			return &x->key[i];
		if (x->leaf)
			return NULL;
		x = x->child[i];
	}
}

// nodes, smaller: of a search for key, the nodes it goes through and the keys in them that it finds smaller;
// inside: the nodes where one that is not smaller follows.
static void count(const struct node *x, long key, long *nodes, long *smaller, long *inside)
{
	for (long i = 0;; x = x->child[i]) {
		for (i = 0; i < x->count && x->key[i] < key; i++)
			;
		++*nodes;
		*smaller += i;
		*inside += i < x->count;
		if ((i < x->count && x->key[i] == key) || x->leaf)
			return;
	}
}

int main(void)
{
	struct node *root = make(1);
	for (long i = 0; i < KEYS; i++)
		root = insert(root, i * 7919 % KEYS * 2);
	long found = 0, nodes = 0, smaller = 0, inside = 0;
	for (long i = 0; i < SEARCHES; i++) {
		long key = i * 1009 % (2 * KEYS);
		found += search(root, key) != NULL;
		count(root, key, &nodes, &smaller, &inside);
	}
	printf("%d searches, %ld found, %ld nodes, %ld smaller, %ld inside\n", SEARCHES, found, nodes, smaller, inside);
	return 0;
}
