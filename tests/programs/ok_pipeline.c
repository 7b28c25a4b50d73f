/* A pipeline of three threads over two pipes; the end of the data is the end of the file: correct. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

enum { NUMBERS = 3 };

struct stage {
    int in, out;
};

static int read_number(int fd, uint32_t *number) {
    char *to = (char *)number;
    for (size_t got = 0; got < sizeof *number;) {
        ssize_t count = read(fd, to + got, sizeof *number - got);
        if (count <= 0) return 0;
        got += (size_t)count;
    }
    return 1;
}

static void write_number(int fd, uint32_t number) {
    const char *from = (const char *)&number;
    for (size_t done = 0; done < sizeof number;) {
        ssize_t count = write(fd, from + done, sizeof number - done);
        assert(count > 0);
        done += (size_t)count;
    }
}

static void *generate(void *arg) {
    const struct stage *stage = arg;
    for (uint32_t i = 1; i <= NUMBERS; i++) write_number(stage->out, i);
    close(stage->out);
    return NULL;
}

static void *square(void *arg) {
    const struct stage *stage = arg;
    for (uint32_t number; read_number(stage->in, &number);) write_number(stage->out, number * number);
    close(stage->in);
    close(stage->out);
    return NULL;
}

int main(void) {
    int first[2], second[2];
    pthread_t generator, squarer;
    if (pipe(first) || pipe(second)) return 1;
    struct stage stages[2] = {{-1, first[1]}, {first[0], second[1]}};
    pthread_create(&generator, NULL, generate, &stages[0]);
    pthread_create(&squarer, NULL, square, &stages[1]);
    uint32_t sum = 0;
    for (uint32_t number; read_number(second[0], &number);) sum += number;
    pthread_join(generator, NULL);
    pthread_join(squarer, NULL);
    close(second[0]);
    assert(sum == 1 + 4 + 9);
    return 0;
}
