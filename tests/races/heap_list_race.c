/* Two threads push to a list of heap nodes; a node gets lost.
 * races: a-b b-b
 * harm: a-b
 */
#include <stdio.h>
#include <stdlib.h>

#include "subject.h"

struct node {
    struct node *next;
};
static struct node *head;

static void *push(void *unused) {
    struct node *node = malloc(sizeof *node);
    node->next = head; /* @a */
    head = node;       /* @b */
    return unused;
}

int main(void) {
    int length = 0;
    run_two(push, push);
    for (struct node *node = head; node; node = node->next) length++;
    printf("%d\n", length);
    return 0;
}
