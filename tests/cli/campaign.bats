#!/usr/bin/env bats
# What the supervisor makes of its workers, with workers that follow a script (scripted_runtime.c): those that fail,
# die, hang, lie, differ. What programs do under the real runtime is tested elsewhere.

load helper

setup_file() { scripted_runtime; }
setup() { in_own_directory; }

@test "nothing found: exit 0, nothing left behind" {
    run -0 --separate-stderr scripted "" run --strategy=random /bin/true
    [[ $output == "no failure in 10,000 schedules (random, seed 1, memory isolation, not instrumented), "*" s" ]]
    [ -z "$stderr" ]
    [ ! -e .ravel ]
}

@test "a failure: exit 1, shown, minimised, saved, stopped there" {
    run -1 scripted fail=17 run --strategy=random --json=result.json /bin/true
    has "assert: Assertion \`scripted' failed"
    has "0 preemptions, 0 switches; schedule 18"
    has "the program says hello"
    has "1 failure in 18 schedules"
    file=$(the_failure)
    [[ $file == .ravel/failures/assert-*-????????.ravel ]]
    has "ravel replay $file"
    grep -q '^schedule 1@7$' "$file"
    grep -q '"stopped_by": "failure"' result.json
    grep -q '"schedules": 18' result.json
    grep -q '"first_schedule": 18' result.json
    grep -q "\"file\": \"$file\"" result.json
}

