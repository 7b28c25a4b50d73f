# ravel generate: bugs of modules found, shown again and written as tests; silence about correct ones; what it says of bad input.
load helper

setup() { in_own_directory; }

subjects=$RAVEL_SOURCE/bench/maptest/subjects
correct=$RAVEL_SOURCE/bench/maptest/subjects-correct

# generate DIRECTORY ARGS...: for the module there; a limit in tests, so that a slow machine does the same.
generate() {
    local name
    name=$(basename "$1")
    "$RAVEL" generate --seed=1 --tests=3000 --time=60 --out=out "${@:2}" "$1/$name.h" "$1/$name.c"
}

# A module of one function and a half: what `body` says between two accesses.
module() {
    cat > m.h <<'END'
typedef struct m m;
m *m_new(void);
void m_free(m *it);
int m_add(m *it, int by);
int m_value(const m *it);
END
    cat > m.c <<END
#include "m.h"
#include <pthread.h>
#include <stdlib.h>
struct m { pthread_mutex_t lock; int value; };
m *m_new(void) {
    m *it = calloc(1, sizeof *it);
    pthread_mutex_init(&it->lock, NULL);
    return it;
}
void m_free(m *it) { free(it); }
int m_add(m *it, int by) {
    pthread_mutex_lock(&it->lock);
    $1
    it->value += by;
    int now = it->value;
    pthread_mutex_unlock(&it->lock);
    return now;
}
int m_value(const m *it) {
    pthread_mutex_lock((pthread_mutex_t *)&it->lock);
    int now = it->value;
    pthread_mutex_unlock((pthread_mutex_t *)&it->lock);
    return now;
}
END
}

has() { [[ $output == *"$1"* ]] || { echo "missing: $1"; echo "$output"; return 1; }; }

# finds NAME KIND: a failure of this kind, which replays, and whose test shows it again.
finds() {
    run generate "$subjects/$1" --json=found.json
    [ "$status" = 1 ]
    [ "$(jq -r '.failures | length' found.json)" = 1 ]
    jq -e --arg kind "$2" '.failures[0].kind == $kind' found.json
    run "$RAVEL" replay "$(jq -r '.failures[0].file' found.json)"
    [ "$status" = 1 ]
    has "reproduced: every event as recorded"
    local test
    test=$(jq -r '.failures[0].test' found.json)
    "$RAVEL" cc -g -I "$subjects/$1" -o kept "$test" "$subjects/$1/$1.c" -pthread
    run "$RAVEL" test --explore --out=again ./kept
    [ "$status" = 1 ]
}

@test "results that no order gives: a lazy allocation" { finds counter nonlinearizable; }
@test "memory: a cache that trusts an entry after unlocking" { finds lru use-after-free; }
@test "an assertion: the last connection lent twice" { finds datasource assert; }
@test "deadlock: two locks in either order" { finds logger deadlock; }
@test "two objects: maps merged into each other" { finds syncmap deadlock; }
@test "a waiter that nobody wakes" { finds bqueue deadlock; }

@test "callbacks, buffers, strings: found by the other engines, too" {
    for engine in maptest-random covcon random; do
        for name in series input registry; do
            run generate "$subjects/$name" --engine=$engine
            [ "$status" = 1 ]
        done
    done
}

@test "flags for the compiler, and both compilers" {
    for flags in "-O0" "-O3 -fno-tree-vectorize -D NEEDED=1"; do
        for compiler in gcc clang; do
            # shellcheck disable=SC2086 # several flags
            RAVEL_CC=$compiler run "$RAVEL" generate --tests=1000 --out=out "$subjects/counter/counter.h" "$subjects/counter/counter.c" -- $flags
            [ "$status" = 1 ]
        done
    done
}

@test "correct modules: nothing is reported" {
    for name in boundedqueue rwcache stack stripedmap; do
        run "$RAVEL" generate --seed=2 --tests=400 --out=out "$correct/$name/$name.h" "$correct/$name/$name.c"
        [ "$status" = 0 ]
        has "$name: 0 bugs; 400 tests"
        [ ! -e out ]
    done
}

@test "a corrected module is silent" {
    for name in counter lru syncmap bqueue; do
        cp "$subjects/$name/$name".[ch] .
        patch -s -p1 "$name.c" "$subjects/$name/$name.fix.patch"
        run "$RAVEL" generate --seed=3 --tests=500 --out=out "$name.h" "$name.c"
        [ "$status" = 0 ]
    done
}

@test "the same seed makes the same tests" {
    generate "$subjects/handles" --json=one.json > one.txt || [ $? = 1 ]
    rm -r out
    generate "$subjects/handles" --json=two.json > two.txt || [ $? = 1 ]
    filter='del(.seconds, .failures[].seconds, .coverage)'
    cmp <(jq "$filter" one.json) <(jq "$filter" two.json)
}

