/* Programs about one family of operations each. A scenario is up to four threads, of which each returns what it has seen;
 * main prints one line of it. Without arguments a program lists its scenarios: name, options of ravel run.
 *
 * Results go through the return value on purpose: an array that all threads write their results to would be shared memory,
 * and part of what is tested. */
#ifndef FAMILY_H
#define FAMILY_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef intptr_t number; /* what a thread has seen */

struct scenario {
    const char *name;
    const char *options; /* of ravel run; "-": none */
    void (*begin)(void); /* before the threads; NULL: nothing */
    void *(*threads[4])(void *);
    number (*end)(void);     /* after all are joined: one more number; NULL: none */
    number (*instead)(void); /* all that main does, if it is not creating and joining these */
};

#define THREAD(name)                    \
    static number name##_body(void);    \
    static void *name(void *unused) {   \
        (void)unused;                   \
        return (void *)(name##_body()); \
    }                                   \
    static number name##_body(void)

static inline void say(const char *name, const number *numbers, int count) {
    char line[256];
    int length = snprintf(line, sizeof line, "S %s", name);
    for (int i = 0; i < count; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, " %ld", (long)numbers[i]);
    line[length++] = '\n';
    if (write(1, line, (size_t)length) != length) _exit(9);
}

static inline int play(const struct scenario *scenario) {
    pthread_t threads[4];
    number numbers[5];
    int count = 0, joined = 0;
    if (scenario->begin) scenario->begin();
    if (scenario->instead) numbers[joined++] = scenario->instead();
    for (; count < 4 && scenario->threads[count]; count++)
        if (pthread_create(&threads[count], NULL, scenario->threads[count], NULL) != 0) return 9;
    for (int i = 0; i < count; i++) {
        void *result;
        if (pthread_join(threads[i], &result) != 0) return 9;
        numbers[joined++] = (number)result;
    }
    if (scenario->end) numbers[joined++] = scenario->end();
    say(scenario->name, numbers, joined);
    return 0;
}

static inline int family(const struct scenario *scenarios, int argc, char **argv) {
    for (; scenarios->name; scenarios++) {
        if (argc < 2)
            printf("%s %s\n", scenarios->name, scenarios->options);
        else if (strcmp(argv[1], scenarios->name) == 0)
            return play(scenarios);
    }
    return argc < 2 ? 0 : 9;
}

#define SCENARIOS(...)                                                 \
    int main(int argc, char **argv) {                                  \
        static const struct scenario scenarios[] = {__VA_ARGS__, {0}}; \
        return family(scenarios, argc, argv);                          \
    }

#endif
