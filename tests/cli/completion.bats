#!/usr/bin/env bats
# bash completion: what TAB offers after the given words.

setup() {
    PATH=$(dirname "$RAVEL"):$PATH
    cd "$BATS_TEST_TMPDIR" || return 1
    compopt() { :; } # there is no line editor here
    source "$RAVEL_SOURCE/completions/ravel.bash"
}

offer() { # WORD...: the last one is being typed
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _ravel
    printf '%s\n' "${COMPREPLY[@]}" | sort -u
}

@test "every command of ravel --help is offered, and only they" {
    expected=$(ravel --help | sed -n '/^Commands:/,/^$/s/^  \([a-z+]*\) .*/\1/p' | sort)
    [ -n "$expected" ]
    [ "$(offer ravel '' | grep -v '^--')" = "$expected" ]
    [ "$(offer ravel str)" = strategies ]
}

@test "every option of ravel run --help is offered" {
    expected=$(ravel run --help | grep -oE '^  (-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort)
    [ "$(wc -l <<< "$expected")" -ge 10 ]
    [ "$(offer ravel run -- | tr -d =)" = "$expected" ]
    [ "$(offer ravel run --sched)" = --schedules= ]
    [ "$(offer ravel run --keep)" = --keep-going ]
}

@test "the words an option takes" {
    [ "$(offer ravel run --isolation = '' | tr '\n' ' ')" = 'auto fork memory ' ]
    [ "$(offer ravel run --timing = s)" = strict ]
    [ "$(offer ravel run --isolation =)" = "$(offer ravel run --isolation = '')" ]
}

@test "strategies are those that ravel strategies lists" {
    expected=$(ravel strategies | sed 's/[^[:alnum:]_-].*//' | sort)
    [ "$(offer ravel run --strategy = '')" = "$expected" ]
    [ "$(offer ravel run --strategy = pc | head -n 1)" = pcb ] || [ "$(offer ravel run --strategy = pc | head -n 1)" = pct ]
}

@test "failure files for replay and show" {
    mkdir -p .ravel/failures
    touch .ravel/failures/one.ravel other.txt mine.ravel
    [ "$(offer ravel replay mi)" = mine.ravel ]
    offer ravel show '' | grep -qx .ravel/failures/one.ravel
    ! offer ravel show '' | grep -q other.txt
}

@test "test: programs, then their tests" {
    touch my_program
    chmod +x my_program
    [ "$(offer ravel test ./my_)" = ./my_program ]
    offer ravel test -- | grep -qx -- --explore
    offer ravel test -- | grep -qx -- --time-limit=
    [ "$(offer ravel test --explore = dp)" = "$(offer ravel run --strategy = dp)" ]
    printf '#include <ravel.h>\nRAVEL_TEST(first) {}\nRAVEL_TEST(second) {}\nRAVEL_MAIN\n' > tests.c
    ravel cc tests.c -o tests
    [ "$(offer ravel test ./tests s)" = second ]
    [ "$(offer ravel test --jobs = 2 ./tests '' | tr '\n' ' ')" = "first second " ]
}

@test "migrate: C files" {
    touch my_test.c my_test.h
    [ "$(offer ravel migrate my_)" = my_test.c ]
    offer ravel migrate -- | grep -qx -- --write
}

@test "generate: headers and sources" {
    touch my_module.c my_module.h my_module.o
    [ "$(offer ravel generate my_ | sort | tr '\n' ' ')" = "my_module.c my_module.h " ]
    offer ravel generate -- | grep -qx -- --keep-going
}

@test "programs for hapsets" {
    touch my_program
    chmod +x my_program
    [ "$(offer ravel hapsets ./my_)" = ./my_program ]
    offer ravel hapsets -- | grep -qx -- --store=
}

@test "files for the compiler" {
    touch program.c
    [ "$(offer ravel cc -O2 prog)" = program.c ]
}
