#!/usr/bin/env bats
# A failure that was found replays every time: 100 times out of 100, whatever its kind.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# again NAME: finds the failure of a program of the corpus and replays it 100 times.
again() {
    "$RAVEL" cc -g -O1 -pthread -o program "$RAVEL_SOURCE/tests/programs/$1.c"
    run "$RAVEL" run --out=found ./program
    [ "$status" -eq 1 ]
    local file
    for file in found/*.ravel; do
        for ((i = 1; i <= 100; i++)); do
            status=0
            "$RAVEL" replay "$file" > replay.out 2> replay.err || status=$?
            [ "$status" -eq 1 ] || { echo "replay $i: exit $status"; cat replay.out replay.err; return 1; }
            grep -q '^reproduced: every event as recorded' replay.out
        done
    done
}

@test "a lock-free stack's ABA replays 100 times" { again aba_stack; }
@test "a deadlock replays 100 times" { again philosophers; }
@test "a use after free, and the data races around it, replay 100 times" { again timeout_free; }
