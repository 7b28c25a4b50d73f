#!/usr/bin/env bats
# `ravel run` with real programs: what each option changes about what is found and told.

load helper

setup() { in_own_directory; }

# program NAME: the C text on standard input, compiled.
program() {
    { printf '#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <unistd.h>\n'
      cat; } > "$1.c"
    compile "$1"
}

# correct: a program of two threads that is right.
correct() {
    program correct <<'END'
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *increment(void *unused) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, increment, 0);
    increment(0);
    pthread_join(thread, 0);
    assert(counter == 2);
    return 0;
}
END
}

@test "a lost update is found, with one preemption, and replays every time" {
    lost_update
    run -1 "$RAVEL" run --json=result.json ./lost_update
    has "assert: "
    has "counter == 2"
    has "1 preemption"
    has "lost_update.c:"
    file=$(the_failure)
    grep -q '"kind": "assert"' result.json
    grep -q '"preemptions": 1' result.json
    grep -q '"instrumented": true' result.json
    grep -q '"function": "main"' result.json
    for _ in {1..20}; do
        run -1 "$RAVEL" replay "$file"
        has "reproduced: every event as recorded"
    done
    run -0 "$RAVEL" show "$file"
    has "counter == 2"
}

@test "every seed finds it" {
    lost_update
    for seed in 1 2 3 4 5; do run -1 "$RAVEL" run --seed=$seed --out=seed$seed ./lost_update; done
}

@test "a correct program passes; dfs says that it is complete" {
    correct
    run -0 "$RAVEL" run --strategy=random --json=result.json ./correct
    [[ ${lines[-1]} == "no failure in 10,000 schedules (random, seed 1, memory isolation), "* ]]
    grep -q '"complete": false' result.json
    run -0 "$RAVEL" run --strategy=dfs --json=result.json ./correct
    has "; complete: every schedule has been covered"
    grep -q '"complete": true' result.json
    grep -q '"stopped_by": "complete"' result.json
}

@test "pcb and delay end after their bound, complete only if that left nothing out" {
    correct
    for strategy in pcb delay; do
        run -0 "$RAVEL" run --strategy=$strategy:0 --json=result.json ./correct
        grep -q '"complete": false' result.json
        run -0 "$RAVEL" run --strategy=$strategy:1000 --schedules=1000000 --json=result.json ./correct
        has "; complete: every schedule has been covered"
        grep -q '"complete": true' result.json
    done
    lost_update
    run -0 "$RAVEL" run --strategy=pcb:0 ./lost_update
    run -0 "$RAVEL" run --strategy=delay:0 ./lost_update
    run -1 "$RAVEL" run --strategy=pcb:1 ./lost_update
    run -1 "$RAVEL" run --strategy=delay ./lost_update
}

@test "a bug that was fixed is seen to be fixed; one that was not is seen at once" {
    lost_update
    run -1 "$RAVEL" run ./lost_update
    file=$(the_failure)
    echo 'int unused_but_new(int x) { return x * 3; }' >> lost_update.c
    compile lost_update
    run -1 "$RAVEL" run --json=result.json ./lost_update
    has "a known failure, saved by an earlier run, still happens:"
    grep -q '"schedules": 0' result.json
    run -1 "$RAVEL" replay "$file"
    hasnt "has changed" # the file tells of the new program now
    sed -i 's/int old = counter;/static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(\&m);/
            s/counter = old + 1;/counter++; pthread_mutex_unlock(\&m);/' lost_update.c
    compile lost_update
    run -0 "$RAVEL" run ./lost_update
    has "fixed: $file passes now (the file is kept)"
    [ -f "$file" ]
    run -0 "$RAVEL" replay "$file"
    has "./lost_update has changed since the recording; trying all the same"
    has "not reproduced: the execution passed"
    has "first difference: recorded: "
}

