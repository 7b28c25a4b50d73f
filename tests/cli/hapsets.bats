#!/usr/bin/env bats
# What the strategy hapset learns is kept from one run to the next of the same build, and `ravel hapsets` shows it.

load helper

setup() {
    in_own_directory
    cat > account.c <<'EOF'
#include <assert.h>
#include <pthread.h>
static int balance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void add(int amount) {
    pthread_mutex_lock(&lock);
    balance += amount;
    pthread_mutex_unlock(&lock);
}
static void *deposit(void *unused) {
    add(2);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, deposit, 0);
    add(-1);
    pthread_join(thread, 0);
    assert(balance == 1);
    return 0;
}
EOF
    "$RAVEL" cc -g -O0 -o account account.c
}

teardown() { release; }

# learn OPTION...: a run that learns; how many schedules it took is in $schedules.
learn() {
    run --separate-stderr "$RAVEL" run --strategy=hapset --json=result.json "$@"
    [ "$status" = 0 ] || { echo "exit $status"; echo "$output"; echo "$stderr"; return 1; }
    schedules=$(sed -n 's/^  "schedules": \([0-9]*\),$/\1/p' result.json)
}

# hold: another process locks the store; release: no more.
hold() {
    coproc LOCK { sqlite3 .ravel/store.db; }
    printf 'BEGIN EXCLUSIVE;\nSELECT 1;\n' >&"${LOCK[1]}"
    read -r _ <&"${LOCK[0]}"
}
release() {
    [ -n "${LOCK_PID:-}" ] || return 0
    echo .quit >&"${LOCK[1]}"
    wait "$LOCK_PID" || true
}

nothing_yet="nothing has been learned yet about this build of ./account (ravel run --strategy=hapset learns)"

@test "a second run begins with what the first has learned" {
    learn ./account
    [ -f .ravel/store.db ]
    first=$schedules
    learn ./account
    [ "$schedules" -lt "$first" ] || { echo "$first, then $schedules schedules"; return 1; }
    second=$schedules
    learn ./account
    [ "$schedules" -le "$second" ]
}

@test "it adds: what is shown never gets less, and a run that learns nothing new changes nothing" {
    learn ./account
    "$RAVEL" hapsets ./account > first.txt
    learn ./account
    learn --seed=7 --learn=20 ./account
    "$RAVEL" hapsets ./account > second.txt
    diff first.txt second.txt
}

@test "two workers, and processes for each execution, learn the same" {
    learn --schedules=200 ./account
    "$RAVEL" hapsets --json=one.json ./account
    learn --schedules=200 --jobs=2 --store=two.db ./account
    "$RAVEL" hapsets --json=two.json --store=two.db ./account
    learn --schedules=200 --isolation=fork --store=fork.db ./account
    "$RAVEL" hapsets --json=fork.json --store=fork.db ./account
    grep -v first_schedule one.json > one
    grep -v first_schedule two.json | diff one -
    grep -v first_schedule fork.json | diff one -
}

@test "a program that is built anew begins anew, and back with the old one" {
    learn ./account
    first=$schedules
    cp account old
    sed -i 's/add(2)/add(1 + 1)/; s/balance == 1/balance == 2 - 1/' account.c
    echo 'int another;' >> account.c
    "$RAVEL" cc -g -O0 -o account account.c
    run -0 "$RAVEL" hapsets ./account
    [ "$output" = "$nothing_yet" ]
    learn ./account
    [ "$schedules" = "$first" ]
    run -0 "$RAVEL" hapsets ./account
    has "[2] add() at account.c:6: pthread_mutex_lock(&lock);"
    learn ./old # a copy of the same build, under another name
    [ "$schedules" -lt "$first" ]
}

@test "without a build-id the file's content tells builds apart" {
    "$RAVEL" cc -g -O0 -Wl,--build-id=none -o account account.c
    learn ./account
    first=$schedules
    learn ./account
    [ "$schedules" -lt "$first" ]
    "$RAVEL" hapsets --json=- ./account | grep -q '"build": "content:'
    echo >> account # the same code, another file
    learn ./account
    [ "$schedules" = "$first" ]
}

