/* A stack without locks.
 *
 * All functions but stack_free may be called by several threads on the same stack at the same time. Each has its effect at
 * one moment, and nobody waits.
 */
#ifndef STACK_H
#define STACK_H

#include <stdbool.h>

typedef struct stack stack;

stack *stack_new(void); /* NULL: no memory */
void stack_free(stack *items);

bool stack_push(stack *items, int item); /* false: no memory */
bool stack_pop(stack *items, int *item); /* false: empty */
/* The item that would be popped; false: empty. */
bool stack_top(stack *items, int *item);
bool stack_is_empty(stack *items);
/* Pushes only onto an empty stack; false: it was not, or no memory. */
bool stack_push_first(stack *items, int item);

#endif