@test "--keep-going finds both of two bugs" {
    program two <<'END'
static atomic_int a, b;
static void *one(void *unused) { int x = a; a = x + 1; return unused; }
static void *two(void *unused) { int x = b; b = x + 1; return unused; }
int main(void) {
    pthread_t t[4];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, one, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    if (a != 2) abort();
    pthread_create(&t[2], 0, two, 0);
    pthread_create(&t[3], 0, two, 0);
    for (int i = 2; i < 4; i++) pthread_join(t[i], 0);
    assert(b == 2);
    return 0;
}
END
    run -1 "$RAVEL" run --keep-going --schedules=2000 --json=result.json ./two
    grep -q '"kind": "assert"' result.json
    grep -q '"kind": "abort"' result.json
    has "2 failures in "
    [ "$(ls .ravel/failures | wc -l)" = 2 ]
}

@test "--expect-exit says what success is" {
    program status <<'END'
int main(void) { return 3; }
END
    run -1 "$RAVEL" run ./status
    has "exit: "
    run -0 "$RAVEL" run --expect-exit=3 --out=other ./status
    run -1 "$RAVEL" run --expect-exit=4 --out=other ./status
}

@test "a program without threads has one schedule" {
    program alone <<'END'
int main(void) { puts("alone"); return 0; }
END
    run -0 "$RAVEL" run --json=result.json ./alone
    has "no failure in 1 schedule "
    grep -q '"complete": true' result.json
}

@test "programs that are not instrumented run, and that is said" {
    lost_update
    gcc -g -pthread -o plain lost_update.c
    run -0 "$RAVEL" run --schedules=200 --json=result.json ./plain
    has "not instrumented"
    grep -q '"instrumented": false' result.json
}

@test "--max-steps cuts executions off and counts them" {
    program long <<'END'
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *work(void *unused) {
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
END
    run -0 "$RAVEL" run --schedules=30 --max-steps=100 --json=result.json ./long
    has "30 executions were cut off after 100 scheduling points"
    grep -q '"not_terminating": 30' result.json
    run -0 "$RAVEL" run --schedules=30 --json=result.json ./long
    grep -q '"not_terminating": 0' result.json
}

@test "--timing: a sleep that is no synchronisation fails free, not strict" {
    program sleepy <<'END'
static atomic_int ready;
static void *prepare(void *unused) { ready = 1; return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, prepare, 0);
    usleep(100000);
    assert(ready);
    pthread_join(thread, 0);
    return 0;
}
END
    run -1 "$RAVEL" run ./sleepy
    has "needs a time-out of 100 ms to expire"
    run -0 "$RAVEL" run --timing=strict --out=strict ./sleepy
}

@test "--spurious: a wait without a loop fails only with it" {
    program if_wait <<'END'
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;
static void *prepare(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, prepare, 0);
    pthread_mutex_lock(&lock);
    if (!ready) pthread_cond_wait(&changed, &lock);
    assert(ready);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
END
    run -0 "$RAVEL" run --schedules=2000 ./if_wait
    run -1 "$RAVEL" run --schedules=2000 --spurious ./if_wait
    has "assert: "
    run -1 "$RAVEL" replay "$(the_failure)"
    has "reproduced"
}

@test "--memory-limit: malloc fails beyond it" {
    program hungry <<'END'
static void *work(void *unused) { return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    char *p = malloc(64 << 20);
    assert(p);
    free(p);
    return 0;
}
END
    run -0 "$RAVEL" run --schedules=20 ./hungry
    run -1 "$RAVEL" run --schedules=20 --memory-limit=32 ./hungry
    has "assert: "
}

@test "--watchdog: a loop without scheduling points is a hang" {
    program loop <<'END'
static int flag;
static void *set(void *unused) { flag = 1; return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    if (!flag) for (;;) __asm__ volatile("");
    pthread_join(thread, 0);
    return 0;
}
END
    run -1 "$RAVEL" run --watchdog=0.2 --json=result.json ./loop
    has "hang: "
    grep -q '"kind": "hang"' result.json
}