@test "a library that is built anew loses what was learned in it" {
    mkdir lib
    sed 's/^static void add/void add/; /^static void \*deposit/,$d' account.c > lib/add.c
    { sed -n '1,2p' account.c; echo 'void add(int);'; sed -n '/^static void \*deposit/,$p' account.c | sed '/assert(/d'; } > user.c
    "$RAVEL" cc -g -O0 -shared -fPIC -o lib/libadd.so lib/add.c
    "$RAVEL" cc -g -O0 -o user user.c -Llib -ladd -Wl,-rpath,"$PWD/lib"
    learn ./user
    run -0 "$RAVEL" hapsets ./user
    has "add() at lib/add.c:6: pthread_mutex_lock(&lock);"
    echo 'int another;' >> lib/add.c
    "$RAVEL" cc -g -O0 -shared -fPIC -o lib/libadd.so lib/add.c
    run -0 "$RAVEL" hapsets ./user
    hasnt "lib/add.c"
    has "pthread_create(&thread, 0, deposit, 0);"
    learn ./user
    run -0 "$RAVEL" hapsets ./user
    has "add() at lib/add.c:6: pthread_mutex_lock(&lock);"
}

@test "--fresh begins without, and replaces what was there" {
    learn ./account
    first=$schedules
    "$RAVEL" hapsets ./account > all.txt
    learn --fresh ./account
    [ "$schedules" = "$first" ]
    learn --fresh --schedules=1 ./account
    "$RAVEL" hapsets ./account > some.txt
    [ "$(wc -l < some.txt)" -lt "$(wc -l < all.txt)" ]
}

@test "statements told apart by other numbers of calls do not mix" {
    learn ./account
    run -0 "$RAVEL" run --strategy=hapset:0 ./account
    run -0 "$RAVEL" hapsets ./account
    has "told apart by 0 calls"
    has "told apart by 5 calls"
    [ "$(sqlite3 .ravel/store.db 'SELECT name FROM piece ORDER BY name' | tr '\n' ' ')" = "calls=0 calls=5 " ]
}

@test "what was learned survives a failure that ends the run" {
    lost_update
    run -1 "$RAVEL" run --strategy=hapset ./lost_update
    run -0 "$RAVEL" hapsets ./lost_update
    has "increment() at lost_update.c:5: int old = counter;"
}

# endless WORDS: starts a search of `endless` that does not end by itself, until 100 executions have said so; $pid.
endless() {
    cat > endless.c <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int steps[6];
static void *walk(void *unused) {
    for (int i = 0; i < 6; i++) atomic_fetch_add(&steps[i], 1);
    return unused;
}
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, walk, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    puts("once more");
    return 0;
}
EOF
    compile endless
    "$RAVEL" run --strategy=hapset --learn=1000000000 --schedules=1000000000 --output=all ./endless \
        > endless.txt 2> executions.txt &
    pid=$!
    until [ "$(wc -l < executions.txt)" -ge 100 ]; do kill -0 "$pid"; done
}

@test "what was learned survives Ctrl-C" {
    endless
    kill -INT "$pid"
    wait "$pid"
    grep -q 'no failure in' endless.txt
    run -0 "$RAVEL" hapsets ./endless
    has "walk() at endless.c:6"
}

@test "what was learned survives the death of a worker that is not replaced" {
    endless
    worker=$(worker_of "$pid" endless)
    kill -STOP "$pid" # it shall not have time to replace the worker
    kill -KILL "$worker"
    kill -INT "$pid"
    kill -CONT "$pid"
    wait "$pid"
    run -0 "$RAVEL" hapsets ./endless
    has "walk() at endless.c:6"
}

@test "little that is learned on top of much is kept, too" {
    {
        echo '#include <pthread.h>'
        echo '#include <stdatomic.h>'
        echo 'static atomic_int steps;'
        echo 'static void *small(void *unused) { atomic_fetch_add(&steps, 1); return unused; }'
        echo 'static void *large(void *unused) {'
        for ((i = 0; i < 500; i++)); do echo "    atomic_fetch_add(&steps, $i);"; done
        echo '    return unused;'
        echo '}'
        echo 'int main(int argc, char **argv) {'
        echo '    pthread_t thread;'
        echo '    (void)argv;'
        echo '    pthread_create(&thread, 0, argc > 1 ? large : small, 0);'
        echo '    pthread_join(thread, 0);'
        echo '}'
    } > sizes.c
    compile sizes
    learn --schedules=1 ./sizes large
    run -0 "$RAVEL" hapsets ./sizes
    has "large() at sizes.c:505"
    hasnt "small() at sizes.c:4"
    learn --schedules=1 ./sizes
    run -0 "$RAVEL" hapsets ./sizes
    has "large() at sizes.c:505"
    has "small() at sizes.c:4"
}

