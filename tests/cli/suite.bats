#!/usr/bin/env bats
# `ravel test` from outside: which tests there are, which are chosen, what is told about them. The test binary is linked with
# a stand-in for libravel (scripted_tests.c), so that it can say what it wants, also what no real one would.

load helper

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/lib"
    gcc -std=gnu17 -O1 -shared -fPIC -Wl,-soname,libravel.so.0 -o "$BATS_FILE_TMPDIR/lib/libravel.so.0" \
        "$RAVEL_SOURCE/tests/cli/scripted_tests.c"
    cat > "$BATS_FILE_TMPDIR/suite.c" <<'END'
#define NOTE(section, name) \
    __asm__(".pushsection " section ",\"MS\",@progbits,1\n\t.asciz \"" name "\"\n\t.popsection")
NOTE(".ravel.events", "put");
NOTE(".ravel.events", "take");
NOTE(".ravel.events", "finishedAdd");
NOTE(".ravel.events", "put");
NOTE(".ravel.tests", "by_name_only");
#include <stdio.h>
int main(void) { return puts("hello from main") < 0; }
END
    gcc -o "$BATS_FILE_TMPDIR/suite" "$BATS_FILE_TMPDIR/suite.c" -Wl,--no-as-needed \
        "$BATS_FILE_TMPDIR/lib/libravel.so.0" -Wl,-rpath,"$BATS_FILE_TMPDIR/lib"
}

setup() {
    in_own_directory
    unset RAVEL_TESTS "${!SCRIPT_@}"
    export SCRIPT_LIST=$PWD/list.txt SCRIPT_PASSIVE=$PWD/passive.txt
    cp "$BATS_FILE_TMPDIR/suite" suite
    listed <<'END'
test queue_put q.c 3
test queue_take q.c 9
schedule queue_take blocks q.c 20 put -> take
schedule queue_take waits q.c 21 take -> put
END
    passive 'begin' 'event 0 put' 'thread 1 taker' 'event 1 take' 'end'
}

# listed: standard input is the list, words separated by spaces; the text, the last word of a schedule, may have spaces.
listed() { sed -E 's/^(test) (\S*) (\S*) (\S*)$/\1\t\2\t\3\t\4/; s/^(schedule) (\S*) (\S*) (\S*) (\S*) (.*)$/\1\t\2\t\3\t\4\t\5\t\6/' > list.txt; }
# passive LINE...: what the library tells; words separated by spaces.
passive() { printf '%s\n' "$@" | tr ' ' '\t' > passive.txt; }
ravel_test() { "$RAVEL" test "$@" < /dev/null; }

