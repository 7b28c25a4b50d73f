/* The slot that is there before the cases are (slot.h). */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/text.h"
#include "suite/slot.h"
#include "supervisor/serve.h"
#include "supervisor/util.h"

enum { BOARD = 16 << 20 /* hardly used */, TICK_MS = 20, PIECE = 1 << 14 };

/* At the start of the memory that we share, which lies at the same place for both. */
struct board {
    struct rv_suite_cases cases;
    size_t used;
    char room[];
};

void rv_suite_scout_open(struct rv_suite_scout *scout, const struct rv_suite_work *work) {
    *scout = (struct rv_suite_scout){.slot = {.pid = 0}};
    struct board *board =
        mmap(NULL, BOARD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (board == MAP_FAILED) return;
    scout->board = board;
    (void)rv_suite_slot_open(&scout->slot, work, &board->cases, NULL, 0);
}

static void dismiss(struct rv_suite_scout *scout) {
    if (scout->slot.pid) {
        kill(scout->slot.pid, SIGKILL); /* the worker dies with it */
        rv_suite_slot_close(&scout->slot);
    }
}

/* What has come goes to the text; false: nothing more will. */
static bool hear(const struct rv_suite_scout *scout, struct rv_text *text) {
    char piece[PIECE];
    ssize_t size = read(scout->slot.from, piece, sizeof piece);
    if (size > 0) rv_text_add_n(text, piece, (size_t)size);
    return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

/* It says the size first. */
static bool is_whole(const struct rv_text *text, uint32_t *size) {
    if (text->size < sizeof *size) return false;
    memcpy(size, text->data, sizeof *size);
    return text->size - sizeof *size >= *size;
}

char *rv_suite_scout_list(struct rv_suite_scout *scout, double limit, size_t *size) {
    struct rv_text text = {0};
    double end = rv_seconds() + limit;
    uint32_t length = 0;
    bool whole = false, more = scout->slot.pid;
    while (more && !whole && !rv_interrupted && rv_seconds() < end) {
        struct pollfd ready = {.fd = scout->slot.from, .events = POLLIN};
        poll(&ready, 1, TICK_MS);
        more = hear(scout, &text);
        whole = is_whole(&text, &length);
    }
    if (!whole) dismiss(scout);
    *size = length;
    char *list = whole && length ? rv_copy(text.data + sizeof length, length) : NULL;
    free(text.data);
    return list;
}

/* ---- cases ---- */

static void *take(struct board *board, size_t size) {
    size_t aligned = (size + 15) & ~(size_t)15;
    if (aligned < size || aligned > BOARD - sizeof *board - board->used) return NULL;
    void *place = board->room + board->used;
    board->used += aligned;
    return place;
}

static bool copy_text(struct board *board, const char *from, const char **to) {
    size_t size = strlen(from) + 1;
    char *place = take(board, size);
    if (place) memcpy(place, from, size);
    *to = place;
    return place;
}

static bool copy_case(struct board *board, const struct rv_suite_case *from, struct rv_suite_case *to) {
    const char *name;
    *to = *from;
    to->problem = to->details = NULL;
    bool good = copy_text(board, from->name, &name) && copy_text(board, from->test, &to->test) &&
                copy_text(board, from->label, &to->label) && copy_text(board, from->text, &to->text) &&
                copy_text(board, from->file, &to->file);
    to->name = (char *)name;
    return good;
}

static bool copy_cases(struct board *board, const struct rv_suite_cases *from) {
    struct rv_suite_case *cases = take(board, from->count * sizeof *cases);
    for (size_t i = 0; cases && i < from->count; i++)
        if (from->cases[i].chosen && !from->cases[i].problem && !copy_case(board, &from->cases[i], &cases[i]))
            return false;
    board->cases = (struct rv_suite_cases){cases, from->count};
    return cases;
}

bool rv_suite_scout_brief(struct rv_suite_scout *scout, const struct rv_suite_cases *cases) {
    if (!scout->slot.pid) return false;
    if (copy_cases(scout->board, cases)) return true;
    dismiss(scout);
    return false;
}

void rv_suite_scout_close(struct rv_suite_scout *scout) {
    dismiss(scout);
    if (scout->board) munmap(scout->board, BOARD);
    *scout = (struct rv_suite_scout){.slot = {.pid = 0}};
}
