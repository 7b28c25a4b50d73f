# For all tests of the command line: RAVEL is ravel's path, every test works in a directory of its own.
bats_require_minimum_version 1.5.0
: "${RAVEL:?the path of ravel}" "${RAVEL_SOURCE:?the source directory}"

in_own_directory() {
    unset RAVEL_LIBRARY RAVEL_SCRIPT NO_COLOR
    cd "$BATS_TEST_TMPDIR" || return 1
}

# scripted_runtime: builds the stand-in for the runtime (scripted_runtime.c) once per file.
scripted_runtime() {
    gcc -D_GNU_SOURCE -std=gnu17 -O1 -shared -fPIC -I"$RAVEL_SOURCE/src" \
        -o "$BATS_FILE_TMPDIR/scripted.so" "$RAVEL_SOURCE/tests/cli/scripted_runtime.c"
}

# scripted "WORDS" ARGS...: `ravel ARGS...` with workers that follow the script.
scripted() {
    local script=$1
    shift
    RAVEL_LIBRARY=$BATS_FILE_TMPDIR/scripted.so RAVEL_SCRIPT=$script "$RAVEL" "$@" < /dev/null
}

# compile NAME: NAME.c in this directory, with `ravel cc`.
compile() { "$RAVEL" cc -g -O1 -pthread -o "$1" "$1.c" "${@:2}"; }

# lost_update: writes and compiles a program whose two threads increment a counter, though not in one step. Its accesses are
# atomic: there is no data race, so that the assertion is the only failure.
lost_update() {
    cat > lost_update.c <<'END'
#include <assert.h>
#include <pthread.h>
static _Atomic int counter;
static void *increment(void *unused) {
    int old = counter;
    counter = old + 1;
    return unused;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, increment, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(counter == 2);
    return 0;
}
END
    compile lost_update
}

# data_race: the same with a plain counter, and no assertion.
data_race() {
    cat > data_race.c <<'END'
#include <pthread.h>
static int counter;
static void *increment(void *unused) {
    counter++;
    return unused;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, increment, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
END
    compile data_race
}

# has TEXT: the output of the last `run` contains it; hasnt: it does not.
has() { [[ $output == *"$1"* ]] || { echo "'$1' is not in:"; echo "$output"; return 1; }; }
hasnt() { [[ $output != *"$1"* ]] || { echo "'$1' should not be in:"; echo "$output"; return 1; }; }
# error_has TEXT: standard error of the last `run --separate-stderr` contains it.
error_has() { [[ $stderr == *"$1"* ]] || { echo "'$1' is not in standard error:"; echo "$stderr"; return 1; }; }
# error_is LINE: standard error is exactly this line, and standard output is empty.
error_is() { [ "$stderr" = "$1" ] && [ -z "$output" ] || { echo "expected: $1"; echo "error:    $stderr"; echo "output:   $output"; return 1; }; }

# the_failure: the one failure file in .ravel/failures.
the_failure() {
    local files=(.ravel/failures/*.ravel)
    [ ${#files[@]} = 1 ] && [ -f "${files[0]}" ] && echo "${files[0]}"
}

# worker_of PID PROGRAM: waits until the ravel with this pid has a worker; prints the worker's pid.
worker_of() {
    local children
    while kill -0 "$1"; do
        read -r -d '' children < "/proc/$1/task/$1/children" || true
        for child in $children; do
            [ "$(readlink "/proc/$child/exe")" = "$(realpath "$2")" ] && { echo "$child"; return 0; }
        done
    done
    echo "no worker of $1" >&2
    return 1
}
