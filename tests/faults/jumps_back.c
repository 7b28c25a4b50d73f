/* Error handling by setjmp and longjmp inside each thread, over several calls and loops. Outcome: nothing found. */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int errors, successes;

struct parser {
    jmp_buf failed;
    const char *text;
};

static void expect(struct parser *p, char c) {
    if (*p->text != c) longjmp(p->failed, 1 + (*p->text == 0));
    p->text++;
}

static int nested(struct parser *p, int depth) {
    expect(p, '(');
    int inner = depth < 3 && *p->text == '(' ? nested(p, depth + 1) : depth;
    expect(p, ')');
    return inner;
}

static void parse(const char *text) {
    struct parser parser = {.text = text};
    if (setjmp(parser.failed)) {
        atomic_fetch_add(&errors, 1);
        return;
    }
    int depth = nested(&parser, 1);
    atomic_fetch_add(&successes, depth);
}

static void *work(void *unused) {
    (void)unused;
    parse("(())");
    parse("((");
    parse("()");
    parse("(x)");
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(atomic_load(&errors) == 4 && atomic_load(&successes) == 6);
    return 0;
}
