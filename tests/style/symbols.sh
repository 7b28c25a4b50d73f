#!/bin/sh
# symbols.sh BUILD: strategies, analyses and plans run inside the program under test, where the C library's functions are intercepted: they
# call nothing but ravel's own (memcpy and a few more have raw versions, see src/runtime/raw.h).
set -u
objects=$(find "$1/CMakeFiles/ravel_runtime.dir/src/strategy" "$1/CMakeFiles/ravel_runtime.dir/src/analysis" "$1/CMakeFiles/ravel_runtime.dir/src/plan" "$1/CMakeFiles/ravel_runtime.dir/src/base" -name '*.o')
[ -n "$objects" ] || { echo "no objects of libravel in $1"; exit 1; }
wrong=0
for object in $objects; do
    others=$(nm -u "$object" | awk '{print $2}' | grep -vE '^(rv|rf)_|^__assert_fail$|^_GLOBAL_OFFSET_TABLE_$')
    [ -z "$others" ] || { echo "${object##*ravel_runtime.dir/} calls $others"; wrong=1; }
done
exit $wrong