@test "strategies that learn nothing do not touch the store" {
    run -0 "$RAVEL" run --schedules=50 ./account
    run -0 "$RAVEL" run --strategy=dpor --schedules=50 ./account
    [ ! -e .ravel ]
    echo 'not a database' > bad.db
    run -0 --separate-stderr "$RAVEL" run --schedules=50 --store=bad.db ./account
    [ -z "$stderr" ]
    [ "$(cat bad.db)" = 'not a database' ]
}

@test "a store that cannot be read: exit 3, one line that says what to do, and the file is as it was" {
    hint="(--fresh begins without what was learned, --store names another file)"
    echo 'This is a diary and by no means a database.' > bad.db
    cp bad.db before
    run -3 --separate-stderr "$RAVEL" run --strategy=hapset --store=bad.db ./account
    error_is "ravel run: bad.db: not a store of ravel, or damaged $hint"
    cmp bad.db before
    run -3 --separate-stderr "$RAVEL" hapsets --store=bad.db ./account
    error_is "ravel hapsets: bad.db: not a store of ravel, or damaged"
    learn --fresh --store=bad.db ./account
    [ "$stderr" = "ravel run: warning: what the strategy has learned is not kept: bad.db: not a store of ravel, or damaged" ]
    cmp bad.db before
    learn --store=newer.db ./account
    sqlite3 newer.db 'PRAGMA user_version = 7'
    run -3 --separate-stderr "$RAVEL" run --strategy=hapset --store=newer.db ./account
    error_is "ravel run: newer.db: written by a newer ravel (schema 7, this one knows 1) $hint"
    learn --store=bits.db ./account
    sqlite3 bits.db "UPDATE piece SET data = zeroblob(length(data))"
    run -3 --separate-stderr "$RAVEL" run --strategy=hapset --store=bits.db ./account
    error_is "ravel run: bits.db: what was learned about this program is damaged $hint"
    learn --fresh --store=bits.db ./account
    [ -z "$stderr" ]
    run -0 "$RAVEL" hapsets --store=bits.db ./account
    has "pthread_mutex_lock"
    run -3 --separate-stderr "$RAVEL" run --strategy=hapset --store=. ./account
    error_is "ravel run: .: not a file $hint"
}

@test "a store that another process has locked: exit 3; with --fresh the run goes on and says that nothing is kept" {
    learn ./account
    "$RAVEL" hapsets ./account > before.txt
    hold
    run -3 --separate-stderr "$RAVEL" run --strategy=hapset ./account
    error_is "ravel run: .ravel/store.db: in use by another process (--fresh begins without what was learned, --store names another file)"
    learn --fresh ./account
    [ "$stderr" = "ravel run: warning: what the strategy has learned is not kept: .ravel/store.db: in use by another process" ]
    run -0 --separate-stderr "$RAVEL" run --schedules=50 ./account
    [ -z "$stderr" ]
    release
    unset LOCK_PID
    "$RAVEL" hapsets ./account | diff before.txt -
}

@test "a store that cannot be written: the result stands, with a warning" {
    learn --store=none/above/store.db ./account
    [ "$stderr" = "ravel run: warning: what the strategy has learned is not kept: none/above/store.db: No such file or directory" ]
    run -0 "$RAVEL" run --strategy=hapset --store=sub/store.db ./account # one directory is made
    [ -f sub/store.db ]
}

@test "--learn and --guide become parameters of hapset" {
    run -0 "$RAVEL" run --strategy=hapset:3 --learn=20 --guide=pcb:2 --json=result.json ./account
    has "(hapset:3,learn=20,guide=pcb:2, seed 1"
    grep -q '"strategy": "hapset:3,learn=20,guide=pcb:2"' result.json
    run -0 "$RAVEL" run --strategy=hapset --learn=0 ./account
    has "(hapset:learn=0, seed 1"
    run -0 "$RAVEL" run --strategy=hapset:learn=3 --guide=pcb:0 ./account
    has "(hapset:learn=3,guide=pcb:0, seed 1"
    learn --fresh ./account
    plain=$schedules
    learn --fresh --learn=25 ./account
    [ "$schedules" -gt 25 ] && [ "$schedules" -le $((25 + plain)) ]
}

