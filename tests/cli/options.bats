#!/usr/bin/env bats
# Requests that are wrong: one line on standard error that says what was expected, exit code 2, nothing done.

load helper

setup_file() { scripted_runtime; }
setup() { in_own_directory; }

# wrong LINE ARGS...: `ravel ARGS...` is refused with exactly this line.
wrong() {
    local line=$1
    shift
    run -2 --separate-stderr "$RAVEL" "$@"
    error_is "$line"
    [ ! -e .ravel ]
}

@test "run wants a program" {
    wrong "ravel run: expected a program to run" run
    wrong "ravel run: expected a program to run" run --schedules=5
}

@test "unknown options are named, with the one that was meant" {
    wrong "ravel run: unknown option '--schedule' (did you mean --schedules?)" run --schedule=5 /bin/true
    wrong "ravel run: unknown option '--nonsense' (see ravel run --help)" run --nonsense /bin/true
    wrong "ravel replay: unknown option '--gdp' (did you mean --gdb?)" replay --gdp x
    wrong "ravel show: unknown option '--jason' (did you mean --json?)" show --jason x
}

@test "numbers are checked" {
    wrong "ravel run: --schedules: expected a number of at least 1, got '0'" run --schedules=0 /bin/true
    wrong "ravel run: --schedules: expected a number of at least 1, got '-1'" run --schedules=-1 /bin/true
    wrong "ravel run: --schedules: expected a number of at least 1, got '10k'" run --schedules=10k /bin/true
    wrong "ravel run: --schedules: expected N" run --schedules
    wrong "ravel run: --time: expected a positive number of seconds, got '0'" run --time=0 /bin/true
    wrong "ravel run: --time: expected a positive number of seconds, got 'soon'" run --time=soon /bin/true
    wrong "ravel run: --seed: expected a number of at least 0, got 'x'" run --seed=x /bin/true
    wrong "ravel run: --jobs: expected a number from 1 to 256, got '0'" run --jobs=0 /bin/true
    wrong "ravel run: --jobs: expected a number from 1 to 256, got '257'" run --jobs 257 /bin/true
    wrong "ravel run: --expect-exit: expected a number from 0 to 255, got '256'" run --expect-exit=256 /bin/true
    wrong "ravel run: --max-steps: expected a number of at least 1, got '0'" run --max-steps=0 /bin/true
    wrong "ravel run: --watchdog: expected a positive number of seconds, got '-3'" run --watchdog=-3 /bin/true
    wrong "ravel run: --memory-limit: expected a number from 1 to 1048576, got '0'" run --memory-limit=0 /bin/true
}

@test "words are checked" {
    wrong "ravel run: --isolation: expected auto|memory|fork, got 'none'" run --isolation=none /bin/true
    wrong "ravel run: --timing: expected free|strict, got 'loose'" run --timing=loose /bin/true
    wrong "ravel run: --races: expected report|off, got 'on'" run --races=on /bin/true
    wrong "ravel run: --output: expected discard|first|all, got 'some'" run --output=some /bin/true
    wrong "ravel run: --keep-going takes no value" run --keep-going=yes /bin/true
    wrong "ravel run: --json: expected FILE, got nothing" run --json= /bin/true
    wrong "ravel run: --out: expected DIR, got nothing" run --out= /bin/true
}

@test "strategies are checked, with their parameters" {
    wrong "ravel run: --strategy: no strategy 'chance' (see ravel strategies)" run --strategy=chance /bin/true
    wrong "ravel run: --strategy: no strategy 'replay' (see ravel strategies)" run --strategy=replay /bin/true
    run -2 --separate-stderr "$RAVEL" run --strategy=pct:none /bin/true
    error_has "ravel run: --strategy: pct: "
    run -2 --separate-stderr "$RAVEL" run --strategy=random:7 /bin/true
    error_has "ravel run: --strategy: random: "
    for bound in "" x -1 1.5 1000001 99999999999; do
        wrong "ravel run: --strategy: pcb: a number of preemptions from 0 to 1000000, such as pcb:2" \
            run --strategy=pcb:$bound /bin/true
        wrong "ravel run: --strategy: delay: a number of delays from 0 to 1000000, such as delay:2" \
            run --strategy=delay:$bound /bin/true
    done
    wrong "ravel run: --strategy: no strategy 'bounded' (see ravel strategies)" run --strategy=bounded /bin/true
}

