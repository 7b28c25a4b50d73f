#!/usr/bin/env bats
# After a change: record, select, regress, on a small map whose size() loses its lock.

load helper.bash

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/base" && cd "$BATS_FILE_TMPDIR/base" || return 1
    cp "$RAVEL_SOURCE/tests/cli/regress_map.c" map.c
    "$RAVEL" cc -g -O1 -pthread -o map map.c || return 1
    printf '[suite]\nprogram = "./map"\ncases = "tests.txt"\ntimeout = 10\n' > ravel.toml
    for a in put get size clear; do
        for b in put get size clear; do echo "$a-$b: $a $b"; done
    done > tests.txt
    "$RAVEL" record > recorded || return 1
    mkdir "$BATS_FILE_TMPDIR/changed" && cd "$BATS_FILE_TMPDIR/changed" || return 1
    lockless < ../base/map.c > map.c
    "$RAVEL" cc -g -O1 -pthread -o map map.c
}

# size() without its lock.
lockless() { awk '/^static int size/ { drop = 1 } /^}/ { drop = 0 } !drop || !/mutex/'; }

# A copy of the base, with its store; then, with "changed", the changed program in it.
setup() {
    in_own_directory
    cp -r "$BATS_FILE_TMPDIR/base/." .
    case $BATS_TEST_DESCRIPTION in *changed:* | *"changed map"*) cp "$BATS_FILE_TMPDIR"/changed/map* . ;; esac
}

selected() { jq -r '.selected[].test' "$1"; }

@test "record tells what it did, list shows it, and a second record does nothing" {
    grep -q '^recorded base@: 16 tests in .* s, 16 passed$' recorded
    run "$RAVEL" record --list
    [ "$status" = 0 ] && [[ $output == base*"16 tests" ]]
    run "$RAVEL" record
    [ "$status" = 0 ]
    [ "$output" = "base@ is recorded already: 16 tests (--again records it anew)" ]
}

@test "without a change nothing is selected, nothing is run" {
    run "$RAVEL" regress
    echo "$output"
    [ "$status" = 0 ]
    [[ $output == *"0 of 16 tests run"* ]]
    [ ! -e .ravel/failures ]
}

@test "lines, comments and names of files do not count" {
    { echo "/* more"; echo "   lines */"; sed 's|^static int size|/* how many */\n\n&|' map.c; } > renamed.c
    "$RAVEL" cc -g -O1 -pthread -o map renamed.c
    run "$RAVEL" select
    echo "$output"
    [ "$status" = 0 ]
    [[ $output == *"0 statements changed or added, 0 gone"*"0 of 16 tests selected"* ]]
}

@test "of the changed map, only tests are selected in which another thread writes the count" {
    "$RAVEL" select --json=s.json > text
    cat text
    [ "$(selected s.json | sort | xargs)" = "clear-size put-size size-clear size-put" ]
    [ "$(jq -r '.impacted[0].variable, .impacted[0].function, .impacted[0].access' s.json | xargs)" = "count size read" ]
    [ "$(jq '.tests, (.pairs | length), .selected[0].rank' s.json | xargs)" = "16 2 1" ]
    grep -q 'count (read) in size: lock changed, by map.c:38 of the base' text
    "$RAVEL" select --json=again.json > /dev/null
    diff <(jq 'del(.seconds)' s.json) <(jq 'del(.seconds)' again.json)
}