@test "what also fails in one thread is a misuse by the test, and not reported" {
    module 'if (by < 0) abort();'
    run "$RAVEL" generate --seed=1 --tests=300 --out=out m.h m.c
    [ "$status" = 0 ]
    has "left out: the calls fail when one thread makes them, too"
}

@test "what waits in every order is no deadlock" {
    module 'while (by > 2) { pthread_mutex_unlock(\&it->lock); pthread_mutex_lock(\&it->lock); }'
    sed -i 's/\\&/\&/g; s/while (by > 2) {/static pthread_cond_t never = PTHREAD_COND_INITIALIZER; while (by > 2) { pthread_cond_wait(\&never, \&it->lock);/' m.c
    run "$RAVEL" generate --seed=1 --tests=300 --out=out m.h m.c
    [ "$status" = 0 ]
    has "m: 0 bugs"
}

@test "results that depend on which thread asks are no bug" {
    module 'by = (int)(size_t)pthread_self() >> 12;'
    run "$RAVEL" generate --seed=1 --tests=200 --out=out m.h m.c
    [ "$status" = 0 ]
    has "could not be judged"
}

@test "... nor are they where threads that do not overlap never get to them" {
    cat > m.h <<'END'
#include <stdbool.h>
typedef struct m m;
m *m_new(void);
bool m_put(m *);
int m_wait(m *);
unsigned long m_self(const m *);
END
    cat > m.c <<'END'
#include "m.h"
#include <pthread.h>
#include <stdlib.h>
struct m { pthread_mutex_t lock; pthread_cond_t put; int count; };
m *m_new(void) {
    m *it = calloc(1, sizeof *it);
    pthread_mutex_init(&it->lock, NULL);
    pthread_cond_init(&it->put, NULL);
    return it;
}
bool m_put(m *it) {
    pthread_mutex_lock(&it->lock);
    it->count++;
    pthread_cond_signal(&it->put);
    pthread_mutex_unlock(&it->lock);
    return true;
}
int m_wait(m *it) {
    pthread_mutex_lock(&it->lock);
    while (!it->count) pthread_cond_wait(&it->put, &it->lock);
    int had = it->count--;
    pthread_mutex_unlock(&it->lock);
    return had;
}
unsigned long m_self(const m *it) { (void)it; return (unsigned long)pthread_self(); }
END
    for engine in maptest random; do
        run "$RAVEL" generate --engine=$engine --seed=1 --tests=3000 --out=out m.h m.c
        [ "$status" = 0 ] || { echo "$engine: $output"; return 1; }
        has "could not be judged"
    done
}

@test "what cannot be called is listed with the reason" {
    module ''
    echo 'int m_print(m *it, const char *format, ...); void m_fill(m *it, char *room);' >> m.h
    echo 'int m_print(m *it, const char *format, ...) { (void)it; (void)format; return 0; } void m_fill(m *it, char *room) { (void)it; *room = 0; }' >> m.c
    run "$RAVEL" generate --tests=20 --out=out m.h m.c
    [ "$status" = 0 ]
    has "not called: m_print (line 6): it has variable arguments"
    has "not called: m_fill (line 6): how much room 'room' must have is not known; --spec can say so"
}

@test "a specification: values, what is unsafe, what is needed" {
    module 'if (by != 4) abort();'
    printf 'unsafe = ["m_value"]\n[m_add]\nby = [4]\n' > m.toml
    run "$RAVEL" generate --tests=200 --spec=m.toml --out=out m.h m.c
    [ "$status" = 0 ]
    [[ $output != *"left out"* ]]
    printf '[m_add]\nby = {min = 4, max = 5}\nneeds = "m_value"\n' > m.toml
    run "$RAVEL" generate --tests=200 --spec=m.toml --out=out m.h m.c
    has "left out"
}

wrong() {
    run "$RAVEL" generate --tests=5 --out=out "${@:2}"
    [ "$status" = 2 ]
    has "$1"
}

@test "a specification that is wrong: position and suggestion" {
    module ''
    printf 'unsave = ["m_add"]\n' > m.toml
    wrong "m.toml:1:1: there is no setting 'unsave' (did you mean 'unsafe'?)" --spec=m.toml m.h m.c
    printf '[m_ad]\nby = [1]\n' > m.toml
    wrong "m.toml:1:2: there is no function that could be called 'm_ad' (did you mean 'm_add'?)" --spec=m.toml m.h m.c
    printf '[m_add]\nbye = [1]\n' > m.toml
    wrong "m.toml:2:1: there is no parameter of m_add() 'bye' (did you mean 'by'?)" --spec=m.toml m.h m.c
    printf '[m_add]\nby = {min = 3, max = 1}\n' > m.toml
    wrong "expected {min = N, max = M}, the smaller one first" --spec=m.toml m.h m.c
    printf 'objects = 9\n' > m.toml
    wrong "m.toml:1:11: 'objects': expected a number from 1 to 4" --spec=m.toml m.h m.c
    wrong "No such file" --spec=nowhere.toml m.h m.c
}