@test "the list: tests with their schedules, then what is known by its name only" {
    run -0 ravel_test --list ./suite
    [ "$output" = "queue_put
queue_take/blocks
queue_take/waits
by_name_only" ]
}

@test "patterns choose by test and by test and label" {
    run -0 ravel_test --list ./suite 'queue_*'
    [ "$output" = "queue_put
queue_take/blocks
queue_take/waits" ]
    run -0 ravel_test ./suite --list '*/w*' queue_put
    [ "$output" = "queue_put
queue_take/waits" ]
    run -0 ravel_test --list ./suite queue_take
    [ "${#lines[@]}" = 2 ]
    run -0 ravel_test --list ./suite 'queue_tak[e]/blocks'
    [ "$output" = queue_take/blocks ]
}

@test "a pattern that fits nothing" {
    run -2 --separate-stderr ravel_test ./suite queue_tke
    error_is "ravel test: no test fits 'queue_tke' (did you mean queue_take?)"
    run -2 --separate-stderr ravel_test ./suite 'queue_*' zzzzzz
    error_is "ravel test: no test fits 'zzzzzz' (see ravel test --list)"
    [ ! -e .ravel ]
}

@test "requests that are wrong" {
    run -2 --separate-stderr ravel_test
    error_is "ravel test: expected a test binary"
    run -2 --separate-stderr ravel_test ./none
    error_is "ravel test: ./none: no such program"
    run -2 --separate-stderr ravel_test --passive --explore ./suite
    error_has "--passive: schedules are not enforced"
    run -2 --separate-stderr ravel_test --tap --json=- ./suite
    error_has "only one of --tap, --junit=- and --json=-"
    run -2 --separate-stderr ravel_test --explore=chance ./suite
    error_is "ravel test: --explore: no strategy 'chance' (see ravel strategies)"
    run -2 --separate-stderr ravel_test --time-limit=0 ./suite
    error_has "--time-limit: expected a positive number of seconds"
    run -3 --separate-stderr ravel_test --junit=none/x.xml ./suite
    error_has "none/x.xml: the result cannot be written there: No such file or directory"
}

@test "a program without tests, and one that ravel cc has not built" {
    : > list.txt
    objcopy --remove-section=.ravel.tests suite bare
    run -2 --separate-stderr ravel_test ./bare
    error_has "./bare: no tests: register them with RAVEL_TEST(name)"
    run -2 --separate-stderr ravel_test /bin/true
    error_is 'ravel test: /bin/true: not built with `ravel cc`: build the test program with CC="ravel cc"'
}

@test "a program that does not give its list" {
    SCRIPT_LIST_END=signal=11 run -3 --separate-stderr ravel_test ./suite
    error_is "ravel test: ./suite: no list of its tests: the process was killed by SIGSEGV (Segmentation fault) before main()"
    SCRIPT_LIST_END=exit=3 run -3 --separate-stderr ravel_test ./suite
    error_is "ravel test: ./suite: no list of its tests: exit status 3 before main()"
    SCRIPT_LIST_END=hang run -3 --separate-stderr ravel_test --time-limit=0.2 ./suite
    error_has "its constructors were not over after 0.2 s"
    SCRIPT_LIST_END=flood run -3 --separate-stderr ravel_test ./suite
    error_has "its list of tests is longer than 64 MiB"
}

@test "a list that is none" {
    for line in nonsense 'test a' 'test a b x' 'test a b -1' 'test a b 1 more' 'schedule a b c 1' 'test a b 99999999999' \
        'schedule a b c x text'; do
        tr ' ' '\t' <<< "$line" > list.txt
        run -3 --separate-stderr ravel_test --list ./suite
        error_is "ravel test: line 1 of the list of tests: expected \"test\" with name, file and line, \"schedule\" with test, label, file, line and text, or \"library\" with a path"
    done
    printf 'test\ta\tb\t1\ntest\tb' > list.txt
    run -3 --separate-stderr ravel_test --list ./suite
    error_is "ravel test: line 2 of the list of tests: cut off"
    printf 'test\ta\\q\tb\t1\n' > list.txt
    run -3 --separate-stderr ravel_test --list ./suite
    printf 'test\ta\0\tb\t1\n' > list.txt
    run -3 --separate-stderr ravel_test --list ./suite
    head -c 100000 /dev/urandom > list.txt
    run -3 --separate-stderr ravel_test --list ./suite
    [ "${#stderr_lines[@]}" = 1 ]
}

@test "checked: what libravel is told, and a test that passes" {
    SCRIPT_SEEN=$PWD/seen.txt run -0 ravel_test --passive ./suite
    [ "${lines[0]}" = "ok    queue_put" ]
    [ "${lines[1]}" = "ok    queue_take/blocks" ]
    [ "${lines[3]}" = "ok    by_name_only" ]
    [[ ${lines[4]} == "4 tests, checked only, all passed, "*" s" ]]
    [ "$(cat seen.txt)" = "queue_put||
queue_take|blocks|put -> take
queue_take|waits|take -> put
by_name_only||" ]
    SCRIPT_SEEN=$PWD/again.txt run -0 ravel_test --passive --runs=7 ./suite queue_put
    [ "$(wc -l < again.txt)" = 7 ]
    has "ok    queue_put (7 schedules)"
}

@test "checked: the first ordering that is violated, with the events" {
    passive 'begin' 'thread 1 taker' 'event 1 take' 'violated 0 11 take' 'event 0 put' 'violated 5 2 other' 'end'
    run -1 ravel_test --passive ./suite queue_take/blocks
    [ "${lines[0]}" = "FAIL  queue_take/blocks: violated: take happened too early" ]
    has 'schedule "blocks" (q.c:20):
  put -> take
  ^^^^^^^^^^^
the events, in order:'
    [ "$(grep -nE '^  (take|taker)$' <<< "$output" | wc -l)" = 1 ]
    has "hello from main"
    has "1 test, checked only, 1 failed, "
}

@test "checked: assertions, events that are missing, threads that are left" {
    printf 'begin\nassert\tq.c:7: count == 3 does not hold\\ncount is 2\nend\n' > passive.txt
    run -1 ravel_test --passive ./suite queue_put
    has "FAIL  queue_put: q.c:7: count == 3 does not hold\\ncount is 2"
    passive 'begin' 'missing take' 'end'
    run -1 ravel_test --passive ./suite queue_take/blocks
    has "FAIL  queue_take/blocks: take is in the schedule and never happened"
    passive 'begin' 'thread 3 worker' 'leaked 3 worker' 'end'
    run -1 ravel_test --passive ./suite queue_put
    has "FAIL  queue_put: the test has ended, and thread 3 (worker) is still alive"
}

@test "checked: how a test can end badly, and the others still run" {
    SCRIPT_END=signal=11 run -1 ravel_test --passive ./suite queue_put
    has "FAIL  queue_put: the process was killed by SIGSEGV"
    SCRIPT_END=exit=4 run -1 ravel_test --passive ./suite queue_put
    has "FAIL  queue_put: exit status 4"
    SCRIPT_END=exit=4 run -0 ravel_test --passive --expect-exit=4 ./suite queue_put
    SCRIPT_END=hang run -1 ravel_test --passive --time-limit=0.3 --jobs=4 ./suite
    [ "$(grep -c '^FAIL .*: not over after 0.3 s (--time-limit)$' <<< "$output")" = 4 ]
    SCRIPT_END=flood run -1 ravel_test --passive ./suite queue_put
    has "more than 16 MiB of events"
    passive 'event 0 put'
    run -1 ravel_test --passive ./suite queue_put
    has "FAIL  queue_put: test queue_put did not run"
    passive 'begin'
    run -1 ravel_test --passive ./suite queue_put
    has "FAIL  queue_put: the program has ended within test queue_put"
}

@test "checked: lines that cannot be read are counted, and do no harm" {
    { printf 'begin\nevent\t0\tput\n'; head -c 50000 /dev/urandom | tr '\n' x; printf '\nevent\t99999\tx\nevent\t-1\tx\nend\nassert\tbad\n'; } > passive.txt
    run -1 ravel_test --passive ./suite queue_put
    has "FAIL  queue_put: bad"
    has "3 lines of what libravel told could not be read"
}

@test "schedules that cannot be: failures of their tests with position and caret, and the others still run" {
    listed <<'END'
test queue_take q.c 9
schedule queue_take arrow q.c 20 put take
schedule queue_take typo q.c 21 puts -> take
schedule queue_take fine q.c 22 put -> take
schedule queue_tkae orphan q.c 23 put -> take
schedule queue_take fine q.c 24 take -> put
schedule queue_take  q.c 25 take -> put
END
    run -1 ravel_test --passive ./suite 'queue*'
    has 'FAIL  queue_take/arrow: q.c:20: schedule "arrow", character 5: '
    has '    ^'
    has 'FAIL  queue_take/typo: q.c:21: schedule "typo", character 1: no event marker of this name: puts; did you mean'
    has "'put'?"
    has 'ok    queue_take/fine'
    has 'FAIL  queue_take/fine: q.c:24: the test has a schedule "fine" already'
    has 'FAIL  queue_take/: q.c:25: the schedule has no label'
    has 'FAIL  queue_tkae/orphan: q.c:23: schedule "orphan" is for a test that does not exist: queue_tkae; did you'
    has "6 tests, checked only, 5 failed, "
}

@test "two tests of one name" {
    listed <<'END'
test twice a.c 1
test twice b.c 1
END
    run -1 ravel_test --passive ./suite twice
    has "FAIL  twice: 2 tests have the name twice: it cannot be told which is meant"
}

@test "side by side: the same, in the same order" {
    for i in $(seq 60); do echo "test t$i q.c $i"; done | listed
    ravel_test --passive ./suite 't*' | sed 's/, [^,]* s$//' > one.txt
    ravel_test --passive --jobs=8 ./suite 't*' | sed 's/, [^,]* s$//' > eight.txt
    [ "$(wc -l < one.txt)" = 61 ]
    cmp one.txt eight.txt
}

# Names and texts that try to break out of every format.
nasty() {
    printf 'test\tq\\n<a>&"#\001\033[31m]]>\xff\xef\xbf\xbe\t<f>.c\t1\n' > list.txt
    printf 'begin\nassert\t<!--&]]>"\047\\n...\\nnot ok 7 - #\001\033[2J\xfe\nend\n' > passive.txt
}

@test "TAP: valid for prove, also with names that try to break it" {
    run -0 ravel_test --passive --tap ./suite
    [ "$output" = "TAP version 13
1..4
ok 1 - queue_put
ok 2 - queue_take/blocks
ok 3 - queue_take/waits
ok 4 - by_name_only" ]
    ravel_test --passive --tap ./suite > results.tap
    prove -e cat results.tap
    nasty
    run -1 ravel_test --passive --tap ./suite
    echo "$output" > results.tap
    [ "$(grep -c '^not ok' results.tap)" = 2 ]
    ! grep -q "$(printf '\033')" results.tap
    run prove -v -e cat results.tap
    has 'Failed 2/2 subtests'
    hasnt 'Parse errors'
}

@test "JUnit: well-formed whatever the names are" {
    run -0 ravel_test --passive --junit=ok.xml ./suite
    has "4 tests, checked only, all passed"
    xmllint --noout ok.xml
    [ "$(xmllint --xpath 'count(//testcase)' ok.xml)" = 4 ]
    [ "$(xmllint --xpath 'string(//testsuite/@failures)' ok.xml)" = 0 ]
    [ "$(xmllint --xpath 'string(//testcase[2]/@line)' ok.xml)" = 20 ]
    nasty
    run -1 ravel_test --passive --junit=nasty.xml ./suite
    xmllint --noout nasty.xml
    [ "$(xmllint --xpath 'count(//failure)' nasty.xml)" = 2 ]
    [ "$(xmllint --xpath 'string(//failure[1]/@type)' nasty.xml)" = assert ]
    run -1 --separate-stderr ravel_test --passive --junit=- ./suite
    xmllint --noout - <<< "$output"
    error_has "2 tests, checked only, 2 failed"
}

@test "JSON: the keys of the manual" {
    passive 'begin' 'thread 1 taker' 'event 1 take' 'violated 0 11 take' 'event 0 put' 'end'
    run -1 --separate-stderr ravel_test --passive --json=- ./suite queue_put queue_take/blocks
    echo "$output" > result.json
    error_has "2 tests, checked only, 2 failed"
    [ "$(jq -c 'keys' result.json)" = '["errors","failed","not_run","passed","program","seconds","tests","version"]' ]
    [ "$(jq -c '[.passed, .failed, .errors, .not_run]' result.json)" = '[0,2,0,0]' ]
    [ "$(jq -c '.tests[0].schedule' result.json)" = null ]
    [ "$(jq -c '.tests[1] | [.test, .schedule, .status, .kind, .schedules]' result.json)" = '["queue_take","blocks","fail","schedule",1]' ]
    [ "$(jq -c '.tests[1].events' result.json)" = '[{"thread":"taker","event":"take"},{"thread":"main","event":"put"}]' ]
    jq -r '.tests[1].details' result.json | grep -qF '^^^^'
    nasty
    run -1 --separate-stderr ravel_test --passive --json=- ./suite
    [ "$(jq '.tests | length' <<< "$output")" = 2 ]
}

@test "results that cannot be written" {
    run -3 --separate-stderr ravel_test --passive --json=/dev/full ./suite queue_put
    error_has "/dev/full: the result cannot be written: No space left on device"
}

@test "interrupted: what there is is told, all processes end, and it is no success" {
    for i in $(seq 5); do echo "test t$i q.c $i"; done | listed
    export SCRIPT_END=hang SCRIPT_SEEN=$PWD/seen.txt SCRIPT_PID=$PWD/pid.txt
    "$RAVEL" test --passive --json=result.json --time-limit=100 ./suite 't*' > out.txt 2> err.txt < /dev/null &
    ravel=$!
    until [ -s seen.txt ]; do kill -0 $ravel; done
    kill -INT $ravel
    status=0
    wait $ravel || status=$?
    [ $status = 3 ]
    grep -q '^0 tests, checked only, interrupted with 5 left' out.txt
    [ "$(jq -c '[.not_run, .tests]' result.json)" = '[5,[]]' ]
    [ -s pid.txt ] && ! kill -0 "$(cat pid.txt)"
}
