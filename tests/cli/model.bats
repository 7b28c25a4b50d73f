#!/usr/bin/env bats
# `ravel model`: threads, variables under their names, sites, locks, and what is unsure.

load helper

setup() {
    in_own_directory
    cat > cache.c <<'END'
#include <pthread.h>
#include <stdlib.h>
struct entry { struct entry *next; int refs; };
struct cache { pthread_mutex_t lock; struct entry *newest; unsigned hits; };
static struct cache cache = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};
static struct entry *table[8];
static int settled;
static void *xmalloc(size_t size) {
    void *memory = malloc(size);
    if (!memory) abort();
    return memory;
}
static void insert(int at) {
    struct entry *entry = xmalloc(sizeof *entry);
    entry->refs = 1;
    entry->next = cache.newest;
    cache.newest = entry;
    table[at & 7] = entry;
}
static void *worker(void *argument) {
    int *counter = argument;
    pthread_mutex_lock(&cache.lock);
    insert(3);
    pthread_mutex_unlock(&cache.lock);
    ++*counter;
    cache.hits++;
    return NULL;
}
typedef void *routine(void *);
static routine *const routines[] = {worker};
int main(void) {
    pthread_t thread;
    int counter = 0, mine = 1;
    int *own = xmalloc(sizeof *own);
    *own = mine;
    settled = 1;
    pthread_create(&thread, NULL, routines[0], &counter);
    pthread_mutex_lock(&cache.lock);
    cache.newest->refs++;
    pthread_mutex_unlock(&cache.lock);
    pthread_join(thread, NULL);
    return counter - 1 + *own - 1;
}
END
    compile cache
}

# sites VARIABLE: "LINE KIND LOCKS" of each.
sites() {
    jq -r --arg name "$1" '.variables[] | select(.name == $name) | .sites[] |
        "\(.line) \(if .reads then "r" else "w" end) \(.locks | join(","))"' model.json | sort -n
}
shared() { jq -r '.variables[] | select(.shared) | .name' model.json | sort; }

