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
