#!/usr/bin/env bats
# `ravel races --sarif`: what was found, for code-review systems. Its form is checked in tests/unit/test_sarif.c.

load helper

setup() {
    in_own_directory
    mkdir -p .git src build
    (cd src && data_race)
}

@test "places are named from the root of the sources, wherever ravel was started" {
    for directory in . src build; do
        cd "$BATS_TEST_TMPDIR/$directory"
        run -1 "$RAVEL" races --sarif="$BATS_TEST_TMPDIR/out.sarif" "$BATS_TEST_TMPDIR/src/data_race"
        grep -q '"ruleId": "ravel.race"' "$BATS_TEST_TMPDIR/out.sarif"
        run -0 grep -o '"uri": "[^"]*data_race[^"]*"' "$BATS_TEST_TMPDIR/out.sarif"
        for line in "${lines[@]}"; do [ "$line" = '"uri": "src/data_race.c"' ]; done
    done
}

@test "the log alone goes to standard output, also if nothing was found" {
    run -0 --separate-stderr "$RAVEL" races --sarif=- /bin/true
    [ "${lines[0]}" = "{" ]
    [ "${lines[-1]}" = "}" ]
    has '"version": "2.1.0"'
    has '"results": []'
}

@test "a file that cannot be written is known before anything runs" {
    run -3 "$RAVEL" races --sarif=nowhere/out.sarif ./src/data_race
    has "nowhere/out.sarif: cannot be written"
    [ ! -e .ravel ]
}