@test "names, sharing, sites and locks" {
    "$RAVEL" model --json=model.json cache > text
    [ "$(jq -r '.threads[] | "\(.function) \(.many)"' model.json)" = 'main false
worker false' ]
    diff <(shared) - <<'END'
cache.newest
counter in main
malloc at cache.c:14 .refs
END
    [ "$(sites cache.newest)" = '16 r cache.lock
17 w cache.lock
39 r cache.lock' ]
    [ "$(sites 'malloc at cache.c:14 .refs')" = '15 w cache.lock
39 r cache.lock
39 w cache.lock' ]
    [ "$(sites cache.hits)" = '26 r 
26 w ' ]
    grep -q '^ cache.newest$' text
    grep -q 'cache.c:17:18 .*write  in insert, holding cache.lock' text
    ! grep -q settled text
    "$RAVEL" model --all cache | grep -q '^ settled$'
}

@test "an element of an array, and a field of an element" {
    "$RAVEL" model --all cache | grep -q '^ table\[\]$'
}

@test "a thread that is started in a loop is many" {
    sed -i 's/    pthread_create(.*/    for (int i = 0; i < 2; i++) pthread_create(\&thread, NULL, routines[0], \&counter);/' cache.c
    compile cache
    "$RAVEL" model --json=model.json cache > text
    [ "$(jq '.threads[1].many' model.json)" = true ]
    shared | grep -qx 'table\[\]'
    grep -q 'worker (cache.c:20), several at once' text
}

@test "a library: any function, any thread" {
    cat > queue.c <<'END'
#include <stdlib.h>
struct queue { int head, tail, *items; };
struct queue *queue_new(int size) {
    struct queue *q = malloc(sizeof *q);
    q->items = malloc(sizeof(int) * (unsigned)size);
    q->head = q->tail = 0;
    return q;
}
void queue_put(struct queue *q, int item) { q->items[q->tail++] = item; }
int queue_get(struct queue *q) { return q->items[q->head++]; }
END
    "$RAVEL" cc -c queue.c
    "$RAVEL" model --json=model.json queue.o > text
    shared | grep -qx 'queue.head'
    shared | grep -qx 'queue.tail'
    shared | grep -qx 'malloc at queue.c:5'
    grep -q 'any caller, several at once' text
}

@test "several files are one program; bitcode as such" {
    clang=${RAVEL_CLANG:-clang}
    printf 'int n;\nvoid f(void) { n++; }\n' > a.c
    printf 'void f(void);\nint main(void) { f(); return 0; }\n' > b.c
    for file in a b; do $clang -g -c -emit-llvm $file.c -o $file.bc; done
    "$RAVEL" model --json=model.json a.bc b.bc
    [ "$(sites n)" = '2 r 
2 w ' ]
    [ "$(jq '.functions[] | select(.function == "f") | .threads[0]' model.json)" = 0 ]
}

@test "a block's hash is of what it does, not of where it is" {
    blocks() { "$RAVEL" model --text "$1" | sed -n 's/^block\t[0-9]*\t[0-9]*\t\([0-9a-f]*\)\t.*/\1/p' | sort; }
    blocks cache > before
    { echo '/* a comment */'; sed 's/^static void insert/\n\n&/' cache.c; } > moved.c
    compile moved
    blocks moved | diff before -
    sed 's/entry->refs = 1/entry->refs = 2/' cache.c > changed.c
    compile changed
    blocks changed > after
    [ "$(diff before after | grep -c '^<')" = 1 ]
    [ "$(diff before after | grep -c '^>')" = 1 ]
}

@test "what is unsure is said" {
    printf 'void other(int *);\nint n;\nint main(void) { other(&n); __asm__("nop" : : "r"(&n)); return n; }\n' > unsure.c
    printf 'void other(int *p) { *p = 0; }\n' > other.c
    gcc -c other.c
    "$RAVEL" cc unsure.c other.o -o unsure
    "$RAVEL" model unsure > text
    grep -q 'no bitcode of other, which is called at unsure.c:3' text
    grep -q 'inline assembly at unsure.c:3' text
}

@test "requests that are wrong" {
    refuses() {
        local text=$1
        shift
        run -2 "$RAVEL" model "$@"
        [ "${#lines[@]}" = 1 ]
        [[ "$output" == *"$text"* ]] || { echo "'$output' lacks '$text'"; return 1; }
    }
    refuses 'expected a program'
    refuses 'no-such-file: cannot be read' no-such-file
    gcc cache.c -o plain
    refuses 'plain: has no bitcode; expected a program, library or object built with ravel cc' plain
    refuses 'cache.c: expected a program, library, object or bitcode' cache.c
    refuses '--text and --json' --text --json=x cache
    printf 'BC\xc0\xdenonsense' > bad.bc
    refuses 'no bitcode could be read' bad.bc
}

@test "standard output alone" {
    "$RAVEL" model --json=- cache | jq -e '.program == "cache"' > /dev/null
    "$RAVEL" model --text cache | head -1 | grep -qx 'ravel-model 1'
}

@test "a lock in the object itself protects what is in that object" {
    cat > box.c <<'END'
#include <pthread.h>
#include <stdlib.h>
struct box { pthread_mutex_t lock; int value, other; struct box *next; };
struct box *box_new(void) {
    struct box *box = calloc(1, sizeof *box);
    pthread_mutex_init(&box->lock, NULL);
    return box;
}
static void locked_add(struct box *box) { box->value += 1; }
void box_add(struct box *box) {
    pthread_mutex_lock(&box->lock);
    locked_add(box);
    pthread_mutex_unlock(&box->lock);
    box->other = 1;
}
void box_wrong(struct box *a, struct box *b) {
    pthread_mutex_lock(&a->lock);
    b->value = 2;
    pthread_mutex_unlock(&a->lock);
}
void box_walk(struct box *box) {
    for (; box; box = box->next) {
        pthread_mutex_lock(&box->lock);
        box->value = 3;
        pthread_mutex_unlock(&box->lock);
    }
}
void box_late(struct box *box, struct box *alias) {
    pthread_mutex_lock(&box->lock);
    pthread_mutex_unlock(&alias->lock);
    box->value = 4;
}
END
    "$RAVEL" cc -c box.c
    "$RAVEL" model --json=model.json box.o > text
    [ "$(sites box.value)" = '9 r box.lock
9 w box.lock
18 w 
24 w box.lock
31 w ' ]
    [ "$(sites box.other)" = '14 w ' ]
}

@test "a function without bitcode may do anything, whatever its name begins with" {
    for name in sched_note sem_note rv_note ravel_note; do
        cat > other.c <<END
int *kept;
void $name(int *p) { kept = p; }
END
        cat > part.c <<END
#include <pthread.h>
void $name(int *);
static void *run(void *unused) { return unused; }
int main(void) {
    static int counter;
    pthread_t thread;
    $name(&counter);
    pthread_create(&thread, 0, run, 0);
    counter++;
    return pthread_join(thread, 0);
}
END
        RAVEL_BITCODE=off "$RAVEL" cc -c -g other.c
        "$RAVEL" cc -g part.c other.o -o part
        run "$RAVEL" model ./part
        [ "$status" = 0 ]
        [[ $output == *"no bitcode of $name"* ]] || { echo "$name: $output"; return 1; }
    done
}