@test "--learn and --guide where they mean nothing, and nonsense" {
    wrong() {
        run -2 --separate-stderr "$RAVEL" run "${@:2}" ./account
        error_is "ravel run: $1"
        [ ! -e .ravel ]
    }
    wrong "--learn: only with --strategy=hapset" --learn=5
    wrong "--learn: only with --strategy=hapset" --learn=0 --strategy=dpor
    wrong "--guide: only with --strategy=hapset" --guide=pcb:2 --strategy=pcb:2
    wrong "--learn: expected a number from 0 to 1000000000, got 'many'" --strategy=hapset --learn=many
    wrong "--learn: expected a number from 0 to 1000000000, got '1000000001'" --strategy=hapset --learn=1000000001
    wrong "--guide: expected pcb:K, with at most K preemptions" --strategy=hapset --guide=dpor
    wrong "--guide: expected pcb:K, with at most K preemptions" --strategy=hapset --guide=pcb
    wrong "--guide: a number of preemptions from 0 to 1000000, such as pcb:2" --strategy=hapset --guide=pcb:x
    wrong "--guide: a number of preemptions from 0 to 1000000, such as pcb:2" --strategy=hapset --guide=pcb:1000001
    run -2 --separate-stderr "$RAVEL" run --strategy=hapset:9 ./account
    error_has "ravel run: --strategy: hapset: "
}

@test "ravel hapsets shows each statement, its callers and what it came after" {
    run -0 "$RAVEL" hapsets ./account
    [ "$output" = "$nothing_yet" ]
    [ ! -e .ravel ]
    learn ./account
    # Of the predecessors only those of locks are compared: a search that is better leaves more of the others unseen.
    "$RAVEL" hapsets ./account |
        sed '1s/[0-9]* predecessors/N predecessors/; s/first in schedule [1-9][0-9]*$/first in schedule N/
             /^    after .*account.c:7,/d' > shown.txt
    cat > expected.txt <<'EOF'
./account: 14 statements, told apart by 5 calls; N predecessors

[1] unknown code
[2] add() at account.c:6: pthread_mutex_lock(&lock);
    called by deposit() at account.c:11
    after [3] add() at account.c:6, first in schedule N
[3] add() at account.c:6: pthread_mutex_lock(&lock);
    called by main() at account.c:17
    after [2] add() at account.c:6, first in schedule N
[4] add() at account.c:7: balance += amount;
    called by deposit() at account.c:11
[5] add() at account.c:7: balance += amount;
    called by deposit() at account.c:11
[6] add() at account.c:7: balance += amount;
    called by main() at account.c:17
[7] add() at account.c:7: balance += amount;
    called by main() at account.c:17
[8] add() at account.c:8: pthread_mutex_unlock(&lock);
    called by deposit() at account.c:11
[9] add() at account.c:8: pthread_mutex_unlock(&lock);
    called by main() at account.c:17
[10] deposit() at account.c:10: static void *deposit(void *unused) {
    after [12] main() at account.c:16, first in schedule N
[11] main() at account.c:16: pthread_create(&thread, 0, deposit, 0);
[12] main() at account.c:16: pthread_create(&thread, 0, deposit, 0);
[13] main() at account.c:18: pthread_join(thread, 0);
    after [10] deposit() at account.c:10, first in schedule N
[14] main() at account.c:19: assert(balance == 1);
EOF
    diff expected.txt shown.txt
}

@test "ravel hapsets --json: stable keys" {
    run -0 "$RAVEL" hapsets --json=none.json ./account
    [ -z "$output" ]
    tr -d ' \n' < none.json | grep -q '"sets":\[\]}$'
    learn ./account
    run -0 "$RAVEL" hapsets ./account --json=-
    [ "${lines[0]}" = "{" ] && [ "${lines[-1]}" = "}" ]
    for key in version program build sets calls statements id function file line source callers predecessors first_schedule; do
        has "\"$key\":"
    done
    has '"program": "./account"'
    has '"calls": 5'
}

@test "ravel hapsets: requests that are wrong" {
    wrong() {
        run -2 --separate-stderr "$RAVEL" hapsets "${@:2}"
        error_is "ravel hapsets: $1"
    }
    wrong "expected one program"
    wrong "expected one program" ./account ./account
    wrong "./none: no such program" ./none
    wrong "account.c: not executable" account.c
    wrong "unknown option '--jason' (did you mean --json?)" --jason=x ./account
    run -3 --separate-stderr "$RAVEL" hapsets --json=none/x ./account
    error_is "ravel hapsets: none/x: cannot be written: No such file or directory"
    learn ./account
    run -3 bash -c "\"$RAVEL\" hapsets ./account > /dev/full"
    has "standard output cannot be written"
}
