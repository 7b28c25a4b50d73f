#!/usr/bin/env bats
# The world around ravel fails: interrupts, killed workers, directories that cannot be written, full disks. What was
# found so far is never lost.

load helper

setup_file() { scripted_runtime; }
setup() { in_own_directory; }

# in_background "WORDS" ARGS...: scripted, in the background; its pid is $pid, its output goes to files.
in_background() {
    local script=$1
    shift
    RAVEL_LIBRARY=$BATS_FILE_TMPDIR/scripted.so RAVEL_SCRIPT=$script "$RAVEL" "$@" \
        < /dev/null > background.out 2> background.err 3>&- &
    pid=$!
}

@test "an interrupted run reports what it has" {
    for signal in INT TERM HUP; do
        in_background slow run --schedules=100000000 --json=result.json /bin/true
        worker_of $pid /bin/true > /dev/null
        kill -$signal $pid
        wait $pid
        run -0 cat background.out
        has "; interrupted"
        grep -q '"stopped_by": "interrupt"' result.json
    done
}

@test "a failure found before the interrupt is reported, saved, and exit is 1" {
    in_background "slow fail=3" run --keep-going --schedules=100000000 /bin/true
    until [ -e .ravel/failures ] && [ -n "$(the_failure)" ]; do kill -0 $pid; done
    kill -INT $pid
    status=0
    wait $pid || status=$?
    [ $status = 1 ]
    run -0 cat background.out
    has "assert: Assertion"
    has "; interrupted"
}

@test "no worker outlives ravel, even if ravel is killed" {
    in_background slow run --schedules=100000000 --jobs=2 /bin/true
    worker=$(worker_of $pid /bin/true)
    kill -KILL $pid
    wait $pid || true
    for _ in {1..20000}; do
        [ -e "/proc/$worker/exe" ] || return 0
        [ "$(cut -d' ' -f3 "/proc/$worker/stat")" != Z ] || return 0
    done
    echo "worker $worker still runs" >&2
    return 1
}

@test "a worker killed in the middle is replaced" {
    in_background slow run --no-check --schedules=3000 --json=result.json /bin/true
    kill -KILL "$(worker_of $pid /bin/true)"
    wait $pid
    run -0 cat background.out
    has "no failure in 3,000 schedules"
    grep -q '"schedules": 3000' result.json
}

@test "failures cannot be saved: exit 3 before anything is run" {
    run -3 --separate-stderr scripted fail=1 run --out=/dev/null/x /bin/true
    error_is "ravel run: /dev/null/x: failures cannot be saved there: Not a directory"
    run -3 --separate-stderr scripted fail=1 run --json=/nowhere/result.json /bin/true
    error_is "ravel run: /nowhere/result.json: the result cannot be written there: No such file or directory"
    [ ! -e .ravel ]
}

@test "the disk is full: the failure is shown all the same, with a warning, exit 1" {
    printf '#include <errno.h>\nint fsync(int fd) { (void)fd; errno = ENOSPC; return -1; }\n' > full.c
    gcc -shared -fPIC -o full.so full.c # what a full disk looks like where space is given late
    LD_PRELOAD=$PWD/full.so run -1 --separate-stderr scripted fail=2 run /bin/true
    has "assert: Assertion"
    error_has "ravel run: warning: .ravel/failures/assert-"
    error_has "cannot be written: No space left on device"
    hasnt "ravel replay"
    [ ! -e .ravel ]
}

@test "the result cannot be written: told, exit 3, or 1 with a failure" {
    run -3 --separate-stderr scripted "" run --json=/dev/full /bin/true
    error_has "ravel run: /dev/full: the result cannot be written: No space left on device"
    run -1 --separate-stderr scripted fail=2 run --json=/dev/full /bin/true
    error_has "the result cannot be written"
    has "assert: Assertion"
}

@test "standard output is full: exit 3" {
    run -3 bash -c '"$@" > /dev/full' _ env RAVEL_LIBRARY="$BATS_FILE_TMPDIR/scripted.so" "$RAVEL" run /bin/true
    has "standard output"
}

@test "a reader that stops reading is no error" {
    run -0 --separate-stderr bash -c '"$@" | true' _ env RAVEL_LIBRARY="$BATS_FILE_TMPDIR/scripted.so" \
        RAVEL_SCRIPT=fail=2 "$RAVEL" run --json=result.json /bin/true
    [ -z "$stderr" ]
    grep -q '"failures"' result.json
    [ -f "$(the_failure)" ]
}

@test "no progress line without a terminal; one on a terminal, gone at the end" {
    run -0 scripted slow run --schedules=300 /bin/true
    hasnt $'\r'
    run -0 env TERM=xterm RAVEL_LIBRARY="$BATS_FILE_TMPDIR/scripted.so" RAVEL_SCRIPT=slow \
        script -qec "$RAVEL run --schedules=300 /bin/true" /dev/null
    has $'\r\e[K'
    has " schedules, "
    has "coverage"
    has "left"
    [[ $output == *$'\r\e[K'"no failure in 300 schedules"* ]]
}

@test "standard input that nobody writes to is taken as empty, and that is told" {
    mkfifo pipe
    exec 9<> pipe
    run -0 env RAVEL_LIBRARY="$BATS_FILE_TMPDIR/scripted.so" "$RAVEL" run /bin/true < pipe
    exec 9>&-
    has "note: standard input is a pipe that nobody writes to or closes"
}