@test "a header that does not compile, has no type, is not there" {
    module ''
    echo 'int f(' > bad.h
    wrong "bad.h:" bad.h m.c
    echo 'int f(int);' > bad.h
    wrong "no usable type: looked for a struct" bad.h m.c
    wrong "nowhere.h: No such file" nowhere.h
    wrong "no function takes a pointer to a type 'mm'" --type=mm m.h m.c
    wrong "(did you mean 'lru'?)" --type=lruu "$subjects/lru/lru.h"
    wrong "undefined reference" m.h
    sed -i 's/return now;/return nov;/' m.c
    wrong "m.c:" m.h m.c
    sed -i /m_new/d m.h
    wrong "nothing makes a struct m" m.h
    wrong "expected a header"
    [ ! -e out ]
}

@test "interrupted: what was found is kept" {
    "$RAVEL" generate --keep-going --time=300 --out=out --json=found.json "$subjects/counter/counter.h" \
        "$subjects/counter/counter.c" > told.txt 2>&1 &
    pid=$!
    for _ in $(seq 600); do
        ls out/*.ravel > list 2> /dev/null && break
        sleep 0.1
    done
    kill -TERM $pid
    rc=0
    wait $pid || rc=$?
    [ $rc = 1 ]
    grep -q '^interrupted$' told.txt
    [ -s list ]
    run "$RAVEL" replay "$(head -n 1 list)"
    [ "$status" = 1 ]
}

@test "a constructor that fails in every try: said, with what could be done" {
    cat > m.h <<'END'
typedef struct m m;
m *m_connect(int port);
int m_add(m *it, int by);
END
    cat > m.c <<'END'
#include "m.h"
#include <stddef.h>
struct m { int value; };
m *m_connect(int port) { (void)port; return NULL; }
int m_add(m *it, int by) { return it->value += by; }
END
    wrong "no m could be made: m_connect() failed in all of 5 tries" m.h m.c
    cat > m.h <<'END'
struct m { int value; };
int m_init(struct m *it);
int m_add(struct m *it, int by);
END
    sed -i -e '/^struct/d' -e 's/^m \*m_connect.*/int m_init(struct m *it) { it->value = 0; return -1; }/' -e 's/(m \*/(struct m */' m.c
    wrong "m_init() failed in all of 5 tries" m.h m.c
}

@test "a module that makes a process: ravel goes on with a process for each execution" {
    module 'int was = it->value; pthread_mutex_unlock(\&it->lock); pthread_mutex_lock(\&it->lock); it->value = was;'
    sed -i -e 's/\\&/\&/g' -e 's/#include <stdlib.h>/&\n#include <sys\/wait.h>\n#include <unistd.h>/' \
        -e 's/    return it;/    pid_t child = fork();\n    if (child == 0) _exit(0);\n    if (child > 0) waitpid(child, NULL, 0);\n    return it;/' m.c
    run "$RAVEL" generate --tests=200 --out=out m.h m.c
    [ "$status" = 1 ]
    has "results that no sequential order"
}

@test "callbacks that the specification names" {
    cat > m.h <<'END'
typedef struct m m;
m *m_new(void);
int m_visit(m *it, void (*visit)(int value, void *data), void *data);
END
    cat > m.c <<'END'
#include "m.h"
#include <pthread.h>
#include <stdlib.h>
struct m { pthread_mutex_t lock; int value; };
static int seen;
void on_visit(int value, void *data) { (void)data; int before = seen; seen = before + value; }
m *m_new(void) {
    m *it = calloc(1, sizeof *it);
    pthread_mutex_init(&it->lock, NULL);
    return it;
}
int m_visit(m *it, void (*visit)(int, void *), void *data) {
    visit(1, data);
    return seen;
}
END
    run "$RAVEL" generate --tests=100 --out=out m.h m.c
    [ "$status" = 0 ]
    printf '[m_visit]\nvisit = ["on_visit"]\n' > m.toml
    run "$RAVEL" generate --tests=100 --spec=m.toml --out=out m.h m.c
    [ "$status" = 1 ]
    has "m_visit(the_m, on_visit, "
    grep -q on_visit out/*.c
    printf '[m_visit]\nvisit = ["on_visid"]\n' > m.toml
    wrong "undefined reference to \`on_visid'" --spec=m.toml m.h m.c
    printf '[m_visit]\nvisit = ["on visit"]\n' > m.toml
    wrong "m.toml:2:10: 'it': expected the name of a function, not a string" --spec=m.toml m.h m.c
}