@test "two runs with the same options do the same" {
    run -1 scripted fail=17 run --json=first.json --out=one /bin/true
    run -1 scripted fail=17 run --json=second.json --out=two /bin/true
    for key in schedules first_schedule stopped_by preemptions; do
        [ "$(grep "\"$key\"" first.json)" = "$(grep "\"$key\"" second.json)" ]
    done
    diff one/*.ravel two/*.ravel
}

@test "--json=-: standard output is JSON and nothing else; people read standard error" {
    run -1 --separate-stderr scripted fail=3 run --json=- /bin/true
    [ "${output:0:1}" = "{" ]
    [ "${output: -1}" = "}" ]
    hasnt "schedules ("
    error_has "1 failure in 4 schedules"
}

@test "--keep-going collects distinct failures and uses the budget up" {
    run -1 scripted "fail=17 second=40" run --keep-going --schedules=100 --json=result.json /bin/true
    has "failure 1 of 2"
    has "abort: aborted by the script"
    has "2 failures in 100 schedules"
    grep -q '"stopped_by": "schedules"' result.json
    [ "$(ls .ravel/failures | wc -l)" = 2 ]
}

@test "--jobs: several workers share the budget" {
    run -0 scripted "" run --jobs=2 --schedules=1000 --json=result.json /bin/true
    grep -q '"schedules": 1000' result.json
    run -1 scripted fail=17 run --jobs=2 /bin/true
    has "schedule 18"
}

# instrumented: makes ./instrumented, linked with the stand-in under libravel's name, as instrumented programs are
# with libravel.
instrumented() {
    cp "$BATS_FILE_TMPDIR/scripted.so" libravel.so.0
    echo 'int main(void) { return 0; }' > instrumented.c
    gcc -o instrumented instrumented.c -Wl,--no-as-needed -L. -l:libravel.so.0 -Wl,-rpath,"$PWD"
}

@test "complete is complete if every worker says so, and saw all accesses" {
    instrumented
    run -0 scripted complete run --strategy=dfs --json=result.json ./instrumented
    has "complete: every schedule has been covered"
    grep -q '"complete": true' result.json
    grep -q '"stopped_by": "complete"' result.json
    run -0 scripted complete run --strategy=dfs --json=result.json /bin/true
    has "not instrumented"
    hasnt "complete"
    grep -q '"complete": false' result.json
}

@test "executions that were cut off are told" {
    run -0 scripted endless=3 run --max-steps=500 --json=result.json /bin/true
    has "3 executions were cut off after 500 scheduling points"
    grep -q '"not_terminating": 3' result.json
}

@test "--time ends a campaign" {
    run -0 scripted slow run --schedules=1000000000 --time=0.2 --json=result.json /bin/true
    has "; the time was up"
    grep -q '"stopped_by": "time"' result.json
}

@test "what does not happen again is not reported: fork isolation is tried, then it is told" {
    run -0 scripted "fail=17 stale" run --json=result.json /bin/true
    has "did not happen again in a fresh process: memory isolation does not hold"
    has "no failure in 10,000 schedules (auto, seed 1, fork isolation"
    grep -q '"isolation": "fork"' result.json
    grep -q '"unconfirmed": 0' result.json
    run -0 scripted "fail=17 flaky" run --isolation=memory --json=result.json /bin/true
    has "a failure did not happen again in a fresh process and is not reported: assert"
    grep -q '"unconfirmed": 1' result.json
    grep -q '"schedules": 10000' result.json
    [ ! -e .ravel ]
}

@test "nondeterminism is reported with the first event that differs, and is no failure" {
    run -0 scripted random run --json=result.json /bin/true
    has "nondeterminism: the same schedule did different things in two processes"
    has "first difference, event 3:"
    has "one execution: thread 0, step "
    grep -q '"nondeterminism": {' result.json
    grep -q '"event": 3' result.json
    run -0 scripted random run --no-check /bin/true
    hasnt "nondeterminism"
}

@test "executions that differ after memory was restored lead to fork isolation" {
    run -0 scripted dirty run /bin/true
    has "note: executions after memory was restored differ from those of a fresh process: fork isolation is used"
    has "fork isolation, not instrumented"
    run -0 scripted dirty run --isolation=memory /bin/true
    has "--isolation=fork would be right for this program"
    has "memory isolation, not instrumented"
}

@test "a worker killed from outside is replaced and the campaign goes on" {
    run -0 scripted die=30:9 run --json=result.json /bin/true
    has "a worker was killed by SIGKILL from outside"
    grep -q '"schedules": 10000' result.json
}

@test "a worker that dies in an execution: reported if its schedule kills a fresh process too" {
    run -1 scripted dead=30:11 run --json=result.json /bin/true
    has "segv: the process was killed by SIGSEGV"
    has "1 failure in 31 schedules"
    run -1 scripted dead=30:11 replay "$(the_failure)"
    has "reproduced"
    rm -r .ravel
    run -0 scripted die=30:11 run --isolation=fork --json=result.json /bin/true
    has "a failure did not happen again in a fresh process and is not reported: segv"
    grep -q '"schedules": 10000' result.json
}

@test "a worker that does not even answer the watchdog is killed; the campaign goes on" {
    run -0 scripted hang=5 run --watchdog=0.1 --isolation=fork --schedules=50 --json=result.json /bin/true
    has "not reported: hang"
    grep -q '"schedules": 50' result.json
}

@test "a program that ends before anything can be run: exit 3" {
    run -3 --separate-stderr scripted start=3 run /bin/true
    error_is "ravel run: /bin/true: ended with status 3 before ravel's runtime was loaded into it (tried 5 times)"
    run -3 --separate-stderr scripted attach=4 run /bin/true
    error_is "ravel run: /bin/true: ended with status 4 before its first execution (tried 5 times)"
    [ ! -e .ravel ]
}

@test "a program that the runtime refuses: exit 3 and its words" {
    run -3 --separate-stderr scripted unusable run /bin/true
    error_is "ravel run: /bin/true: the script says no"
}

@test "known failures are tried first" {
    run -1 scripted fail=17 run /bin/true
    file=$(the_failure)
    run -1 scripted fail=17 run --json=result.json --seed=2 /bin/true
    has "a known failure, saved by an earlier run, still happens:"
    grep -q '"known": true' result.json
    grep -q '"schedules": 0' result.json
    grep -q '"stopped_by": "failure"' result.json
    grep -q "\"file\": \"$file\"" result.json
    run -0 scripted flaky run --json=result.json /bin/true # as if it had been fixed
    has "fixed: $file passes now (the file is kept)"
    grep -q '"schedules": 10000' result.json
    [ -f "$file" ]
}

@test "known failures of other programs and arguments are left alone" {
    run -1 scripted fail=17 run /bin/true
    run -0 scripted "" run /bin/true other
    hasnt "known"
    run -0 scripted "" run /bin/false
    hasnt "known"
}

@test "damaged files among the known failures are named and left alone" {
    mkdir -p .ravel/failures
    echo garbage > .ravel/failures/assert-x-00000000.ravel
    run -0 scripted "" run /bin/true
    has "note: not tried again: .ravel/failures/assert-x-00000000.ravel:1: expected"
    [ "$(cat .ravel/failures/assert-x-00000000.ravel)" = garbage ]
}

@test "with --keep-going a known failure does not end the campaign" {
    run -1 scripted fail=17 run /bin/true
    run -1 scripted fail=17 run --keep-going --json=result.json /bin/true
    grep -q '"schedules": 10000' result.json
    has "1 failure in 10,000 schedules"
}
