/* Two modules with one-time initialisation that need each other.
 *
 * Bug (deadlock in pthread_once): thread 1 is inside the initialiser of the codec and asks for the logger; thread 2
 * is inside that of the logger and asks for the codec.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_once_t codec_once = PTHREAD_ONCE_INIT, logger_once = PTHREAD_ONCE_INIT;
static atomic_int codec_level, logger_level;
static _Thread_local int depth; /* breaks the recursion within one thread */

static void use_codec(void);
static void use_logger(void);

static void codec_init(void) {
    atomic_store(&codec_level, 1);
    use_logger();
}

static void logger_init(void) {
    atomic_store(&logger_level, 1);
    use_codec();
}

static void use_codec(void) {
    if (depth++ < 2) pthread_once(&codec_once, codec_init);
    depth--;
}

static void use_logger(void) {
    if (depth++ < 2) pthread_once(&logger_once, logger_init);
    depth--;
}

static void *encode(void *unused) {
    (void)unused;
    use_codec();
    return NULL;
}

static void *write_log(void *unused) {
    (void)unused;
    use_logger();
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, encode, NULL);
    pthread_create(&threads[1], NULL, write_log, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d %d\n", atomic_load(&codec_level), atomic_load(&logger_level));
    return 0;
}
