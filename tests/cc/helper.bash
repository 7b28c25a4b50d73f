# For the tests of `ravel cc`: each test works in an empty directory of its own, with ravel first in PATH.
# RAVEL is the path of ravel, RAVEL_SOURCE the source directory of the repository.
here=$RAVEL_SOURCE/tests/cc

setup() {
    PATH=$(dirname "$RAVEL"):$PATH
    unset CC CXX CFLAGS CXXFLAGS LDFLAGS RAVEL_CC RAVEL_CXX
    cd "$BATS_TEST_TMPDIR" || return 1
}

# A program whose memory accesses are instrumented, and which finds libravel by itself.
assert_instrumented() {
    nm "$1" | grep -q '__tsan_\(read\|write\)' || { echo "$1: no instrumentation"; return 1; }
    ldd "$1" | grep -q 'libravel.*=> /' || { echo "$1: libravel is not linked or not found"; ldd "$1"; return 1; }
    ! ldd "$1" | grep -q libtsan || { echo "$1: linked with libtsan"; return 1; }
}

assert_debug_info() { readelf -S "$1" | grep -q '\.debug_info' || { echo "$1: no debug information"; return 1; }; }

# The program's output is the text.
assert_prints() {
    local text=$1; shift
    run "$@"
    [ "$status" = 0 ] || { echo "$*: exit $status: $output"; return 1; }
    [ "$output" = "$text" ] || { echo "$*: printed '$output', expected '$text'"; return 1; }
}

# The command fails with exit code 2 and one line on standard error that contains the text.
assert_refused() {
    local text=$1; shift
    run "$@"
    [ "$status" = 2 ] || { echo "$*: exit $status, expected 2: $output"; return 1; }
    [ "${#lines[@]}" = 1 ] || { echo "$*: more than one line: $output"; return 1; }
    [[ "$output" == *"$text"* ]] || { echo "$*: '$output' lacks '$text'"; return 1; }
}
