/* A deadlock that could happen, or did, for people: the cycle, a paragraph a thread.
 *
 *     potential deadlock: 2 threads wait for each other
 *       thread 1 (left) holds a.lock and waits for b.lock
 *         took a.lock: left() bank.c:40 < run() :77
 *         waits for b.lock: left() bank.c:41 < run() :77
 *         created by thread 0 (main): main() bank.c:90
 *       thread 2 (right) ...
 */
#include <stdlib.h>

#include "report/places.h"
#include "report/race_print.h"
#include "report/text.h"

static void print_wait(struct rv_printer *printer, const struct rv_deadlock_wait *wait,
                       const struct rv_race_thread *const *known, unsigned known_count) {
    const char *held_shared = wait->held_shared ? " (shared)" : "",
               *wanted_shared = wait->wanted_shared ? " (shared)" : "";
    char *thread = rv_race_thread_words(wait->thread.id, known, known_count);
    rv_print_line(printer, 2, 2, RV_PLAIN, "%s holds %s%s and waits for %s%s", thread, wait->held,
                  held_shared, wait->wanted, wanted_shared);
    char *words = rv_text_format("took %s", wait->held);
    if (wait->held_at.count) rv_print_calls(printer, 4, words, &wait->held_at);
    rv_text_set(&words, rv_text_format("waits for %s", wait->wanted));
    if (wait->wanted_at.count) rv_print_calls(printer, 4, words, &wait->wanted_at);
    rv_print_creation(printer, &wait->thread, known, known_count);
    free(words);
    free(thread);
}

void rv_deadlock_print(const struct rv_deadlock_text *deadlock, FILE *out,
                       const struct rv_print_options *options) {
    struct rv_printer printer = rv_printer_for(out, options);
    struct rv_evidence evidence = {
        .status = deadlock->status,
        .predicted = deadlock->predicted,
        .count = deadlock->count,
        .tries = deadlock->tries,
        .there = "each thread to where it waits",
        .advice = "take these locks in the same order everywhere, or find what keeps the threads apart"};
    unsigned count = deadlock->wait_count;
    const struct rv_race_thread **known = rv_text_alloc(count, sizeof(const struct rv_race_thread *));
    for (unsigned i = 0; i < count; i++) known[i] = &deadlock->waits[i].thread;
    char *title = rv_race_title(deadlock->status, deadlock->predicted, "deadlock");
    rv_print_line(&printer, 0, 2, deadlock->status == RV_RACE_POTENTIAL ? RV_BOLD : RV_ALARM,
                  count == 2 ? "%s: %u threads wait for each other" : "%s: %u threads wait in a circle",
                  title, count);
    for (unsigned i = 0; i < count; i++) print_wait(&printer, &deadlock->waits[i], known, count);
    fputc('\n', printer.out);
    rv_print_evidence(&printer, &evidence);
    rv_print_again(&printer, deadlock->file);
    free(title);
    free(known);
}