@test "replay and show want one failure file that can be read" {
    wrong "ravel replay: expected one failure file" replay
    wrong "ravel replay: expected one failure file" replay a b
    wrong "ravel show: expected one failure file" show
    wrong "ravel show: none.ravel: cannot be read: No such file or directory" show none.ravel
    wrong "ravel replay: none.ravel: cannot be read: No such file or directory" replay none.ravel
    wrong "ravel show: .: is a directory, expected a failure file" show .
    echo "hello" > text.ravel
    wrong "ravel show: text.ravel:1: expected \"ravel-failure 1\": this is no failure file" show text.ravel
    wrong "ravel replay: text.ravel:1: expected \"ravel-failure 1\": this is no failure file" replay text.ravel
}

@test "programs that are none" {
    wrong "ravel run: ./none: no such program" run ./none
    wrong "ravel run: none: no such program" run none
    wrong "ravel run: .: is a directory, not a program" run .
    echo 'int main(void) { return 0; }' > source.c
    wrong "ravel run: ./source.c: not executable" run ./source.c
    printf '#!/bin/sh\n' > script
    chmod +x script
    wrong "ravel run: ./script: not an ELF program (a script? name its interpreter's program)" run ./script
    : > empty
    chmod +x empty
    run -2 --separate-stderr "$RAVEL" run ./empty
    error_has "ravel run: ./empty: not an ELF program"
    gcc -c source.c -o object.o
    chmod +x object.o
    wrong "ravel run: ./object.o: an ELF file, but not a program (an object or core file)" run ./object.o
}

@test "programs that ravel cannot run: exit code 3" {
    echo 'int main(void) { return 0; }' > source.c
    gcc -static -o static source.c
    run -3 --separate-stderr "$RAVEL" run ./static
    error_is "ravel run: ./static: statically linked (or a library); ravel needs a dynamically linked program"
}

@test "--help of each command lists its options" {
    run -0 "$RAVEL" run --help
    for option in strategy schedules time seed jobs keep-going isolation timing spurious expect-exit max-steps watchdog \
        memory-limit races output no-check json out learn guide store fresh; do
        has "--$option"
    done
    has "Usage: ravel run [OPTIONS] PROGRAM [ARG...]"
    run -0 "$RAVEL" replay --help
    has "--gdb"
    has "--trace"
    run -0 "$RAVEL" show --help
    has "--json"
    run -0 "$RAVEL" hapsets --help
    has "--store"
}

@test "the program's own arguments are its own" {
    run -0 scripted "" run --schedules=20 --json=- /bin/true --schedules=nonsense -x
    has '"--schedules=nonsense"'
    run -0 scripted "" run --schedules=20 --json=- -- /bin/true -y
    has '"-y"'
}

@test "every option is accepted" {
    run -0 scripted "" run --strategy=pct:2 --schedules 20 --time=100.5 --seed=0x10 -j 2 -k --isolation=memory \
        --timing=strict --spurious --expect-exit=3 --max-steps=50 --watchdog=0.5 --memory-limit=64 --races=off \
        --output=first --no-check --json=result.json --out=somewhere --store=elsewhere --fresh /bin/true
    has "no failure in 20 schedules (pct:2, seed 16, memory isolation"
    grep -q '"strategy": "pct:2"' result.json
    grep -q '"seed": 16' result.json
    [ ! -e somewhere ] # nothing had to be saved
    [ ! -e elsewhere ]
}
