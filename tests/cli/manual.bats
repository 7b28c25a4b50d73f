#!/usr/bin/env bats
# The manual pages: well formed, one for each command, and saying what the commands say of themselves.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    PATH=$(dirname "$RAVEL"):$PATH
    man=$RAVEL_SOURCE/man
}

commands() { ravel --help | sed -n '/^Commands:/,/^$/s/^  \([a-z+]*\) .*/\1/p'; }
page_of() { case $1 in c++) echo "$man/ravel-cc.1" ;; *) echo "$man/ravel-$1.1" ;; esac; }

@test "mandoc has nothing to complain about" {
    run mandoc -T lint -W warning "$man"/*.1
    echo "$output"
    [ "$status" = 0 ] && [ -z "$output" ]
}

@test "every command has a page, and ravel(1) and the others lead to it" {
    [ -n "$(commands)" ]
    for command in $(commands); do
        page=$(page_of "$command")
        [ -f "$page" ] || { echo "no page for $command"; return 1; }
        grep -q "^\.Xr $(basename "$page" .1) 1" "$man/ravel.1"
    done
    for page in "$man"/ravel-*.1; do
        name=$(basename "$page" .1)
        name=${name#ravel-}
        commands | grep -qx "$name" || { echo "$page is of no command"; return 1; }
    done
}

@test "every option is in the command's page, with its argument, and the other way round" {
    for command in $(commands); do
        ravel "$command" --help | grep -oE '^  (-., )?--[a-z-]+(\[?=[^ ]*)?' | sed 's/^ *//' | sort > said
        [ -s said ] || continue
        # .It Fl k , Fl -keep-going    gives    -k, --keep-going
        sed -nE '/^\.It .*Fl -[a-z]/p' "$(page_of "$command")" |
            sed -E 's/^\.It //; s/Fl ([a-z]) , /-\1, /; s/Fl -/--/; s/ Ns Op : Ns Ar PARAM/[:PARAM]/; s/ Ns Op = Ns Ar (.*)/[=\1]/; s/ Ns = Ns (Ar|Cm) /=/; s/ \| /|/g' |
            sort > written
        # strategies' only option stands in its synopsis
        [ "$command" != strategies ] || continue
        diff said written || { echo "^ ravel $command --help against its manual page"; return 1; }
    done
}

@test "the strategies of ravel-strategies(1) are those there are" {
    ravel strategies | sed 's/[^a-z].*//' | sort > said
    sed -nE 's/^\.It Cm ([a-z]+).*/\1/p' "$man/ravel-strategies.1" | sort > written
    diff said written
}

@test "the kinds of failures in ravel-run(1) are those there are" {
    sed -nE '/^\.Sh FAILURES/,/^\.Sh JSON/s/^\.It (.*)/\1/p' "$man/ravel-run.1" | tr -d ' ' | tr ',' '\n' | sort > written
    for kind in $(cat written); do
        grep -q "\"$kind\"" "$RAVEL_SOURCE/src/base/kind.h" || { echo "$kind is unknown"; return 1; }
    done
}
