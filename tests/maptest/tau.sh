#!/usr/bin/env bash
# bench/maptest/tau.awk on pairs whose tau-b is known.
#   tau.sh PATH-OF-tau.awk
set -eu
failed=0
# is WANTED PAIRS...: each pair is "X,Y"
is() {
    local wanted=$1 got
    shift
    got=$(printf '%s\n' "$@" | tr , ' ' | awk -f "$tau")
    [ "$got" = "$wanted" ] || { echo "tau-b of $*: expected $wanted, got $got" >&2; failed=1; }
}
tau=$1
is 1.000 1,10 2,20 3,30
is -1.000 1,3 2,2 3,1
is 0.333 1,1 2,3 3,2         # two pairs agree, one does not
is 0.913 1,1 2,2 2,3 3,4     # 5 agree, one is a tie in X: 5 / sqrt(5 * 6)
is 0.671 1,1 1,2 2,2 2,3     # 3 agree, 2 ties in X, 1 in Y: 3 / sqrt(4 * 5)
is - 1,1 1,2 1,3             # X tells nothing
is -
is 1.000 9,1 10,2            # numbers, not texts
exit $failed
