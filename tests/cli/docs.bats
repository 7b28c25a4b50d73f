#!/usr/bin/env bats
# What the documentation shows is what happens: every ```console block of README.md and docs/*.md is carried out, one
# after the other in one directory that holds examples/ and the other files it shows, and its output compared.
#
#   $ command      is run by bash; its output (standard output and error) follows
#   ...            alone on a line stands for any lines
#   ```c NAME      a block that is written to the file NAME first
#
# Not compared: durations, how many schedules it took, the digits in names of failure files, which of several like threads
# did it (numbers and columns), and frames of the C library, whose names depend on whether its debug information is
# installed.

setup() {
    PATH=$(dirname "$RAVEL"):$PATH
    unset CC RAVEL_CC NO_COLOR
    export LC_ALL=C.UTF-8 # the lines between columns
    cp -r "$RAVEL_SOURCE/examples" "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR" || return 1
}

normalise() {
    sed -E "s|$BATS_TEST_TMPDIR|DIR|g"'
        s/[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)? s\>/T s/g
        s/-[0-9a-f]{8}\.(ravel|c)\>/-ID.\1/g
        s/[0-9][0-9,]* (schedules?|failures? in)/N \1/g
        s/schedule [0-9,]+/schedule N/g
        s/seen [0-9,]+ times/seen N times/g
        s/, seen N times//
        s/thread [0-9]+/thread N/g
        s/[0-9]+ switch(es)?/N switches/g
        s/(│|[[:space:]])+/ /g
        s/^ //
        s/ $//
        /__libc_start_/d
        /^#[0-9]+ libc\.so/d'
}

# same EXPECTED ACTUAL: line by line, "..." for any lines.
same() {
    local -a expected actual
    mapfile -t expected < "$1"
    mapfile -t actual < "$2"
    local i=0 j=0 skip=0
    while ((i < ${#expected[@]})); do
        if [[ ${expected[i]} == ... ]]; then
            skip=1 i=$((i + 1))
        elif ((j >= ${#actual[@]})); then
            echo "missing: ${expected[i]}"
            return 1
        elif [[ ${expected[i]} == "${actual[j]}" ]]; then
            skip=0 i=$((i + 1)) j=$((j + 1))
        elif ((skip)); then
            j=$((j + 1))
        else
            printf 'shown:  %s\nactual: %s\n' "${expected[i]}" "${actual[j]}"
            return 1
        fi
    done
    ((skip || j >= ${#actual[@]})) || { echo "not shown: ${actual[j]}"; return 1; }
}

# finish: runs the command collected so far and compares; its text is in expected.txt.
finish() {
    [ -n "$command" ] || return 0
    eval "$command" > actual.raw 2>&1 < /dev/null || true
    normalise < actual.raw > actual.txt
    normalise < expected.raw > expected.txt
    same expected.txt actual.txt || { echo "after: $command"; echo "all of it:"; cat actual.raw; return 1; }
    checked=$((checked + 1))
    command=
}

check() { # FILE
    local block='' command='' checked=0 line
    while IFS= read -r line; do
        case $block in
        console)
            if [[ $line == '```' ]]; then
                finish || return 1
                block=
            elif [[ $line == '$ '* ]]; then
                finish || return 1
                command=${line#'$ '}
                : > expected.raw
            else
                printf '%s\n' "$line" >> expected.raw
            fi
            ;;
        file) if [[ $line == '```' ]]; then block=; else printf '%s\n' "$line" >> "$name"; fi ;;
        *)
            if [[ $line == '```console' ]]; then
                block=console
            elif [[ $line =~ ^'```'[a-z]+\ ([A-Za-z0-9_./-]+)$ ]]; then
                block=file name=${BASH_REMATCH[1]}
                : > "$name"
            fi
            ;;
        esac
    done < "$1"
    ((checked >= $2)) || { echo "only $checked commands in $1"; return 1; }
}

@test "the commands and outputs of README.md" { check "$RAVEL_SOURCE/README.md" 3; }
@test "the commands and outputs of docs/user-guide.md" { check "$RAVEL_SOURCE/docs/user-guide.md" 10; }

@test "the checker itself sees a wrong line, a missing and a superfluous one" {
    printf '```console\n$ echo a; echo b\na\nb\n```\n' > good.md
    check good.md 1
    printf '```console\n$ seq 9\n1\n...\n9\n```\n' > good.md
    check good.md 1
    printf '```console\n$ echo a; echo b\na\nc\n```\n' > bad.md
    run check bad.md 1
    [ "$status" = 1 ]
    printf '```console\n$ echo a\na\nb\n```\n' > bad.md
    run check bad.md 1
    [ "$status" = 1 ]
    printf '```console\n$ echo a; echo b\na\n```\n' > bad.md
    run check bad.md 1
    [ "$status" = 1 ]
    printf '```console\n$ seq 9\n1\n...\n10\n```\n' > bad.md
    run check bad.md 1
    [ "$status" = 1 ]
}

@test "the demonstration finds, replays and sees fixed; without the bug it says what is missing" {
    "$RAVEL_SOURCE/scripts/demo" "$RAVEL_BUILD" > demo.txt
    grep -q '^use-after-free' demo.txt
    grep -q '^reproduced' demo.txt
    grep -q '^fixed' demo.txt
    mkdir -p copy/scripts copy/examples
    cp "$RAVEL_SOURCE/scripts/demo" copy/scripts
    cp "$RAVEL_SOURCE"/examples/page_cache.* copy/examples
    patch -s copy/examples/page_cache.c copy/examples/page_cache.patch
    run copy/scripts/demo "$RAVEL_BUILD"
    [ "$status" = 1 ]
    [[ "$output" == *"expected 1"* ]]
}

@test "links between the documents lead somewhere" {
    cd "$RAVEL_SOURCE" || return 1
    for file in README.md docs/*.md; do
        for target in $(grep -oE '\]\([^)#:]+' "$file" | sed 's/](//'); do
            [ -e "$(dirname "$file")/$target" ] || { echo "$file: no $target"; return 1; }
        done
    done
}

@test "every page a document names by ravel(1) style exists" {
    cd "$RAVEL_SOURCE" || return 1
    for page in $(grep -ohE 'ravel(-[a-z]+)?\(1\)' README.md docs/*.md | sort -u); do
        [ -f "man/${page%(1)}.1" ] || { echo "no $page"; return 1; }
    done
}
