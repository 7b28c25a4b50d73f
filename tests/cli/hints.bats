#!/usr/bin/env bats
# include/ravel.h: what a program tells ravel makes the difference between a bug found and a bug not seen.

setup() {
    PATH=$(dirname "$RAVEL"):$PATH
    cd "$BATS_TEST_TMPDIR" || return 1
}

# A counter behind inline assembly, which ravel does not see. HINTS: with or without the macros.
write_assembly() {
    cat > ticket.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <ravel.h>
#ifndef HINTS
#undef RAVEL_READS
#undef RAVEL_WRITES
#define RAVEL_READS(at, size)
#define RAVEL_WRITES(at, size)
#endif
static int next_ticket, tickets[2];
static void *customer(void *ticket) {
    int mine;
    RAVEL_READS(&next_ticket, sizeof next_ticket);
    __asm__ volatile("mov %1, %0" : "=r"(mine) : "m"(next_ticket));
    RAVEL_WRITES(&next_ticket, sizeof next_ticket);
    __asm__ volatile("mov %1, %0" : "=m"(next_ticket) : "r"(mine + 1));
    *(int *)ticket = mine;
    return NULL;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, customer, &tickets[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(tickets[0] != tickets[1]);
    return 0;
}
END
}

@test "RAVEL_READS and RAVEL_WRITES: a lost update in assembly is found, and only with them" {
    write_assembly
    for level in -O0 -O2; do
        ravel cc $level ticket.c -o blind
        ravel run --schedules=1000 ./blind
        ravel cc $level -DHINTS ticket.c -o hinted
        run ravel run --schedules=1000 ./hinted
        [ "$status" = 1 ]
        [[ "$output" == *"assert"*"ticket.c"* ]]
        [[ "$output" == *"next_ticket"* ]]
    done
}

@test "RAVEL_WRITES to freed memory is a use after free" {
    printf '#include <ravel.h>\n#include <stdlib.h>\n#include <pthread.h>\nstatic char *volatile p;\nstatic void *f(void *a) { RAVEL_WRITES(p, 1); return a; }\nint main(void) { pthread_t t; p = malloc(8); free(p); pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }\n' > late.c
    ravel cc -O1 late.c -o late
    run ravel run --schedules=10 ./late
    [ "$status" = 1 ]
    [[ "$output" == *use-after-free* ]]
}

@test "RAVEL_POINT: between two calls into a library that is not instrumented" {
    printf 'static int balance = 100;\nint account_read(void) { return balance; }\nvoid account_write(int value) { balance = value; }\n' > account.c
    cat > bank.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <ravel.h>
int account_read(void);
void account_write(int value);
static void *withdraw(void *argument) {
    int balance = account_read();
#ifdef HINTS
    RAVEL_POINT();
#endif
    account_write(balance - 10);
    return argument;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, withdraw, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(account_read() == 80);
    return 0;
}
END
    gcc -O1 -c account.c
    ravel cc -O1 bank.c account.o -o blind
    ravel run --schedules=1000 ./blind
    ravel cc -O1 -DHINTS bank.c account.o -o hinted
    run ravel run --schedules=1000 ./hinted
    [ "$status" = 1 ]
    [[ "$output" == *assert* ]]
}

@test "RAVEL_YIELD: a loop that waits in assembly lets the others run" {
    cat > wait.c <<'END'
#include <pthread.h>
#include <ravel.h>
static int ready;
static void *set(void *argument) {
    __asm__ volatile("movl $1, %0" : "=m"(ready));
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    for (int seen = 0; !seen;) {
        RAVEL_YIELD();
        __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(ready));
    }
    pthread_join(thread, NULL);
    return 0;
}
END
    ravel cc -O1 wait.c -o wait
    ravel run --schedules=1000 --json=result.json ./wait
    grep -q '"not_terminating": *0' result.json
}

@test "ravel_active is 1 under ravel, also before the first thread, and 0 in a child" {
    cat > active.c <<'END'
#include <pthread.h>
#include <ravel.h>
#include <sys/wait.h>
#include <unistd.h>
static void *check(void *argument) { return ravel_active() ? argument : 0; }
int main(void) {
    pthread_t thread;
    void *result;
    int status;
    if (!ravel_active()) return 1;
    pthread_create(&thread, NULL, check, &thread);
    pthread_join(thread, &result);
    if (!result) return 2;
    pid_t child = fork();
    if (child == 0) _exit(ravel_active());
    waitpid(child, &status, 0);
    return status;
}
END
    ravel cc -O1 active.c -o active
    ravel run --schedules=20 ./active
    run ./active
    [ "$status" = 1 ]
}
