#!/bin/sh
# Randomness is the same in every execution with one seed, and another with another: the program prints what it reads
# in its first execution, and is then run with that as the expectation.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
cat >program.cc <<'END'
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <random>
#include <string>
#include <sys/random.h>
#include <unistd.h>

static std::string text;

static void add(const void *from, size_t size) {
    char word[4];
    for (size_t i = 0; i < size; i++) {
        snprintf(word, sizeof word, "%02x", ((const unsigned char *)from)[i]);
        text += word;
    }
}

static void *read_all(void *unused) {
    unsigned char bytes[16];
    unsigned word;
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return unused;
    add(bytes, sizeof bytes);
    if (getentropy(bytes, 5)) return unused;
    add(bytes, 5);
    int fd = open("/dev/urandom", O_RDONLY);
    if (read(fd, bytes, 7) != 7) return unused;
    close(fd);
    add(bytes, 7);
    word = arc4random();
    add(&word, sizeof word);
    word = std::random_device()();
    add(&word, sizeof word);
    return unused;
}

int main(int count, char **arguments) {
    pthread_t thread;
    pthread_create(&thread, nullptr, read_all, nullptr);
    pthread_join(thread, nullptr);
    puts(text.c_str());
    return text.size() != 2 * 36 || (count > 1 && text != arguments[1]);
}
END
"$RAVEL" c++ -g -O1 -o program program.cc
./program >/dev/null
read_with() { "$RAVEL" run --output=first --schedules=1 --seed="$1" ./program 2>&1 | grep -E -m1 -o '[0-9a-f]{72}'; }
one=$(read_with 1)
other=$(read_with 2)
[ ${#one} = 72 ] || { echo "nothing read"; exit 1; }
[ "$one" != "$other" ] || { echo "two seeds, one stream: $one"; exit 1; }
"$RAVEL" run --schedules=50 --seed=1 ./program "$one"
"$RAVEL" run --schedules=20 --seed=1 --isolation=fork ./program "$one"
if "$RAVEL" run --schedules=1 --seed=1 ./program "$other" >/dev/null; then
    echo "the expectation is not looked at"
    exit 1
fi
