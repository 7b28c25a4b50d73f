#!/usr/bin/env bats
# Which memory-access patterns executions have covered: noted by `ravel run --coverage` and `ravel test --coverage`, kept in the
# store, told by `ravel cover`. The account is small enough for dpor to see every schedule: what it covers is all there is.

load helper

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cat > account.c <<'EOF2'
#include <pthread.h>
#include <stdlib.h>
struct account { int balance; int changes; pthread_mutex_t lock; };
static struct account account = {100, 0, PTHREAD_MUTEX_INITIALIZER};
static int calls;
struct entry { struct entry *next; int amount; };
static struct entry *entries;
static void deposit(int amount) {
    pthread_mutex_lock(&account.lock);
    account.balance += amount;
    account.changes++;
    pthread_mutex_unlock(&account.lock);
    calls++;
}
static int look(void) {
    pthread_mutex_lock(&account.lock);
    int sum = account.balance + account.changes;
    pthread_mutex_unlock(&account.lock);
    return sum;
}
static void enter(int amount) {
    struct entry *entry = malloc(sizeof *entry);
    entry->amount = amount;
    entry->next = entries;
    entries = entry;
}
static void unused_by_any_thread(void) { account.balance = 0; }
static void *work(void *argument) {
    deposit(5);
    enter(look());
    if (argument) unused_by_any_thread();
    return 0;
}
int main(int argc, char **argv) {
    (void)argv;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, argc > 1 ? threads : 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    int sum = account.balance;
    for (struct entry *entry = entries; entry; entry = entry->next) sum += entry->amount;
    return sum < 0;
}
EOF2
    "$RAVEL" cc -g -O0 -o account account.c
}

setup() {
    in_own_directory
    cp "$BATS_FILE_TMPDIR/account.c" "$BATS_FILE_TMPDIR/account" .
}

# noted OPTION...: a run that notes; the figures of its result are in $covered, $new.
noted() {
    run --separate-stderr "$RAVEL" run --races=off --coverage --json=result.json "$@"
    [ "$status" = 0 ] || { echo "exit $status"; echo "$output"; echo "$stderr"; return 1; }
    covered=$(jq .coverage.covered result.json)
    new=$(sed -n 's/^coverage:.*(\([0-9,]*\) new).*/\1/p' <<< "$output")
}

@test "all there is: the same from a complete search, a sample, steering, and a process for each execution" {
    noted --strategy=dpor ./account
    [ "$(jq .complete result.json)" = true ]
    all=$covered
    ((all > 40))
    [ "$new" = "$all" ]
    for way in --strategy=pos --strategy=map '--strategy=pos --isolation=fork' '--strategy=pos --jobs=2'; do
        # shellcheck disable=SC2086  # words are meant
        noted $way --schedules=3000 --store=other.db ./account
        [ "$covered" = "$all" ] || { echo "$way: $covered, not $all"; return 1; }
        rm other.db
    done
}

@test "figures are those of the definition: covered at most feasible, at most total; sums are sums" {
    noted --strategy=pos --schedules=1000 ./account
    "$RAVEL" cover --json=cover.json ./account
    jq -e '.covered <= .feasible and .feasible <= .total and .covered > 0 and
           ([.by_pattern[].covered] | add) == .covered and
           ([.by_pattern[].total] | add) == .total and
           ([.variables[].single.covered, .variables[].wide.covered] | add) == .covered and
           all(.variables[]; .single.covered <= .single.feasible and .single.feasible <= .single.total and
                             .wide.covered <= .wide.feasible and .wide.feasible <= .wide.total)' cover.json
    # calls: one statement that reads and one that writes. 2RW + WW + RRW + 3RWW + WWW
    jq -e '.variables[] | select(.name == "calls") | .reads == 1 and .writes == 1 and .single.total == 8' cover.json
    jq -e '[.variables[].name] | contains(["account.balance", "account.changes", "entries"])' cover.json
}

@test "coverage adds up over runs, and a second one finds nothing new" {
    noted --strategy=random --schedules=3 ./account
    first=$covered
    noted --strategy=dpor ./account
    ((covered > first))
    [ "$new" = $((covered - first)) ]
    noted --strategy=dpor ./account
    [ "$new" = 0 ]
    "$RAVEL" cover --json=cover.json ./account
    jq -e '(.runs | length) == 3 and .runs[1].before == .runs[0].after and .runs[2].after == .covered and
           .executions == ([.runs[].executions] | add)' cover.json
}

@test "what never ran counts where there is a static model" {
    noted --strategy=pos --schedules=500 ./account
    "$RAVEL" cover --json=with.json ./account
    "$RAVEL" cover --model=off --json=without.json ./account
    [ "$(jq -r .model without.json)" = null ]
    [ "$(jq .covered with.json)" = "$(jq .covered without.json)" ]
    [ "$(jq -r .model with.json)" != null ] || skip "no clang: no model"
    (($(jq .total with.json) > $(jq .total without.json)))
    jq -e '.variables[] | select(.name == "account.balance") | .writes == 2' with.json
}

