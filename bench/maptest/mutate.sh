#!/bin/bash
# mutate.sh [--buggy] SUBJECT DIRECTORY: variants of a subject with one lock less, for asking whether a coverage goes along with
# the bugs that are found.
#
# A variant lacks one lock operation of one function, and the unlock operations of the same lock that follow it there, up to its next lock
# operation. They are written to DIRECTORY as NAME.1.c, NAME.2.c ..., and to standard output one line each:
#
#     NUMBER FUNCTION LOCK LINE...       the lines of NAME.fixed.c (also in DIRECTORY) that were changed
#
# By default the planted bug is fixed first, so that what is found is there because of the lock; with --buggy it stays. Left out are
# locks under which a condition is waited for, because waiting without the lock is misuse even sequentially, and functions
# that only lock or only unlock (lock_both): the calls of these are lock operations themselves.
# Each variant is compiled. SUBJECT is a directory with NAME.c, NAME.h and, if it has a bug, NAME.fix.patch.
set -eu
fixed=1
if [ "${1:-}" = --buggy ]; then fixed=0; shift; fi
[ $# = 2 ] || { echo "usage: mutate.sh [--buggy] SUBJECT DIRECTORY" >&2; exit 2; }
subject=$(cd "$1" && pwd)
name=$(basename "$subject")
mkdir -p "$2"
cd "$2"
base=$name.fixed.c
cp "$subject/$name.c" "$base"
if [ $fixed = 1 ] && [ -f "$subject/$name.fix.patch" ]; then patch -s -p1 "$base" "$subject/$name.fix.patch"; fi

# Lines as "FUNCTION LOCK LINE LINE ...", LOCK without blanks: what removes a lock operation and its unlock operations.
awk '
    # The argument of a lock operation on this line, and in `locking` which of the two it is; "" if there is none.
    function lock_of(text,    found) {
        if (!match(text, /(pthread_(mutex|rwlock|spin)_(lock|rdlock|wrlock|unlock)|(un)?lock_both)\([^;]*\);/)) return ""
        found = substr(text, RSTART, RLENGTH - 2)
        locking = found !~ /unlock/
        sub(/^[a-z_]*\(/, "", found)
        gsub(/ /, "", found)
        return found
    }
    function finish(lock) {
        if (lines[lock] ~ / .* / && !waits[lock]) print name, lock, lines[lock]
        delete lines[lock]
        delete waits[lock]
    }
    /^[a-z].*\) \{/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
    /^}/ { for (lock in lines) finish(lock); next }
    /pthread_cond_(timed)?wait\(/ { for (lock in lines) if (index($0, lock)) waits[lock] = 1 }
    /^ / && (lock = lock_of($0)) != "" {
        if (locking && lock in lines) finish(lock)
        if (locking) lines[lock] = " " NR
        else if (lock in lines) lines[lock] = lines[lock] " " NR
    }' "$base" | sort -k3,3n | awk '{ $1 = $1; print NR, $0 }' > "$name.variants"

operation='\(pthread_[a-z]*_[a-z]*lock\|\(un\)\?lock_both\)([^;]*);'
while read -r number _ _ lines; do
    script=
    for line in $lines; do script+="${line}s/$operation/(void)0;/;"; done
    sed "$script" "$base" > "$name.$number.c"
    ! cmp -s "$base" "$name.$number.c" || { echo "mutate.sh: $name.$number.c is no variant" >&2; exit 1; }
    "${CC:-gcc}" -fsyntax-only -std=gnu17 -I"$subject" "$name.$number.c" || exit 1
done < "$name.variants"
cat "$name.variants"