@test "--isolation is used as asked" {
    lost_update
    for isolation in memory fork; do
        run -1 "$RAVEL" run --isolation=$isolation --out=$isolation --json=result.json ./lost_update
        grep -q "\"isolation\": \"$isolation\"" result.json
        run -1 "$RAVEL" replay $isolation/*.ravel
        has "reproduced"
    done
}

@test "--jobs: several workers find it too" {
    lost_update
    run -1 "$RAVEL" run --jobs=2 ./lost_update
    correct
    run -0 "$RAVEL" run --jobs=2 --strategy=random --schedules=1000 --json=result.json ./correct
    grep -q '"schedules": 1000' result.json
}

@test "--output: what the program prints is dropped, shown once, or shown" {
    program chatty <<'END'
static void *work(void *unused) { return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    puts("hello from the program");
    return 0;
}
END
    run -0 --separate-stderr "$RAVEL" run --strategy=random --schedules=5 ./chatty
    hasnt "hello"
    [ -z "$stderr" ]
    run -0 --separate-stderr "$RAVEL" run --strategy=random --schedules=5 --no-check --output=first ./chatty
    [ "$(grep -c hello <<< "$stderr")" = 1 ]
    hasnt "hello"
    run -0 --separate-stderr "$RAVEL" run --strategy=random --schedules=5 --no-check --output=all ./chatty
    [ "$(grep -c hello <<< "$stderr")" = 5 ]
}

@test "standard input is the same in every execution, and arguments are the program's" {
    program reader <<'END'
static void *work(void *unused) { return unused; }
int main(int argc, char **argv) {
    char line[100];
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(argc == 3 && argv[2][0] == '-');
    assert(fgets(line, sizeof line, stdin) && line[0] == 'x');
    return 0;
}
END
    run -0 bash -c 'echo x | "$@"' _ "$RAVEL" run --schedules=20 ./reader a -b
    run -1 bash -c 'echo y | "$@"' _ "$RAVEL" run --schedules=20 ./reader a -b
}

@test "nondeterminism: a program that reads the processor's clock" {
    program clock <<'END'
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {
    unsigned long now = __builtin_ia32_rdtsc();
    for (int bit = 4; bit < 36; bit++) { /* two executions that do the same by chance are out of the question */
        if (!(now >> bit & 1)) pthread_mutex_lock(&lock);
        else if (pthread_mutex_trylock(&lock)) continue;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
END
    run -0 "$RAVEL" run --schedules=100 --json=result.json ./clock
    has "nondeterminism: the same schedule did different things in two processes"
    has "lock" # the first event that differed
    grep -q '"nondeterminism": {' result.json
    grep -q '"failures": \[\]' result.json
}

@test "a worker killed in the middle is replaced, an interrupt reports what there is" {
    correct
    "$RAVEL" run --no-check --strategy=random --schedules=300000 --json=result.json ./correct > out 2>&1 < /dev/null 3>&- &
    pid=$!
    kill -KILL "$(worker_of $pid ./correct)"
    wait $pid
    grep -q '"schedules": 300000' result.json
    "$RAVEL" run --strategy=random --schedules=1000000000 --json=result.json ./correct > out 2>&1 < /dev/null 3>&- &
    pid=$!
    worker_of $pid ./correct > /dev/null
    kill -INT $pid
    wait $pid
    grep -q "; interrupted" out
    grep -q '"stopped_by": "interrupt"' result.json
}

@test "replay in the debugger stops at the failure" {
    command -v gdb > /dev/null || skip "no gdb"
    lost_update
    run -1 "$RAVEL" run ./lost_update
    run -0 bash -c 'printf "bt\nkill\nquit\n" | "$@"' _ "$RAVEL" replay --gdb "$(the_failure)"
    has "SIGTRAP"
    has "main () at"
}