@test "pairs of functions that ran at the same time" {
    noted --strategy=pos --schedules=500 ./account
    "$RAVEL" cover --json=cover.json ./account
    jq -e '.method_pairs.functions | index("deposit") and index("look") and index("enter")' cover.json
    jq -e '.method_pairs as $m | ($m.functions | index("deposit")) as $d | ($m.functions | index("enter")) as $e |
           $m.pairs | any(.[]; . == [$d, $e] or . == [$e, $d])' cover.json
    # One thread runs after the other: none at the same time but with main.
    rm -r .ravel
    noted --strategy=random:0.000001 --schedules=1 ./account
    "$RAVEL" cover --json=cover.json ./account
    jq -e '.method_pairs as $m | ($m.functions | index("deposit")) as $d | ($m.functions | index("enter")) as $e |
           $m.pairs | any(.[]; . == [$d, $e] or . == [$e, $d]) | not' cover.json
}

@test "cover for people: variables, patterns, targets; without a program the last one" {
    noted --strategy=pos --schedules=500 ./account
    run "$RAVEL" cover
    [ "$status" = 0 ]
    grep -q '^variable' <<< "$output"
    grep -q '^account.balance ' <<< "$output"
    grep -Eq '^ 3  a:W\(x\) b:W\(x\) +[0-9]+ ' <<< "$output"
    grep -q '^best next targets' <<< "$output"
    grep -q 'functions at the same time: ' <<< "$output"
}

@test "map with a parameter: covers what it is told to, then has nothing left to try" {
    noted --strategy=random:0.000001 --schedules=1 ./account
    "$RAVEL" cover --json=cover.json --model=off ./account
    # calls: a reads, b writes, a writes: the lost update.
    read -r r w < <(sqlite3 .ravel/store.db "select data from piece where kind = 'coverage'" |
        awk -F'\t' '$1 == "statement" && $4 == "deposit" && $3 == 13 { at[$2] = $8 } END { print at["R"], at["W"] }')
    run --separate-stderr "$RAVEL" run --races=off --coverage --json=result.json --strategy="map:7,$r,$w,$w" ./account
    [ "$status" = 0 ]
    (($(jq .schedules result.json) < 20))
    (($(jq '.coverage.by_pattern["7"].covered' result.json) > 0))
    run "$RAVEL" run --strategy=map:18,1,2 ./account
    [ "$status" = 2 ]
    run "$RAVEL" run --strategy=map:1,zz ./account
    [ "$status" = 2 ]
}

@test "ravel test notes, too: one execution, or a campaign" {
    cat > unit.c <<'END'
#include <pthread.h>
#include <ravel.h>
static int shared;
static void *work(void *unused) {
    RAVEL_EVENT(before);
    shared++;
    RAVEL_EVENT(after);
    return unused;
}
RAVEL_TEST(two) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    shared++;
    RAVEL_EVENT(main_done);
    pthread_join(thread, 0);
}
RAVEL_SCHEDULE(two, "in_order", "main_done -> before");
RAVEL_MAIN
END
    "$RAVEL" cc -g -O0 -o unit unit.c
    run "$RAVEL" test --coverage ./unit
    [ "$status" = 0 ] || { echo "$output"; return 1; }
    "$RAVEL" cover --json=cover.json ./unit
    # main reads and writes, then the other thread: R W, W R, W W in that order.
    jq -e '.covered == 3 and (.runs | length) == 1 and .executions == 1' cover.json
    run "$RAVEL" test --coverage --passive ./unit
    [ "$status" = 2 ]
}

@test "the page has everything in it, and in a browser" {
    noted --strategy=pos --schedules=500 ./account
    run "$RAVEL" cover --html=cover.html ./account
    [ "$status" = 0 ]
    grep -q 'Coverage over time' cover.html
    grep -q 'account.balance += amount;' cover.html
    ! grep -Eq 'https?://|<script' cover.html
    browser=$(command -v chromium || command -v chromium-browser) || skip "no chromium: only the text was looked at"
    HOME=$PWD timeout 120 "$browser" --headless --no-sandbox --disable-gpu --dump-dom "file://$PWD/cover.html" > dom.html 2> browser.log ||
        { cat browser.log; return 1; }
    grep -q '<h2>Functions at the same time</h2>' dom.html
    grep -q '<a href="#v[0-9]*">account.balance</a>' dom.html
    [ "$(grep -o '<polyline' dom.html | wc -l)" = 1 ]
    [ "$(grep -o 'class="yes"' dom.html | wc -l)" -gt 3 ]
}

@test "bad requests" {
    run "$RAVEL" cover
    [ "$status" = 2 ]
    [ "$output" = "ravel cover: .ravel/store.db: nothing has been noted yet about any program (ravel run --coverage notes)" ]
    run "$RAVEL" cover ./account
    [ "$status" = 2 ]
    run "$RAVEL" cover ./nothing
    [ "$status" = 2 ]
    run "$RAVEL" cover ./account ./account
    [ "$status" = 2 ]
    mkdir -p .ravel
    echo "not a database, whatever it is called" > .ravel/store.db
    run "$RAVEL" cover ./account
    [ "$status" = 3 ]
    run "$RAVEL" run --races=off --coverage --schedules=5 ./account
    [ "$status" = 0 ]
    grep -q 'what was covered is not kept' <<< "$output"
}

@test "a damaged piece is named" {
    noted --strategy=pos --schedules=50 ./account
    sqlite3 .ravel/store.db "update piece set data = cast('ravel-coverage 1' || char(10) || 'nonsense' || char(10) as blob) where kind = 'coverage'"
    run "$RAVEL" cover ./account
    [ "$status" = 3 ]
    grep -q 'what was covered of this program is damaged (coverage:2: expected a record' <<< "$output"
}