@test "changed: techniques, orders and --all" {
    "$RAVEL" select --technique=dejavu --order=given --json=d.json > /dev/null
    [ "$(selected d.json | xargs)" = "put-size get-size size-put size-get size-size size-clear clear-size" ]
    "$RAVEL" select --technique=all --order=given --json=a.json > /dev/null
    [ "$(selected a.json | xargs)" = "$(cut -d: -f1 tests.txt | xargs)" ]
    "$RAVEL" select --all --json=r.json > /dev/null
    [ "$(jq '.selected + .rest | length' r.json)" = 16 ]
    "$RAVEL" select --technique=simrt-nothreads --json=n.json > /dev/null
    [ "$(selected n.json | wc -l)" -ge 4 ]
    "$RAVEL" select --technique=all --order=random --seed=2 --json=o.json > /dev/null
    "$RAVEL" select --technique=all --order=random --seed=3 --json=p.json > /dev/null
    [ "$(selected o.json)" != "$(selected p.json)" ]
    [ "$(selected o.json | sort)" = "$(selected p.json | sort)" ]
}

@test "changed: the new races are found, with their change, and the replay file shows them" {
    run "$RAVEL" regress --json=j.json --sarif=s.sarif --junit=u.xml
    echo "$output"
    [ "$status" = 1 ]
    [[ $output == *"data race: count"*"in size() at map.c:"*"2 regression races, 0 potential, 0 older; 4 of 16 tests run"* ]]
    [ "$(jq '[.races[] | select(.regression)] | length' j.json)" = 2 ]
    [ "$(jq -r '.races[0].status' j.json)" = real ]
    [[ $(jq -r '.races[0].change.file' j.json) == *map.c ]]
    [ "$(jq '.runs[0].results | length' s.sarif)" = 2 ]
    xmllint --noout u.xml
    grep -q 'tests="4" failures="2"' u.xml
    run "$RAVEL" replay "$(jq -r '.races[0].file' j.json)"
    [ "$status" = 1 ] && [[ $output == *"data race"* ]]
}

@test "changed: all tests find no more than the selected ones, and without focus the same" {
    for options in --technique=all --technique=dejavu --focus=off; do
        "$RAVEL" regress $options --json=a.json > /dev/null || [ $? = 1 ]
        [ "$(jq '[.races[] | select(.regression)] | length' a.json)" = 2 ]
    done
}

@test "changed: in git, the hunk that brought the race in is shown" {
    cp "$BATS_FILE_TMPDIR/base/map.c" .
    git init -q . && git add map.c ravel.toml tests.txt
    git -c user.name=n -c user.email=e commit -qm base
    cp "$BATS_FILE_TMPDIR/base/map" .
    "$RAVEL" record | grep -q "recorded base@$(git rev-parse HEAD)"
    cp "$BATS_FILE_TMPDIR"/changed/map* .
    run "$RAVEL" regress --base="base@$(git rev-parse --short HEAD)"
    echo "$output"
    [ "$status" = 1 ]
    [[ $output == *"brought in by the change of map.c:"*"-    pthread_mutex_lock(&lock);"* ]]
}

@test "changed: another build tree as the base" {
    rm -rf .ravel
    run "$RAVEL" regress --base-dir="$BATS_FILE_TMPDIR/base"
    echo "$output"
    [ "$status" = 1 ]
    [[ $output == *"2 regression races"* ]]
    run "$RAVEL" regress --base-dir=nowhere
    [ "$status" = 2 ] && [ "$output" = "ravel regress: --base-dir: nowhere: no such directory" ]
}

@test "changed: the budget" {
    run "$RAVEL" regress --budget=0.000001
    [ "$status" = 0 ]
    [[ $output == *"the time is over: 0 of 4 selected tests were run"* ]]
}

@test "a race that was there before is older, and no failure" {
    echo 'old: old old' > tests.txt
    "$RAVEL" record > /dev/null
    sed 's/careless++;/careless++, put(1, 1);/' map.c > other.c
    "$RAVEL" cc -g -O1 -pthread -o map other.c
    run "$RAVEL" regress --technique=all
    echo "$output"
    [[ $output == *"1 older"* || $output == *"2 older"* || $output == *"1 regression"* ]]
    sed 's/value = -1/value = -2/' map.c > third.c
    "$RAVEL" cc -g -O1 -pthread -o map third.c
    run "$RAVEL" regress --technique=all
    echo "$output"
    [ "$status" = 0 ]
    [[ $output == *"0 regression races"* && $output != *" 0 older"* ]]
}

