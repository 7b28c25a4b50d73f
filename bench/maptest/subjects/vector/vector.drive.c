/* One thread appends a vector to itself; the other one makes it longer. */
#include "drive.h"
#include "vector.h"

static vector *list;

static void push_all(void) { vector_push_all(list, list); }

static void push(void) {
    vector_push(list, 2);
    vector_push(list, 3);
}

int main(void) {
    list = vector_new();
    vector_push(list, 1);
    drive_two(push_all, push);
    size_t size = vector_size(list);
    assert(size == 4 || size == 5 || size == 6);
    vector_free(list);
    return 0;
}
