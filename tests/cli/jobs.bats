#!/usr/bin/env bats
# Several workers: all schedules once, and none side by side where they would disturb each other.

load helper

setup() { in_own_directory; }

@test "two workers share the schedules" {
    "$RAVEL" cc -g -O1 -pthread -o program "$RAVEL_SOURCE/tests/programs/ok_bounded_queue.c"
    run -0 "$RAVEL" run --jobs=2 --schedules=4001 --strategy=random ./program
    has "no failure in 4,001 schedules"
}

@test "a program that writes a file of a fixed name is run by one worker" {
    "$RAVEL" cc -g -O1 -pthread -o program "$RAVEL_SOURCE/tests/io/stdio_files.c"
    for seed in 1 2 3; do
        run -0 "$RAVEL" run --jobs=2 --seed=$seed --schedules=500 ./program
        has "the program changes files: workers side by side would disturb each other, so there is one"
    done
}

# value KEY: of result.json.
value() { sed -nE "s/^  \"$1\": ([^,]*),?$/\1/p" result.json; }

# Atomic operations, or locks: nothing is learned late.
tree_programs() {
    cat > atomics.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *work(void *number) {
    x++;
    if (number) y++;
    x++;
    return 0;
}
int main(void) {
    pthread_t threads[4];
    for (long i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, (void *)(i & 1));
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    return 0;
}
END
    cat > locks.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *number) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(number ? &a : &b);
        pthread_mutex_unlock(number ? &a : &b);
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
    }
    return 0;
}
int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, (void *)(i & 1));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
END
    "$RAVEL" cc -g -O1 -pthread -o atomics atomics.c
    "$RAVEL" cc -g -O1 -pthread -o locks locks.c
}

@test "dpor: several workers share one search, which is complete, and little is done twice" {
    tree_programs
    for program in atomics locks; do
        run -0 "$RAVEL" run --strategy=dpor --schedules=100000000 --json=result.json ./$program
        [ "$(value complete)" = true ]
        alone=$(value schedules)
        [ "$alone" -gt 1000 ]
        for jobs in 2 3; do
            run -0 "$RAVEL" run --strategy=dpor --jobs=$jobs --schedules=100000000 --json=result.json ./$program
            has "complete: every schedule has been covered"
            [ "$(value complete)" = true ]
            [ "$(value schedules)" -ge "$alone" ]
            [ "$(value schedules)" -le $((alone + alone / 20)) ]
        done
    done
}

@test "dpor: what the workers learn is one knowledge" {
    "$RAVEL" cc -g -O1 -pthread -o program "$RAVEL_SOURCE/tests/programs/ok_refcount.c"
    run -0 "$RAVEL" run --strategy=dpor --jobs=2 --schedules=1000000 --json=result.json ./program
    [ "$(value complete)" = true ]
}

@test "dpor: a budget is shared, and what is cut short is not complete" {
    tree_programs
    run -0 "$RAVEL" run --strategy=dpor --jobs=2 --schedules=700 --json=result.json ./locks
    [ "$(value schedules)" = 700 ]
    [ "$(value complete)" = false ]
}

@test "dpor: a worker that is killed loses nothing" {
    tree_programs
    "$RAVEL" run --strategy=dpor --jobs=2 --no-check --schedules=100000000 --json=result.json ./atomics > out 2>&1 < /dev/null 3>&- &
    pid=$!
    kill -KILL "$(worker_of $pid ./atomics)"
    wait $pid
    [ "$(value schedules)" -gt 0 ]
}

@test "a search that cannot be divided is done by one worker" {
    tree_programs
    for strategy in dpor-classic hapset; do
        run -0 "$RAVEL" run --strategy=$strategy --jobs=2 --schedules=300 --json=result.json ./locks
        has "note: $strategy does not divide its search: there is one worker"
    done
}
