#!/usr/bin/env bats
# Failed assertions of frameworks, under a schedule that brings them about, are failures of kind assert, at their line, with their text.
# Each program of frameworks/ has the tests looks_early, which fails unless its schedule is kept, and other, which passes.

setup() {
    PATH=$(dirname "$RAVEL"):$PATH
    cd "$BATS_TEST_TMPDIR" || return 1
}

# NAME, LIBRARY..., "--", the text
check() {
    local name=$1 source=$RAVEL_SOURCE/tests/events/frameworks/$1.c libraries=()
    shift
    while [ "$1" != -- ]; do libraries+=("$1"); shift; done
    line=$(grep -n 'seen, 1)' "$source" | cut -d: -f1)
    ravel cc -g -pthread "$source" -o program "${libraries[@]}"
    run ravel run --races=off --timing=strict --strategy=random --test=looks_early --plan='looked -> added' ./program
    [ "$status" = 1 ] || { echo "$output"; return 1; }
    # Long lines are broken: as one, without the blanks.
    [[ "$(tr -d ' \n' <<<"$output")" == "assert:$(tr -d ' ' <<<"$source:$line: $2")"* ]] || { echo "$output"; return 1; }
    [[ "$output" == *"in thread 0 (main), "*"looks_early"* ]]
    ravel replay .ravel/failures/*.ravel | grep -q '^reproduced: every event as recorded' || [ "${PIPESTATUS[0]}" = 1 ]
    ravel run --races=off --timing=strict --schedules=100 --test=looks_early --plan='added -> looked' --out=none ./program
    ravel run --races=off --timing=strict --schedules=100 --test=other --out=none ./program
}

@test "Check" { check check -lcheck -lsubunit -lm -lrt -- "Assertion 'seen == 1' failed: seen == 0, 1 == 1"; }
@test "cmocka" { check cmocka -lcmocka -- "0 != 0x1"; }
@test "Criterion" { check criterion -lcriterion -- "eq(int, seen, 1): actual is 0, expected is 1"; }
