/* Four threads multiply matrices row by row and take the next row under a lock: much memory, few meetings. Prints a check
 * sum, so that all builds can be seen to do the same. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 360, THREADS = 4 };
static double a[N][N], b[N][N], c[N][N];
static int next_row;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int take_row(void) {
    pthread_mutex_lock(&lock);
    int row = next_row++;
    pthread_mutex_unlock(&lock);
    return row;
}

static void *work(void *unused) {
    for (int row; (row = take_row()) < N;)
        for (int column = 0; column < N; column++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += a[row][k] * b[k][column];
            c[row][column] = sum;
        }
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 7 + j) % 10;
            b[i][j] = (i + j * 3) % 10;
        }
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++) sum += c[i][(i * 31) % N];
    printf("%.0f\n", sum);
    return 0;
}
