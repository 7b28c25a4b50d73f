#!/usr/bin/env bats
# `ravel show`: a failure file explained, without the program.

load helper

setup_file() { scripted_runtime; }
setup() {
    in_own_directory
    cp "$RAVEL_SOURCE/tests/fuzz/seeds/failure/every_field.ravel" failure.ravel
}

@test "a failure is explained; the program need not exist" {
    run -0 --separate-stderr "$RAVEL" show failure.ravel
    kind=$(sed -n 's/^kind //p' failure.ravel)
    [[ ${lines[0]} == "$kind: "* ]]
    has "to see it again: ravel replay failure.ravel"
    [ -z "$stderr" ]
}

@test "options may follow the file" {
    run -0 "$RAVEL" show failure.ravel --json
    [ "${lines[0]}" = "{" ]
}

@test "--json is one object with the keys of a failure" {
    run -0 "$RAVEL" show --json failure.ravel
    for key in id kind message first_schedule count preemptions file threads; do has "\"$key\":"; done
    [ "${lines[0]}" = "{" ]
    [ "${lines[-1]}" = "}" ]
}

@test "no colour without a terminal; colour on one unless NO_COLOR" {
    run -0 "$RAVEL" show failure.ravel
    hasnt $'\e['
    run -0 env TERM=xterm script -qec "$RAVEL show failure.ravel" /dev/null
    has $'\e['
    run -0 env TERM=xterm NO_COLOR=1 script -qec "$RAVEL show failure.ravel" /dev/null
    hasnt $'\e['
}

@test "truncated and edited files: the line and what was expected" {
    total=$(wc -l < failure.ravel)
    head -n $((total - 1)) failure.ravel > cut.ravel
    run -2 --separate-stderr "$RAVEL" show cut.ravel
    error_is "ravel show: cut.ravel:$total: expected \"end\": the file is cut off"
    sed 's/^option-seed .*/option-seed many/' failure.ravel > edited.ravel
    run -2 --separate-stderr "$RAVEL" show edited.ravel
    line=$(grep -n '^option-seed' edited.ravel | cut -d: -f1)
    error_has "ravel show: edited.ravel:$line: "
    sed 's/^ravel-failure 1/ravel-failure 9/' failure.ravel > newer.ravel
    run -2 --separate-stderr "$RAVEL" show newer.ravel
    error_is "ravel show: newer.ravel:1: version \"9\" of the format is not supported, only 1"
}

@test "standard output that is full: exit 3" {
    run -3 bash -c "\"$RAVEL\" show failure.ravel > /dev/full"
    has "standard output"
}
