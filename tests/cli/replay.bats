#!/usr/bin/env bats
# `ravel replay`: the recorded schedule again, and what came of it.

load helper

setup_file() { scripted_runtime; }
setup() { in_own_directory; }

# a_failure: the path of a failure file of the scripted program.
a_failure() {
    scripted fail=17 run /bin/true > /dev/null || true
    the_failure
}

@test "reproduced: exit 1, explained" {
    file=$(a_failure)
    run -1 --separate-stderr scripted "" replay "$file"
    has "reproduced: every event as recorded"
    has "assert: Assertion \`scripted' failed"
    has "the program says hello"
    [ -z "$stderr" ]
}

@test "passed: exit 0, said so" {
    file=$(a_failure)
    run -0 scripted flaky replay "$file"
    has "not reproduced: the execution passed (recorded: assert: Assertion \`scripted' failed)"
}

@test "other events than recorded are noticed" {
    file=$(a_failure)
    sed -i 's/^event-hash .*/event-hash 0x1/' "$file"
    run -1 scripted "" replay "$file"
    has "reproduced, though not every event is as recorded"
}

@test "another failure than recorded is not called reproduced" {
    file=$(a_failure)
    sed -i 's/^schedule .*/schedule 1@8/' "$file"
    run -1 scripted "" replay "$file"
    has "not reproduced: this schedule fails in another way now (recorded: assert: "
    has "abort: aborted by the script"
}

@test "a changed program: says so and still tries" {
    file=$(a_failure)
    sed -i 's/^build-id .*/build-id "0123"/' "$file"
    run -1 scripted "" replay "$file"
    has "/bin/true has changed since the recording; trying all the same"
    has "reproduced"
}

@test "--trace prints every event" {
    file=$(a_failure)
    run -1 scripted "" replay --trace "$file"
    [ "$(grep -cE '^ +[1-4] [ >!] thread [01], step [0-9]+: write$' <<< "$output")" = 4 ]
}

@test "from another directory" {
    file=$(a_failure)
    mkdir elsewhere
    cd elsewhere
    run -1 scripted "" replay "../$file"
    has "reproduced"
}

@test "the program is gone: exit 2" {
    cp /bin/true ./gone
    scripted fail=17 run ./gone > /dev/null || true
    file=$(the_failure)
    rm gone
    run -2 --separate-stderr scripted "" replay "$file"
    error_is "ravel replay: ./gone: no such program"
}

@test "a worker that cannot be used: exit 3" {
    file=$(a_failure)
    run -3 --separate-stderr scripted start=3 replay "$file"
    error_has "ravel replay: /bin/true: ended before ravel's runtime was loaded into it"
}
