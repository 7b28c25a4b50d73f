#!/bin/sh
# peer.sh DIRECTORY: a program that waits for another process on this machine does not deadlock because that one takes
# its time.
set -e
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cc -o "$directory/server" "$1/server.c"
"$RAVEL" cc -g -O1 -pthread -o "$directory/client" "$1/client.c"
cd "$directory"
mkfifo input ready
./server "$directory/socket" <input >ready &
exec 3>input 4<ready
read -r word <&4
[ "$word" = ready ]
"$RAVEL" run --schedules=2 --no-check ./client "$directory/socket" 3>&- 4<&-
exec 3>&-
wait