@test "tests that fail or do not end on the base are kept, marked, and always selected" {
    printf 'crash: crash get\nhang: hang get\nfine: get get\n' > tests.txt
    sed -i 's/timeout = 10/timeout = 1/' ravel.toml
    run "$RAVEL" record --again
    echo "$output"
    [ "$status" = 0 ]
    [[ $output == *"test crash: fail on the base: "*"recorded base@: 3 tests"*"1 passed"* ]]
    "$RAVEL" select --json=s.json > /dev/null
    [ "$(selected s.json | sort | xargs)" = "crash hang" ]
    [ "$(jq -r '.selected[] | select(.test == "crash").why' s.json)" = "failed on the base" ]
}

@test "new tests are always selected" {
    echo 'new: get get' >> tests.txt
    "$RAVEL" select --json=s.json > /dev/null
    [ "$(selected s.json)" = new ]
    [ "$(jq -r '.selected[0].why' s.json)" = "not on the base" ]
}

@test "a program without bitcode: all its tests are selected, and it is said why" {
    RAVEL_BITCODE=off "$RAVEL" cc -g -O1 -pthread -o map map.c
    run "$RAVEL" select
    [ "$status" = 0 ]
    [[ $output == *"all its tests are selected"*"16 of 16 tests selected"* ]]
}

@test "an interrupted record goes on" {
    rm -rf .ravel
    for i in $(seq 300); do echo "t$i: put get"; done > tests.txt
    "$RAVEL" record > first &
    pid=$!
    while [ ! -e .ravel/store.db ] || [ "$(sqlite3 .ravel/store.db "select count(*) from piece where kind='regress-test'" 2> /dev/null)" -lt 3 ] 2> /dev/null; do
        kill -0 $pid || break
        sleep 0.02
    done
    kill -INT $pid
    wait $pid || true
    cat first
    if grep -q '^interrupted' first; then
        "$RAVEL" record --list | grep -q '(interrupted)'
        run "$RAVEL" select
        [ "$status" = 2 ] && [[ $output == *"the record of the base was interrupted: run ravel record again" ]]
    fi
    run "$RAVEL" record
    [ "$status" = 0 ]
    [[ $output == *"300 tests"* ]]
    run "$RAVEL" select
    [ "$status" = 0 ]
}

@test "forget" {
    run "$RAVEL" record --forget=bose
    [ "$status" = 2 ] && [ "$output" = "ravel record: --forget: there is no recorded base bose (did you mean base?)" ]
    "$RAVEL" record --as=other > /dev/null
    [ "$("$RAVEL" record --list | wc -l)" = 2 ]
    "$RAVEL" record --forget=base
    [ "$("$RAVEL" record --list | cut -d' ' -f1)" = other ]
    "$RAVEL" record --forget=other
    [ "$("$RAVEL" record --list)" = "nothing is recorded in .ravel/store.db" ]
    [ "$(sqlite3 .ravel/store.db 'select count(*) from piece')" = 0 ]
}

@test "clear words for what is not there" {
    run "$RAVEL" select --base=bose
    [ "$status" = 2 ] && [ "$output" = "ravel select: no base bose is recorded (did you mean base?)" ]
    rm -rf .ravel
    run "$RAVEL" regress
    [ "$status" = 2 ]
    [ "$output" = "ravel regress: no base is recorded in .ravel/store.db: run ravel record on the version to compare with" ]
    [ ! -e .ravel ]
    run "$RAVEL" record --suite=none.toml
    [ "$status" = 2 ] && [ "$output" = "ravel record: none.toml: cannot be read: No such file or directory" ]
    printf '[suite]\nprogam = "./map"\n' > ravel.toml
    run "$RAVEL" record
    [ "$status" = 2 ] && [ "$output" = 'ravel record: ravel.toml:2:1: unknown key "progam" (did you mean "program"?)' ]
    run "$RAVEL" record extra
    [ "$status" = 2 ] && [ "$output" = 'ravel record: expected options only, not "extra"' ]
    run "$RAVEL" record --as=a@b
    [ "$status" = 2 ] && [ "$output" = "ravel record: --as: expected a name without @" ]
    run "$RAVEL" regress --json=/nowhere/x
    [ "$status" = 3 ]
}

