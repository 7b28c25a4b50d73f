#!/usr/bin/env bats
# `complete` of a search up to equivalence is not claimed where threads pass something by ways that ravel does not see.

load helper

setup() { in_own_directory; }

# Who comes first is told by an instruction that only the assembler knows of.
hidden_ticket() {
    cat > "$1.c" <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int hidden;
static atomic_int first, other, by[2];
static int ticket(void) {
    int mine = 1;
    __asm__ volatile("lock xaddl %0, %1" : "+r"(mine), "+m"(hidden));
    return mine;
}
static void *one(void *id) {
    atomic_int *own = id;
    atomic_fetch_add(own, 1);
    atomic_store(&by[ticket()], own == &first ? 1 : 2);
    return 0;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, one, &first);
    pthread_create(&t[1], 0, one, &other);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
#ifdef WRONG
    assert(by[0] == 1);
#endif
    return by[0] + by[1] != 3;
}
END
    compile "$@"
}

@test "what passes between threads in assembly keeps a search from being complete" {
    hidden_ticket right
    run -0 "$RAVEL" run --strategy=dpor --json=result.json ./right
    has "passes between threads"
    hasnt "complete: every"
    grep -q '"complete": false' result.json
    run -0 "$RAVEL" run ./right
    has "no failure in"
}

@test "a failure that only the audit meets is reported like any other" {
    hidden_ticket wrong -DWRONG
    run -1 "$RAVEL" run --strategy=dpor ./wrong
    has "assert: "
    run -1 "$RAVEL" replay .ravel/failures/*.ravel
    has "reproduced: every event as recorded"
}

@test "without assembly the same program is searched to its end" {
    hidden_ticket seen
    sed -i 's/    __asm__ volatile.*/    mine = __atomic_fetch_add(\&hidden, 1, __ATOMIC_SEQ_CST);/' seen.c
    compile seen
    run -0 "$RAVEL" run --strategy=dpor ./seen
    has "complete: every"
}
