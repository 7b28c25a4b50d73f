/* Two items are there. One thread pops and pushes again, the others pop, and look. */
#include "drive.h"
#include "stack.h"

static stack *items;
static int popped[2];

static void pop_and_push(void) {
    int item = 0;
    assert(stack_pop(items, &item));
    stack_push(items, item);
}

static void pop(void) { assert(stack_pop(items, &popped[0])); }

static void look(void) {
    int item = 0;
    assert(!stack_top(items, &item) || item == 1 || item == 2);
}

int main(void) {
    drive_part *parts[] = {pop_and_push, pop, look};
    items = stack_new();
    stack_push(items, 1);
    stack_push(items, 2);
    drive(parts, 3);
    assert(!stack_push_first(items, 9));
    assert(stack_pop(items, &popped[1]) && popped[0] + popped[1] == 3 && popped[0] != popped[1]);
    assert(stack_is_empty(items) && stack_push_first(items, 9) && !stack_is_empty(items));
    stack_free(items);
    return 0;
}
