#include "races/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "report/text.h"

static struct rv_page_list *owner;

static void *reserve(size_t size) {
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    if (owner->count == owner->capacity) {
        owner->capacity = owner->capacity * 2 + 16;
        owner->reserved = rv_text_realloc(owner->reserved, owner->capacity, sizeof *owner->reserved);
    }
    owner->reserved[owner->count++] = (struct rv_reserved){memory, size};
    return memory;
}

static void discard(void *memory, size_t size) { madvise(memory, size, MADV_DONTNEED); }

const struct rv_pages rv_listed_pages = {reserve, discard};

void rv_pages_use(struct rv_page_list *list) { owner = list; }

void rv_pages_give_back(struct rv_page_list *list) {
    for (size_t i = 0; i < list->count; i++) munmap(list->reserved[i].memory, list->reserved[i].size);
    free(list->reserved);
    *list = (struct rv_page_list){0};
}