@test "a store of a newer ravel, a damaged one, one that is another thing" {
    cp .ravel/store.db keep.db
    sqlite3 .ravel/store.db 'pragma user_version = 99'
    run "$RAVEL" select
    [ "$status" = 3 ] && [[ $output == *"written by a newer ravel"* ]]
    cp keep.db .ravel/store.db
    sqlite3 .ravel/store.db "update piece set data = cast('ravel-base 9' || char(10) as blob) where kind = 'regress-base'"
    run "$RAVEL" select
    [ "$status" = 2 ] && [[ $output == *"the recorded base cannot be read (written by a later ravel, or damaged)" ]]
    cp keep.db .ravel/store.db
    sqlite3 .ravel/store.db "update piece set data = cast('x' as blob) where kind = 'regress-model'"
    run "$RAVEL" select
    [ "$status" = 0 ] && [[ $output == *"16 of 16 tests selected"* ]]
    cp keep.db .ravel/store.db
    sqlite3 .ravel/store.db "update piece set data = cast('x' as blob) where kind = 'regress-test' and name = 'put-get'"
    run "$RAVEL" select
    [ "$status" = 0 ] && [[ $output == *"put-get  (its history cannot be read)"* ]]
}

@test "names of tests are untrusted" {
    printf '[suite]\nprogram = "./map"\ntests = [ { name = "a\\u001b[31m<b>\\"&", args = ["get", "get"] } ]\n' > ravel.toml
    "$RAVEL" select --json=s.json --all > text
    ! grep -q $'\e' text
    jq -e . s.json > /dev/null
    "$RAVEL" regress --junit=u.xml > text
    ! grep -q $'\e' text u.xml
    xmllint --noout u.xml
}

@test "the tests of CTest" {
    mkdir build
    cat > build/CTestTestfile.cmake <<END
add_test(one "$PWD/map" "put" "get")
add_test(two "$PWD/map" "size" "put")
set_tests_properties(two PROPERTIES TIMEOUT "5")
END
    printf '[suite]\nctest = "build"\n' > ravel.toml
    run "$RAVEL" record
    echo "$output"
    [[ $output == *"2 tests"*"2 passed"* ]]
    cp "$BATS_FILE_TMPDIR/changed/map" .
    "$RAVEL" select --json=s.json > /dev/null
    [ "$(selected s.json)" = two ]
    printf '[suite]\nctest = "none"\n' > ravel.toml
    run "$RAVEL" record
    [ "$status" = 2 ] && [[ $output == *"none: no tests from CTest"* ]]
}

@test "a source without bitcode: its changes are not seen, so all tests are selected" {
    echo 'int limit(void) { return 1; }' > other.c
    RAVEL_BITCODE=off "$RAVEL" cc -g -O1 -pthread -c other.c
    "$RAVEL" cc -g -O1 -pthread -c map.c
    "$RAVEL" cc -pthread -o map map.o other.o
    "$RAVEL" record > /dev/null
    run "$RAVEL" select # the same program
    [[ $output == *"0 of 16 tests selected"* ]]
    echo 'int limit(void) { return 2; }' > other.c
    RAVEL_BITCODE=off "$RAVEL" cc -g -O1 -pthread -c other.c
    "$RAVEL" cc -pthread -o map map.o other.o
    run "$RAVEL" select
    echo "$output"
    [[ $output == *"part of the program has no bitcode"*"16 of 16 tests selected"* ]]
}
