// The end of a thread in C++: destructors and clean-up handlers of one frame in their order, catch (...) that throws
// on, thread_local objects, then thread-specific data; and that a thread that returns does the last two.
// also: -O0
#include <pthread.h>
#include <string.h>

#include <string>

#include "check.h"

static char steps[64];
static pthread_key_t key;

static void step(char letter) { steps[strlen(steps)] = letter; }
static void step_of(void *letter) { step(*static_cast<const char *>(letter)); }
static void *text(const char *letter) { return const_cast<char *>(letter); }

struct Step {
    char letter;
    explicit Step(char given) : letter(given) {}
    ~Step() { step(letter); }
};

struct PerThread {
    std::string name = "a name that is too long to be stored inside the string object";
    ~PerThread() {
        CHECK(name.size() == 61);
        step('t');
    }
};
static thread_local PerThread per_thread;
static thread_local Step second('u');

static void innermost(int how) {
    Step a('a');
    pthread_cleanup_push(step_of, text("b"));
    Step c('c');
    if (how == 1) pthread_exit(steps);
    if (how == 2) {
        pthread_cancel(pthread_self());
        pthread_testcancel();
    }
    pthread_cleanup_pop(1);
}

static void middle(int how) {
    try {
        Step m('m');
        innermost(how);
    } catch (...) {
        step('!');
        throw;
    }
}

static void *run(void *how) {
    pthread_setspecific(key, text("k"));
    CHECK(per_thread.name.size() == 61);
    second.letter = 'u';
    Step z('z');
    middle(*static_cast<int *>(how));
    return nullptr;
}

static void expect(int how, const char *order, void *value) {
    pthread_t thread;
    void *result;
    memset(steps, 0, sizeof steps);
    CHECK(pthread_create(&thread, nullptr, run, &how) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    if (strcmp(steps, order) != 0) fprintf(stderr, "%s, expected %s\n", steps, order);
    CHECK(strcmp(steps, order) == 0 && result == value);
}

int main() {
    pthread_key_create(&key, step_of);
    expect(0, "cbamzutk", nullptr);
    expect(1, "cbam!zutk", steps);
    expect(2, "cbam!zutk", PTHREAD_CANCELED);
    return 0;
}
