/* A door controller whose switch over the states ends in "cannot happen".
 *
 * Bug (ill in lights_for): the maintenance thread writes the state in two steps, base state first, the override bit
 * second; the display reads in between and sees a combination that the tables do not know.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { CLOSED = 0, OPEN = 1, BLOCKED = 2, OVERRIDE = 4 };

static atomic_int door = OPEN | OVERRIDE;

static const char *lights_for(int state) {
    switch (state) {
    case CLOSED: return "green";
    case OPEN: return "yellow";
    case OPEN | OVERRIDE: return "yellow, flashing";
    case BLOCKED: return "red";
    default: __builtin_trap(); /* cannot happen */
    }
}

static void block_door(void) {
    atomic_fetch_xor(&door, OPEN | BLOCKED);
    atomic_fetch_and(&door, ~OVERRIDE);
}

static void *maintenance(void *unused) {
    (void)unused;
    block_door();
    return NULL;
}

static void *display(void *lights) {
    for (int i = 0; i < 2; i++) *(const char **)lights = lights_for(atomic_load(&door));
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    const char *lights = "";
    pthread_create(&threads[0], NULL, maintenance, NULL);
    pthread_create(&threads[1], NULL, display, &lights);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    puts(lights);
    return 0;
}
