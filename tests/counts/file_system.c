/* Flanagan and Godefroid's file system: thread i wants inode i mod 32, which needs a block, looked for from (i mod 32) * 2 mod 26
 * on. Up to 13 threads nobody meets; thread 13 + k meets thread k at a block.
 * counts: 2 = 1
 * counts: 13 = 1
 * counts: 14 = 2
 * counts: 15 = 4
 */
#include "count.h"

enum { INODES = 32, BLOCKS = 26 };
static pthread_mutex_t lock_inode[INODES], lock_block[BLOCKS];
static atomic_int inode[INODES], busy[BLOCKS];

static void *body(void *number) {
    int i = (int)(intptr_t)number % INODES;
    pthread_mutex_lock(&lock_inode[i]);
    if (inode[i] == 0) {
        int b = i * 2 % BLOCKS;
        for (;;) {
            pthread_mutex_lock(&lock_block[b]);
            int taken = busy[b];
            if (!taken) {
                busy[b] = 1;
                inode[i] = b + 1;
            }
            pthread_mutex_unlock(&lock_block[b]);
            if (!taken) break;
            b = (b + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&lock_inode[i]);
    return (void *)(intptr_t)inode[i];
}

int main(int argc, char **argv) {
    intptr_t seen[MOST];
    int n = argument(argc, argv, 1, 2);
    together(n, body, seen);
    tell(seen, n);
}
